"""Pictures of groups show what was computed."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

from learnable import OPTICS, AgglomerativeClustering, SpectralClustering, k_distances, linkage
from learnable.plot import DendrogramDisplay, KDistanceDisplay, ReachabilityDisplay, SpectralStepsDisplay
from learnable.plot._style import GREY

mpl.use("Agg")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(10, 2)) + centre for centre in (0, 8, 16)])


def test_k_distances(rows):
    drawn, found = KDistanceDisplay.from_data(rows, 4), k_distances(rows, 4)
    np.testing.assert_array_equal(drawn.line_.get_ydata(), found.distances)
    assert drawn.bend_.get_ydata()[0] == found.eps and "neighbour 3" in drawn.ax_.get_ylabel()


def test_dendrograms_colour_their_groups(rows):
    model = AgglomerativeClustering(3, compute_distances=True).fit(rows)
    for drawn in (
        DendrogramDisplay.from_estimator(model),
        DendrogramDisplay.from_linkage(linkage(rows, "ward"), height=6.0),
    ):
        brackets = drawn.lines_.get_segments()
        assert len(brackets) == 29
        np.testing.assert_allclose(sorted(bracket[1, 1] for bracket in brackets), model.distances_)
        colours = {tuple(colour) for colour in drawn.lines_.get_colors()}
        assert len(colours) == 4  # three groups, and what is above
    with pytest.raises(ValueError, match="compute_distances=True"):
        DendrogramDisplay.from_estimator(AgglomerativeClustering(3).fit(rows))


def test_dendrograms_colour_the_groups_of_a_model_also_where_all_merges_are_equally_high():
    model = AgglomerativeClustering(3, linkage="single", compute_distances=True).fit(np.arange(6.0)[:, None])
    drawn = DendrogramDisplay.from_estimator(model)
    colours = [tuple(colour) for colour in drawn.lines_.get_colors()]
    inside = int((np.bincount(model.labels_) - 1).sum())
    grey = tuple(mpl.colors.to_rgba(GREY))
    assert len(colours) == 5 and len(colours) - colours.count(grey) == inside


@pytest.mark.parametrize("count", [5, 25, 50])
def test_names_of_leaves_do_not_overlap(count):
    merges = linkage(np.random.default_rng(0).normal(size=(count, 2)), "ward")
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3))
    drawn = DendrogramDisplay.from_linkage(merges, ax=axes[0])
    figure.canvas.draw()
    names = drawn.ax_.get_xticklabels()
    assert len(names) == count
    points = sorted((text.get_window_extent().x0, text.get_window_extent().x1) for text in names)
    pyplot.close(figure)
    assert all(left[1] <= right[0] + 1 for left, right in pairwise(points))


def test_a_tree_of_many_leaves_names_none():
    merges = linkage(np.random.default_rng(0).normal(size=(300, 2)), "ward")
    assert not DendrogramDisplay.from_linkage(merges).ax_.get_xticklabels()


def test_valleys(rows):
    model = OPTICS(min_samples=3).fit(rows)
    drawn = ReachabilityDisplay.from_estimator(model)
    heights = np.array([bar.get_height() for bar in drawn.bars_])
    np.testing.assert_allclose(heights[1:], model.reachability_[model.ordering_][1:])
    assert np.isfinite(heights[0])


def test_steps_of_spectral_clustering(rows):
    model = SpectralClustering(3, gamma=0.1, random_state=0).fit(rows)
    drawn = SpectralStepsDisplay.from_estimator(model)
    assert [ax.get_title() for ax in drawn.axes_][-1] == "clusters" and len(drawn.edges_.get_segments()) > 30
    values = drawn.axes_[1].lines[0].get_ydata()
    np.testing.assert_allclose(values[:3], model.eigenvalues_, atol=1e-6)
    assert len(values) == 8 and values[3] > 0.1  # three heaps
