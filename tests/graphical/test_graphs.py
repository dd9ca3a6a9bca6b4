"""Graphs: structures as users write them, d-separation, equivalence, adjustment."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest

import learnable
from learnable.graphical import BayesianNetwork, TabularCPD
from learnable.graphical._dag import DAG
from learnable.graphical._equivalence import adjacency, cpdag, extension, graph_of, hamming_distance, v_structures
from tests.graphical.random_networks import random_categorical, random_parents

ROWS = np.array([["a", "b", "c"], ["x", "y", "z"], ["a", "y", "c"]], dtype=object)


class Graph:
    """A graph as networkx has it."""

    def nodes(self):
        return ["A", "B", "C"]

    def edges(self):
        return [("A", "C"), ("B", "C")]


@pytest.mark.parametrize(
    "structure",
    [
        [("A", "C"), ("B", "C")],
        "A->C<-B",
        "A -> C; B -> C",
        "[A][B][C|A:B]",
        {"C": ["A", "B"]},
        Graph(),
        [(0, 2), (1, 2)],
        [("A", "C"), ("B", "C"), ("A", "C")],
    ],
)
def test_structures_are_read_in_every_notation(structure):
    import pandas

    network = BayesianNetwork(structure).fit(pandas.DataFrame(ROWS, columns=["A", "B", "C"]))
    assert set(network.edges_) == {("A", "C"), ("B", "C")}
    assert network.model_string() == "[A][B][C|A:B]"


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ([("A", "B"), ("B", "C"), ("C", "A")], "cycle"),
        ("A->A", "cycle"),
        ("A->", "not a chain of nodes"),
        ("A--B", "not a chain of nodes"),
        ("[A][B|D]", "parent 'D', but not the node"),
        ("[A][A]", "the node 'A' twice"),
        ("[A]x[B]", "is not a node"),
        ("A->D", "'D' in structure is not a column"),
        ([("A", "B", "C")], "structure must be pairs"),
    ],
)
def test_bad_structures_are_refused(structure, said):
    import pandas

    with pytest.raises(learnable.ParameterError, match=said):
        BayesianNetwork(structure).fit(pandas.DataFrame(ROWS, columns=["A", "B", "C"]))


@pytest.mark.parametrize("seed", range(6))
def test_d_separation_agrees_with_numeric_independence(seed):
    network = random_categorical(seed, nodes=5, most=2)
    nodes = [f"n{v}" for v in range(5)]
    for a, b in combinations(nodes, 2):
        rest = [node for node in nodes if node not in (a, b)]
        for size in range(3):
            for given in combinations(rest, size):
                separated = network.d_separated(a, b, given)
                assert separated == path_is_blocked(network, a, b, given)
                assert network.independent(a, b, given) == separated  # random tables have no other independences


def path_is_blocked(network, a, b, given):
    """d-separation by its definition: every path has a blocked node."""
    edges = set(network.edges_)
    below = {node: set(network.descendants(node)) for node in network.nodes_}
    near = {node: {y for x, y in edges if x == node} | {x for x, y in edges if y == node} for node in network.nodes_}

    def open_from(path):
        node = path[-1]
        if node == b:
            return True
        for step in near[node] - set(path):
            if len(path) > 1:
                collider = (path[-2], node) in edges and (step, node) in edges
                if collider != bool(below[node] & set(given)) if collider else node in given:
                    continue
            if open_from([*path, step]):
                return True
        return False

    return not open_from([a])


def test_independence_need_not_show_in_the_graph():
    same = TabularCPD("y", 2, [[0.3, 0.3], [0.7, 0.7]], ["x"], [2])
    network = BayesianNetwork.from_cpds([TabularCPD("x", 2, [[0.4], [0.6]]), same])
    assert network.independent("x", "y") and not network.d_separated("x", "y")


def test_blankets_and_moral_graphs():
    graph = DAG(((), (), (0, 1), (2,), (3,), (2, 6), ()))
    assert graph.blanket(2) == {0, 1, 3, 5, 6}
    assert graph.moral_neighbours()[0] == {1, 2} and graph.moral_neighbours()[2] == {0, 1, 3, 5, 6}
    assert graph.d_separated([0], [1]) and not graph.d_separated([0], [1], [4])


@cache
def graphs_of(size):
    """All directed acyclic graphs of this many nodes."""
    pairs = list(combinations(range(size), 2))
    seen = set()
    for choice in product((0, 1, 2), repeat=len(pairs)):
        edges = [(a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, choice, strict=True) if way]
        for order in permutations(range(size)):
            if all(order.index(a) < order.index(b) for a, b in edges):
                seen.add(tuple(sorted(edges)))
                break
    return [DAG(tuple(tuple(a for a, b in edges if b == child) for child in range(size))) for edges in sorted(seen)]


def test_equivalence_classes_are_those_of_all_graphs_of_four_nodes():
    graphs = graphs_of(4)
    assert len(graphs) == 543
    classes = {}
    for graph in graphs:
        joined = adjacency(graph) | adjacency(graph).T
        classes.setdefault((joined.tobytes(), tuple(sorted(v_structures(graph)))), []).append(graph)
    assert len(classes) == 185
    for members in classes.values():
        expected = np.logical_or.reduce([adjacency(graph) for graph in members])
        for graph in members:
            np.testing.assert_array_equal(cpdag(graph), expected)
        made = extension(expected)
        assert made is not None and any(np.array_equal(made, adjacency(graph)) for graph in members)


def test_hamming_distance_counts_edges():
    first, second = graph_of(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)), DAG(((1,), (), ()))
    assert hamming_distance(adjacency(first), adjacency(second)) == 2


def test_adjustment_sets_block_the_paths_behind_a_treatment():
    parents = {"treatment": ["season", "age"], "outcome": ["treatment", "age", "season"], "side": ["treatment"]}
    states = {name: [0, 1] for name in ("season", "age", "treatment", "outcome", "side")}
    cpds = []
    for name in states:
        above = parents.get(name, [])
        columns = 2 ** len(above)
        cpds.append(TabularCPD(name, 2, [[0.3] * columns, [0.7] * columns], above, [2] * len(above)))
    network = BayesianNetwork.from_cpds(cpds)
    assert network.adjustment_sets("treatment", "outcome") == [["season", "age"]]
    assert network.adjustment_sets("treatment", "side") == [[]]
    assert network.adjustment_sets("outcome", "treatment") == []


def test_a_cpdag_names_arcs_that_are_compelled():
    network = random_categorical(1)
    directed, either = network.cpdag()
    matrix = cpdag(network._network.graph)
    assert len(directed) == int((matrix & ~matrix.T).sum()) and len(either) * 2 == int((matrix & matrix.T).sum())


@pytest.mark.parametrize("seed", range(3))
def test_orders_have_parents_first(seed):
    parents = random_parents(np.random.default_rng(seed), 12)
    graph = DAG(tuple(tuple(parents[v]) for v in range(12)))
    rank = {v: k for k, v in enumerate(graph.order)}
    assert all(rank[a] < rank[b] for a, b in graph.edges)
