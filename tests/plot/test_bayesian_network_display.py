"""The drawing of Bayesian networks: layers, crossings, tables, and text from data."""

import warnings
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest

import learnable

matplotlib.use("agg")

from learnable import BayesianNetwork, ParameterError, TabularCPD
from learnable.plot import BayesianNetworkDisplay
from learnable.plot._layered_layout import layered_layout


def sprinkler():
    names = {name: ["no", "yes"] for name in ("rain", "sprinkler", "wet")}
    return BayesianNetwork.from_cpds(
        [
            TabularCPD("rain", 2, [[0.8], [0.2]], state_names=names),
            TabularCPD("sprinkler", 2, [[0.6, 0.99], [0.4, 0.01]], ["rain"], [2], names),
            TabularCPD("wet", 2, [[1, 0.1, 0.2, 0.01], [0, 0.9, 0.8, 0.99]], ["sprinkler", "rain"], [2, 2], names),
        ]
    )


def test_edges_point_downwards_and_nodes_do_not_overlap():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(2, 25))
        parents = [[u for u in range(v) if rng.random() < 0.15] for v in range(n)]
        widths = rng.uniform(0.5, 2.0, n)
        layers = layered_layout(parents, widths)
        for v, its in enumerate(parents):
            assert all(layers.layer[u] < layers.layer[v] for u in its)
        for a in range(n):
            for b in range(a):
                if layers.layer[a] == layers.layer[b]:
                    assert abs(layers.x[a] - layers.x[b]) >= (widths[a] + widths[b]) / 2 - 1e-9


def test_a_tree_has_no_crossings():
    parents = [[], [0], [0], [0], [2], [1], [3], [2]]
    layers = layered_layout(parents, np.ones(8))
    edges = [(layers.x[u], layers.x[v], layers.layer[v]) for v, its in enumerate(parents) for u in its]
    crossings = [(a, b) for a in edges for b in edges if a[2] == b[2] and (a[0] - b[0]) * (a[1] - b[1]) < -1e-9]
    assert crossings == []


def test_a_long_edge_passes_the_nodes_between():
    layers = layered_layout([[], [0], [0, 1]], np.ones(3))
    assert layers.edges[0, 2].shape == (3, 2)
    assert abs(layers.edges[0, 2][1, 0] - layers.x[1]) > 0.5


def test_tables_are_shown_on_demand():
    model = sprinkler()
    plain = BayesianNetworkDisplay.from_estimator(model)
    shown = BayesianNetworkDisplay.from_estimator(model, cpts=["wet"])
    assert plain.tables == {}
    assert list(shown.tables) == ["wet"]
    assert len(shown.tables["wet"]) == 5  # a heading and four configurations
    assert "0.99" in shown.tables["wet"][-1]
    assert set(BayesianNetworkDisplay.from_estimator(model, cpts=True).tables) == {"rain", "sprinkler", "wet"}
    texts = [text.get_text() for text in shown.ax_.texts]
    assert "rain" in texts
    assert len(texts) > len([text.get_text() for text in plain.ax_.texts])
    with pytest.raises(ParameterError, match="no 'snow'"):
        BayesianNetworkDisplay.from_estimator(model, cpts=["snow"])
    with pytest.raises(ParameterError, match="a model with nodes_ is needed"):
        BayesianNetworkDisplay.from_estimator(learnable.GaussianNB().fit([[0.0], [1.0]], [0, 1]))


def test_the_svg_is_well_formed_and_escapes_names():
    display = BayesianNetworkDisplay(["<script>", "a&b"], [("<script>", "a&b")], {"a&b": ["x < y"]})
    root = ET.fromstring(display.svg())
    texts = [element.text.replace("\u00a0", " ") for element in root.iter() if element.tag.endswith("text")]
    assert texts == ["<script>", "a&b", "x < y"]
    assert display._repr_svg_() == display.svg()


def test_names_are_not_parsed_as_mathematics():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = BayesianNetworkDisplay(["$x_1$", "b"], [("$x_1$", "b")]).plot()
        display.figure_.canvas.draw()
