"""Pictures of Gaussian classes, class histograms and posteriors hold what they show."""

import warnings

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas
import polars
import pytest
from matplotlib import pyplot

import learnable
from learnable import plot


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def drawn():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 40)
    return rng.normal(size=(120, 2)) + 3 * np.repeat([[0, 0], [1, 0], [0, 1]], 40, axis=0), y


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"])
def test_gaussian_classes(name):
    X, y = drawn()
    model = getattr(learnable, name)().fit(X, y)
    display = plot.GaussianClassesDisplay.from_estimator(model, X, y, points=40)
    own = np.array([np.cov(X[y == label].T, bias=True) for label in "abc"])
    requested = {
        "LinearDiscriminantAnalysis": np.repeat(own.mean(axis=0, keepdims=True), 3, axis=0),
        "QuadraticDiscriminantAnalysis": own,
        "GaussianNB": own * np.eye(2),
    }[name]
    np.testing.assert_allclose(display.covariances, requested, atol=1e-7)
    at = np.column_stack([side.ravel() for side in display.grid])
    np.testing.assert_array_equal(display.classes[display.regions.ravel()], model.predict(at))
    assert len(display.ax_.lines) == 12  # rows, two ellipses and the mean of each class
    with pytest.raises(ValueError, match="two columns"):
        plot.GaussianClassesDisplay.from_estimator(model, X[:, :1], y)


def test_discriminants_of_one_covariance_are_planes():
    X, y = drawn()
    model = learnable.LinearDiscriminantAnalysis().fit(X, y)
    display = plot.DiscriminantSurfaceDisplay.from_estimator(model, X, points=12)
    assert display.heights.shape == (3, 12, 12)
    assert np.abs(np.diff(display.heights, 2, axis=1)).max() < 1e-9
    curved = learnable.QuadraticDiscriminantAnalysis().fit(X, y)
    surface = plot.DiscriminantSurfaceDisplay.from_estimator(curved, X, points=12)
    assert np.abs(np.diff(surface.heights, 2, axis=1)).max() > 1e-3
    sure = plot.DiscriminantSurfaceDisplay.from_estimator(curved, X, what="probabilities", points=12)
    np.testing.assert_allclose(sure.heights.sum(axis=0), 1)
    with pytest.raises(ValueError, match="two columns"):
        plot.DiscriminantSurfaceDisplay.from_estimator(model, X[:, :1])


def test_valleys_between_probabilities_are_seen_to_their_floor():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.normal(size=(400, 2)) @ [[1.0, 0.6], [0.0, 0.6]] + 3.4 * y[:, None] * [1.0, 0.1]
    model = learnable.LinearDiscriminantAnalysis().fit(X, y)
    display = plot.DiscriminantSurfaceDisplay.from_estimator(model, X, what="probabilities")
    crossed = (np.diff(display.heights[0] > 0.5, axis=1)).any(axis=1)
    floor = display.heights.max(axis=0).min(axis=1)[crossed]
    assert crossed.sum() > len(crossed) / 2
    assert floor.max() < 0.58


def test_densities_are_those_of_the_gaussians():
    from scipy.stats import multivariate_normal

    X, y = drawn()
    curved = learnable.QuadraticDiscriminantAnalysis().fit(X, y)
    hills = plot.DiscriminantSurfaceDisplay.from_estimator(curved, X, what="densities", points=9)
    at = np.column_stack([side.ravel() for side in hills.grid])
    for k, label in enumerate("abc"):
        rows = X[y == label]
        density = multivariate_normal(rows.mean(axis=0), np.cov(rows.T, bias=True)).pdf(at)
        np.testing.assert_allclose(hills.heights[k].ravel(), density / 3, rtol=1e-6, atol=1e-12)
    straight = learnable.LinearDiscriminantAnalysis().fit(X, y)
    same = plot.DiscriminantSurfaceDisplay.from_estimator(straight, X, y, what="densities", points=9)
    np.testing.assert_array_equal(straight.classes_[same.heights.argmax(axis=0).ravel()], straight.predict(at))
    with pytest.raises(ValueError, match="needs the classes y"):
        plot.DiscriminantSurfaceDisplay.from_estimator(straight, X, what="densities")


