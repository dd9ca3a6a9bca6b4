"""Pictures of components and mixtures hold what they show."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

import learnable
from learnable import plot


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def rows(p=2):
    rng = np.random.default_rng(0)
    return rng.normal(size=(100, p)) @ rng.normal(size=(p, p))


def test_principal_axes_have_the_length_of_standard_deviations():
    X = rows()
    display = plot.PrincipalAxesDisplay.from_estimator(learnable.PCA().fit(X), X)
    np.testing.assert_allclose(display.axes.T @ display.axes, np.cov(X.T), atol=1e-10)
    with pytest.raises(learnable.DataError, match="two columns"):
        plot.PrincipalAxesDisplay.from_estimator(learnable.PCA().fit(rows(3)), rows(3))


def test_biplot_and_spectrum():
    X = rows(4)
    model = learnable.PCA().fit(X)
    display = plot.BiplotDisplay.from_estimator(model, X, y=np.arange(100) % 3)
    np.testing.assert_allclose(display.scores, model.transform(X)[:, :2])
    assert display.arrows.shape == (4, 2)
    spectrum = plot.SpectrumDisplay.from_estimator(model)
    assert spectrum.ax_.lines[0].get_ydata()[-1] == pytest.approx(1)
    with pytest.raises(learnable.DataError, match="two components"):
        plot.BiplotDisplay.from_estimator(learnable.PCA(1).fit(X), X)


def overlapping(texts):
    """How many pairs of texts lie over each other."""
    boxes = [text.get_window_extent() for text in texts]
    return sum(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_names_in_a_biplot_do_not_overlap():
    wine = learnable.datasets.load_wine(as_frame=True)
    scaled = learnable.StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
    display = plot.BiplotDisplay.from_estimator(learnable.PCA().fit(scaled), scaled)
    display.figure_.canvas.draw()
    names = [text for text in display.ax_.texts if text.get_text()]
    assert len(names) == 13 and overlapping(names) == 0
    inside = display.ax_.bbox
    assert all(inside.contains(*corner) for text in names for corner in text.get_window_extent().corners())


def test_component_images():
    digits = learnable.datasets.load_digits().data[:100]
    display = plot.ComponentImagesDisplay.from_estimator(learnable.PCA(4).fit(digits))
    assert display.images.shape == (5, 8, 8)
    np.testing.assert_allclose(display.images[0].ravel(), digits.mean(axis=0))
    with pytest.raises(learnable.DataError, match="cannot be an image"):
        plot.ComponentImagesDisplay.from_estimator(learnable.PCA(2).fit(rows(5)))


def test_mixtures_over_steps_and_their_number():
    X = np.concatenate([rows(), rows() + 6])
    found = plot.MixtureDisplay.over_steps(learnable.GaussianMixture(2, random_state=0, tol=0.0), X, (1, 3))
    assert len(found) == 2 and found[0].covariances.shape == (2, 2, 2)
    assert len(found[0].ax_.lines) == 8  # rows, two ellipses and the mean of each component
    assert found[0].ax_.get_ylim() == found[1].ax_.get_ylim()
    choice = learnable.choose_components(learnable.GaussianMixture(random_state=0), X, (1, 2, 3))
    display = plot.ComponentChoiceDisplay.from_choice(choice)
    assert display.counts[display.scores.argmin()] == choice.best
    assert display.ax_.get_ylabel().startswith("BIC")
    held = learnable.choose_components(learnable.GaussianMixture(random_state=0), X, (1, 2), criterion="held-out")
    assert plot.ComponentChoiceDisplay.from_choice(held).ax_.get_ylabel().startswith("-log density of held-out rows")
    with pytest.raises(learnable.DataError, match="two columns"):
        plot.MixtureDisplay.from_estimator(learnable.GaussianMixture(2).fit(rows(3)), rows(3))


def test_pictures_of_a_climb_are_of_one_run_and_end_where_it_does():
    X = np.concatenate([rows(), rows() + 1.5])
    model = learnable.GaussianMixture(3, init_params="random_from_data", n_init=4)
    for _ in range(3):
        found = plot.MixtureDisplay.over_steps(model, X, (1, 2, 3, 5, 8, 300, 600, 900))
        titles = [display.ax_.get_title() for display in found]
        densities = [float(title.split()[-1]) for title in titles]
        assert densities == sorted(densities)
        assert titles[-1].startswith("converged after")
        assert len(set(titles)) == len(titles) < 8


def test_student_components_are_drawn_by_their_scales():
    X = rows()
    model = learnable.StudentTMixture(2, random_state=0).fit(X)
    display = plot.MixtureDisplay.from_estimator(model, X)
    np.testing.assert_array_equal(display.covariances, model.scales_)
    with pytest.raises(learnable.ParameterError, match="DensityDisplay"):
        plot.MixtureDisplay.from_estimator(learnable.KernelDensity().fit(X), X)


@pytest.mark.parametrize(
    "make",
    [
        learnable.KernelDensity,
        learnable.GaussianDensity,
        learnable.HistogramDensity,
        lambda: learnable.StudentTMixture(2, random_state=0),
    ],
)
def test_contours_hold_their_fractions_of_the_rows(make):
    X = rows()
    display = plot.DensityDisplay.from_estimator(make().fit(X), X, shares=(0.5, 0.9))
    own = make().fit(X).score_samples(X)
    assert {round(float((own >= level).mean()), 1) for level in display.levels} <= {0.5, 0.6, 0.9, 1.0}
    assert display.threshold is None and not display.odd.any()


def test_a_detector_shows_its_threshold():
    X = rows()
    model = learnable.DensityAnomalyDetector(contamination=0.1).fit(X)
    display = plot.DensityDisplay.from_estimator(model, X)
    np.testing.assert_array_equal(display.odd, model.predict(X) == -1)
    assert display.threshold == model.offset_
    with pytest.raises(learnable.DataError, match="two columns"):
        plot.DensityDisplay.from_estimator(learnable.GaussianDensity().fit(rows(3)), rows(3))
    with pytest.raises(learnable.ParameterError, match="shares"):
        plot.DensityDisplay.from_estimator(model, X, shares=(1.5,))


def test_arrows_longer_than_the_cloud_are_seen():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0)
    X[:, 1] += np.linspace(0, 1e-3, 40)
    ax = plot.PrincipalAxesDisplay.from_estimator(learnable.PCA().fit(X), X).ax_
    ax.figure.canvas.draw()
    ends = [note.xy for note in ax.texts if note.arrow_patch is not None]
    assert len(ends) == 2 and all(ax.viewLim.contains(*end) for end in ends)
