"""Pictures of groups show what was computed."""

import matplotlib as mpl
import numpy as np
import pytest

from learnable import AgglomerativeClustering, k_distances, linkage
from learnable.plot import DendrogramDisplay, KDistanceDisplay

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