def test_class_histograms():
    X, y = drawn()
    display = plot.ClassHistogramDisplay.from_data(X, y, bins=7, names=["height", "width"])
    assert display.names == ["height", "width"] and display.axes_.shape == (1, 2)
    for j in range(2):
        for k, label in enumerate("abc"):
            count, _ = np.histogram(X[y == label, j], display.edges[j])
            np.testing.assert_allclose(display.shares[j][k], count / 40)
    assert plot.ClassHistogramDisplay.from_data(X, y, columns=[1], draw=False).names == ["x1"]


def test_posteriors():
    prior = learnable.BetaBinomial(2, 2)
    display = plot.PosteriorDisplay.from_models({"prior": prior, "after": prior.posterior(7, 3)})
    np.testing.assert_allclose(display.densities["prior"], prior.density(display.grid))
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["prior", "after"]
    unknown = learnable.NormalInverseGamma(0, 1, 2, 2)
    means = plot.PosteriorDisplay.from_models({"prior": unknown, "after": unknown.posterior([1.0, 2.0, 1.5])})
    np.testing.assert_allclose(means.densities["prior"], unknown.density_of_mean(means.grid))
    assert means.unknown == "mean" and display.unknown == "chance"


def test_probabilities_of_outcomes_are_margins_of_the_dirichlet():
    die = learnable.DirichletMultinomial([1.0, 2.0, 4.0])
    display = plot.PosteriorDisplay.from_outcomes(die, names=["one", "two", "three"])
    np.testing.assert_allclose(display.densities["three"], learnable.BetaBinomial(4, 3).density(display.grid))
    with pytest.raises(ValueError, match="2 names for 3 outcomes"):
        plot.PosteriorDisplay.from_outcomes(die, names=["one", "two"])


def test_predictions_sum_to_one():
    prior = learnable.BetaBinomial(2, 3)
    display = plot.PredictiveDisplay.from_models({"prior": prior, "after": prior.posterior(4, 1)}, 10)
    np.testing.assert_allclose([display.densities[name].sum() for name in ("prior", "after")], 1)
    assert len(display.ax_.patches) == 22
    unknown = learnable.NormalInverseGamma(0, 1, 4, 2)
    values = plot.PredictiveDisplay.from_models({"prior": unknown})
    assert np.trapezoid(values.densities["prior"], values.values) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize(
    "draw",
    [
        lambda X, y: plot.GaussianClassesDisplay.from_estimator(learnable.LinearDiscriminantAnalysis().fit(X, y), X, y),
        lambda X, y: plot.DiscriminantSurfaceDisplay.from_estimator(
            learnable.QuadraticDiscriminantAnalysis().fit(X, y), X
        ),
        lambda X, y: plot.DecisionBoundaryDisplay.from_estimator(learnable.GaussianNB().fit(X, y), X, y),
        lambda X, y: plot.DensityDisplay.from_estimator(learnable.GaussianDensity().fit(X), X),
    ],
)
def test_models_of_named_columns_predict_with_names(frame, draw):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = frame({"height": rng.normal(size=60) + y, "width": rng.normal(size=60)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = draw(X, y).ax_
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("height", "width")


@pytest.mark.parametrize("place", [-100.0, 0.0, 100.0])
def test_what_is_known_of_a_mean_is_seen_on_both_sides_of_it(place):
    known = learnable.NormalInverseGamma(place, 1, 3, 2).posterior(place + np.linspace(-2, 2, 101))
    density = plot.PosteriorDisplay.from_models({"after": known}).densities["after"]
    np.testing.assert_allclose(density, density[::-1], rtol=1e-6)
    assert density[0] < 0.01 * density.max()


def test_histograms_omit_missing_values_and_accept_column_names():
    X, y = drawn()
    there = np.arange(120) % 3 > 0
    table = pandas.DataFrame({"a": X[:, 0], "b": np.where(there, X[:, 1], np.nan)})
    picture = plot.ClassHistogramDisplay.from_data(table, y, columns=["b"], bins=7)
    whole = plot.ClassHistogramDisplay.from_data(X[there], y[there], columns=[1], bins=7)
    np.testing.assert_allclose(picture.shares, whole.shares)
    assert picture.names == ["b"]
    with pytest.raises(learnable.ParameterError, match="columns must be names or numbers of columns of X; got 'c'"):
        plot.ClassHistogramDisplay.from_data(table, y, columns=["c"])


def test_unknown_surfaces_are_refused():
    X, y = drawn()
    model = learnable.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(learnable.ParameterError, match="what must be one of discriminants, probabilities, densities"):
        plot.DiscriminantSurfaceDisplay.from_estimator(model, X, what="certainty")
