"""Plots of centroid-based clusterings show what the models predict."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PathCollection

import learnable
from learnable import DBSCAN, FuzzyCMeans, KMeans, choose_clusters
from learnable.plot import ClusterChoiceDisplay, ClusterDisplay, QuantizedImageDisplay


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[np.arange(90) % 3] + rng.normal(size=(90, 2))


def test_regions_are_those_of_the_nearest_centre():
    X = rows()
    model = KMeans(3, random_state=0).fit(X)
    display = ClusterDisplay.from_estimator(model, X, grid_resolution=20)
    across, up, predictions = display.regions
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    nearest = ((grid[..., None, :] - model.cluster_centers_) ** 2).sum(axis=-1).argmin(axis=-1)
    np.testing.assert_array_equal(predictions, nearest)
    np.testing.assert_array_equal(display.labels, model.labels_)
    assert len(display.ax_.collections) >= 4
    with pytest.raises(learnable.DataError, match="two columns"):
        ClusterDisplay.from_estimator(KMeans(2).fit(np.eye(3)), np.eye(3))


def test_noise_belongs_to_no_group():
    X = np.vstack([rows(), [[30.0, 30.0]]])
    model = DBSCAN(eps=2.0).fit(X)
    display = ClusterDisplay.from_estimator(model, X)
    np.testing.assert_array_equal(display.labels, model.labels_)
    drawn = {part.get_label(): part for part in display.ax_.collections if isinstance(part, PathCollection)}
    assert list(drawn) == ["noise", "cluster 1", "cluster 2", "cluster 3"]
    np.testing.assert_array_equal(drawn["noise"].get_offsets(), [[30.0, 30.0]])
    assert len({tuple(part.get_facecolor()[0]) for part in drawn.values()}) == 4


def test_steps_show_a_decreasing_objective():
    X = rows()
    shown = ClusterDisplay.over_steps(KMeans(3, init=X[:3], tol=0), X, (1, 3))
    assert len(shown) == 2 and "step 1:" in shown[0].ax_.get_title()


@pytest.mark.parametrize("random_state", [None, 3, np.random.RandomState(0)])
def test_steps_are_those_of_one_run_and_end_where_it_does(random_state):
    X = np.random.default_rng(0).random((300, 2))
    model = KMeans(9, init="random", n_init=5, random_state=random_state, tol=0)
    for _ in range(3):
        titles = [shown.ax_.get_title() for shown in ClusterDisplay.over_steps(model, X, (1, 2, 3, 4, 300, 600))]
        sums = [float(title.split()[-1]) for title in titles]
        assert sums == sorted(sums, reverse=True)
        assert titles[-1].startswith("converged after") and len(titles) == 5


def test_memberships_make_points_pale():
    X = rows()
    display = ClusterDisplay.from_estimator(FuzzyCMeans(3, random_state=0).fit(X), X, regions=False)
    assert display.strength.shape == (90,) and display.regions is None


def test_the_choice_is_marked():
    choice = choose_clusters(KMeans(random_state=0), rows(), range(1, 6))
    display = ClusterChoiceDisplay.from_choice(choice)
    assert display.best == 3 and display.ax_.get_ylabel() == "sum of squared distances"


def test_no_choice_and_a_level_to_reach():
    ends = np.array([[0.2, 0.1], [0.05, 0.0]])
    display = ClusterChoiceDisplay(np.array([2, 3]), np.array([0.5, 0.4]), ends, None, "agreement", 0.75).plot()
    flat = [line.get_ydata() for line in display.ax_.lines if line.get_linestyle() == ":"]
    assert flat == [[0.75, 0.75]] and not list(display.ax_.texts)
    (bars,) = display.ax_.collections
    np.testing.assert_allclose([bar[:, 1] for bar in bars.get_segments()], [(0.3, 0.55), (0.3, 0.4)])
    assert display.ax_.get_ylabel() == "adjusted Rand index of two subsamples"


def test_eight_clusters_have_eight_colours():
    display = ClusterDisplay(np.arange(32.0).reshape(16, 2), np.repeat(range(8), 2), None, ["a", "b"]).plot()
    assert len({tuple(dots.get_facecolor()[0]) for dots in display.ax_.collections}) == 8


def test_an_image_with_fewer_and_fewer_colours():
    image = np.random.default_rng(0).integers(0, 255, (12, 10, 3)).astype(np.uint8)
    display = QuantizedImageDisplay.from_image(image, (8, 2), random_state=0)
    assert len(display.axes_) == 3 and len(display.quantized[1].palette) == 2
