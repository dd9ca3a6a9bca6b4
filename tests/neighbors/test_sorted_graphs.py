"""Graphs sorted by the values of their rows, against scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors as theirs
from sklearn.exceptions import EfficiencyWarning as Theirs

from learnable import KNeighborsClassifier
from learnable.exceptions import EfficiencyWarning
from learnable.neighbors import kneighbors_graph, sort_graph_by_row_values


def a_graph(seed, form=sp.csr_array):
    draws = np.random.default_rng(seed)
    table = draws.integers(0, 4, size=(9, 9)) * (draws.random((9, 9)) < 0.3 + 0.1 * seed)
    return form(table.astype(float))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix])
def test_rows_are_sorted_as_by_scikit_learn(seed, form):
    ours = sort_graph_by_row_values(a_graph(seed, form), copy=True)
    reference = theirs.sort_graph_by_row_values(a_graph(seed, form), copy=True)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, part), getattr(reference, part))
    np.testing.assert_array_equal(ours.toarray(), a_graph(seed).toarray())
    assert type(ours) is type(reference)


def test_rows_of_equally_many_neighbours():
    X = np.random.default_rng(0).normal(size=(30, 2))
    graph = kneighbors_graph(X, 4, mode="distance")
    mixed = graph.copy()
    mixed.sort_indices()
    back = sort_graph_by_row_values(mixed, warn_when_not_sorted=False)
    np.testing.assert_array_equal(back.indices, graph.indices)
    assert back is mixed
    back.sort_indices()  # what SciPy remembers of the order must not be that before
    graph.sort_indices()
    np.testing.assert_array_equal(back.indices, graph.indices)


def test_a_sorted_graph_is_returned_and_an_unsorted_one_warns():
    graph = a_graph(1)
    with pytest.warns(EfficiencyWarning, match="not sorted by their values") as said:
        sorted_now = sort_graph_by_row_values(graph)
    assert issubclass(said[0].category, Theirs)
    assert sorted_now is graph and sort_graph_by_row_values(graph) is graph


def test_a_copy_leaves_the_graph_alone():
    graph = a_graph(2)
    before = graph.indices.copy()
    assert not np.array_equal(sort_graph_by_row_values(graph, copy=True, warn_when_not_sorted=False).indices, before)
    np.testing.assert_array_equal(graph.indices, before)


def test_what_it_sorts_is_taken_as_distances():
    X = np.random.default_rng(3).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    graph = kneighbors_graph(X, 20, mode="distance", include_self=True)
    graph.sort_indices()
    model = KNeighborsClassifier(3, metric="precomputed")
    mixed = model.fit(graph, y).predict(graph)
    ordered = sort_graph_by_row_values(graph, copy=True, warn_when_not_sorted=False)
    np.testing.assert_array_equal(model.fit(ordered, y).predict(ordered), mixed)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        (sp.csc_array([[0.0, 2.0, 1.0]]), ValueError, "copy must be True for a graph in the format csc"),
        (sp.dok_array([[0.0, 2.0, 1.0]]), TypeError, "one of the formats csr, csc, coo, lil"),
        (np.eye(2), ValueError, "graph must be a sparse matrix"),
    ],
)
def test_other_graphs_are_refused(graph, error, message):
    with pytest.raises(error, match=message):
        sort_graph_by_row_values(graph)
