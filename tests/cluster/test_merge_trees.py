"""Trees of merges equal scikit-learn's: children, components, leaves, parents and distances."""

import numpy as np
import pytest
import sklearn.cluster as theirs
from sklearn.neighbors import kneighbors_graph

from learnable import AgglomerativeClustering, DataError, ParameterError
from learnable.cluster import linkage_tree, ward_tree

pytestmark = pytest.mark.filterwarnings("ignore:.*(connect|Partial):UserWarning")
GRAPHS = [None, 1, 3]


def rows_and_graph(seed, neighbours):
    X = np.random.default_rng(seed).normal(size=(2 + 9 * seed, 1 + seed % 4))
    return X, None if neighbours is None else kneighbors_graph(X, min(neighbours, len(X) - 1))


def assert_same(ours, reference):
    np.testing.assert_array_equal(np.sort(ours[0], axis=1), np.sort(reference[0], axis=1))
    assert ours[1:3] == reference[1:3]
    np.testing.assert_array_equal(ours[3], reference[3])
    np.testing.assert_allclose(ours[4], reference[4], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("neighbours", GRAPHS)
@pytest.mark.parametrize("count", [None, 1, 2])
def test_ward(seed, neighbours, count):
    X, graph = rows_and_graph(seed, neighbours)
    options = {"connectivity": graph, "n_clusters": None if graph is None or count == len(X) else count}
    reference = theirs.ward_tree(X, **options, return_distance=True)
    assert_same(ward_tree(X, **options, return_distance=True), reference)
    np.testing.assert_array_equal(ward_tree(X, **options)[0], reference[0])


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("neighbours", GRAPHS)
@pytest.mark.parametrize("linkage", ["complete", "average", "single"])
@pytest.mark.parametrize("affinity", ["euclidean", "l1", "cosine", "precomputed"])
def test_pairs(seed, neighbours, linkage, affinity):
    X, graph = rows_and_graph(seed, neighbours)
    X = X if X.shape[1] > 1 else np.hstack([X, X**2])  # in one column all cosines are tied
    table = np.abs(X[:, None] - X[None]).sum(axis=2) if affinity == "precomputed" else X
    for count in [None] if graph is None else [None, 2, 4]:
        given = table, graph, count, linkage, affinity, True
        assert_same(linkage_tree(*given), theirs.linkage_tree(*given))


def test_a_function_of_the_table():
    X = np.random.default_rng(0).normal(size=(30, 2))

    def between(rows):
        return np.abs(rows[:, None] - rows[None]).max(axis=2)

    for linkage in ("complete", "average", "single"):
        options = {"linkage": linkage, "affinity": between, "return_distance": True}
        assert_same(linkage_tree(X, **options), theirs.linkage_tree(X, **options))


def test_the_estimator_keeps_the_same_tree():
    X, graph = rows_and_graph(5, 3)
    children, components, leaves, _, distances = ward_tree(X, connectivity=graph, return_distance=True)
    model = AgglomerativeClustering(connectivity=graph, compute_distances=True).fit(X)
    np.testing.assert_array_equal(model.children_, children)
    np.testing.assert_array_equal(model.distances_, distances)
    assert (model.n_connected_components_, model.n_leaves_) == (components, leaves)


def test_one_dimensional_input_is_one_column_and_n_clusters_may_be_the_number_of_rows():
    np.testing.assert_array_equal(ward_tree([0.0, 5.0, 1.0])[0], [[0, 2], [1, 3]])
    children, _, _, parents = ward_tree([0.0, 5.0, 1.0], connectivity=np.ones((3, 3)), n_clusters=3)
    assert children.shape == (0, 2) and parents.tolist() == [0, 1, 2]


def test_n_clusters_has_an_effect_only_with_connectivity():
    with pytest.warns(UserWarning, match="n_clusters has an effect only with connectivity"):
        assert len(ward_tree([[0.0], [1.0], [5.0]], n_clusters=2)[0]) == 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ward_tree([[1.0]]), DataError, "ward_tree: at least two rows are needed; n_samples = 1"),
        (lambda: ward_tree([[1.0], [2.0]], connectivity=[[1.0]]), DataError, "connectivity must have a row and"),
        (
            lambda: ward_tree([[1.0], [2.0]], n_clusters=3),
            ParameterError,
            "n_clusters=3 is larger than the",
        ),
        (lambda: linkage_tree([[1.0], [2.0]], linkage="ward"), ParameterError, "linkage_tree: linkage must be"),
        (lambda: linkage_tree([[1.0], [2.0]], affinity="no"), ParameterError, "linkage_tree: affinity must be"),
        (
            lambda: linkage_tree([[1.0], [2.0]], affinity="precomputed"),
            DataError,
            "a square distance matrix of the 2 rows",
        ),
    ],
)
def test_invalid_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
