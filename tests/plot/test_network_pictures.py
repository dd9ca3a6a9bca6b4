"""Pictures of computational graphs and networks."""

import matplotlib

matplotlib.use("Agg")

import pytest
from matplotlib import pyplot

from learnable import plot
from learnable.tape import Tensor


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def test_graphs_show_values_and_gradients_and_go_from_left_to_right():
    x, y, z = Tensor(-2.0), Tensor(5.0), Tensor(-4.0)
    display = plot.GraphDisplay.from_tensor((x + y) * z * 2.0, {"x": x, "y": y, "z": z})
    texts = [text.get_text() for text in display.ax_.texts if text.get_text()]
    inputs, computed = ["x", "-2", "-8", "y", "5", "-8", "z", "-4", "6"], ["+", "3", "-8", "*", "-12", "2"]
    assert texts == [*inputs, *computed, "* 2", "-24", "1"]
    positions = display.positions()
    assert len(set(positions.values())) == 6
    for node in display.graph.nodes:
        assert all(positions[name][0] < positions[node.name][0] for name in node.parents if name in positions)
    arrows = [text for text in display.ax_.texts if getattr(text, "arrow_patch", None) is not None]
    assert len(arrows) == 5


def test_arrays_are_shown_by_their_shape():
    x = Tensor([[1.0, 2.0]])
    texts = [text.get_text() for text in plot.GraphDisplay.from_tensor((x * x).sum()).ax_.texts]
    assert "1x2" in texts and "5" in texts
