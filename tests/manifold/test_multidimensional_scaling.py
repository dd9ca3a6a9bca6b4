"""Multidimensional scaling: worked numbers, exact recovery, scikit-learn's coordinates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold as theirs

from learnable.core import DataError
from learnable.manifold import ClassicalMDS


def equidistant(n):
    return np.ones((n, n)) - np.eye(n)


@pytest.mark.parametrize(("n", "diagonal", "beside"), [(3, 1 / 3, -1 / 6), (4, 0.375, -0.125)])
def test_triangle_and_tetrahedron(n, diagonal, beside):  # W-45, W-46
    D = equidistant(n)
    H = np.eye(n) - 1 / n
    B = -H @ (D * D) @ H / 2
    np.testing.assert_allclose(np.diag(B), diagonal)
    np.testing.assert_allclose(B[0, 1], beside)
    model = ClassicalMDS(n - 1, metric="precomputed").fit(D)
    np.testing.assert_allclose(model.eigenvalues_, 0.5)
    np.testing.assert_allclose(pdist(model.embedding_), 1)
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-15)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 2**20))
def test_euclidean_distances_are_recovered(n, p, seed):
    X = np.random.default_rng(seed).standard_normal((n, p))
    D = squareform(pdist(X))
    for model in (ClassicalMDS(p, metric="precomputed"), ClassicalMDS(p)):
        found = model.fit(D if model.metric == "precomputed" else X).embedding_ if n > p else None
        if found is not None:
            np.testing.assert_allclose(squareform(pdist(found)), D, atol=1e-7 * D.max())


@pytest.mark.parametrize("n", [80, 700])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_coordinates_are_those_of_scikit_learn(n, metric):
    X = np.random.default_rng(1).standard_normal((n, 6)) * [9, 5, 3, 2, 1, 0.5]
    ours, scikit = ClassicalMDS(3, metric=metric).fit(X), theirs.ClassicalMDS(3, metric=metric).fit(X)
    np.testing.assert_allclose(ours.embedding_, scikit.embedding_, atol=1e-7 * np.abs(scikit.embedding_).max())
    np.testing.assert_allclose(ours.eigenvalues_, scikit.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(ours.dissimilarity_matrix_, scikit.dissimilarity_matrix_, atol=1e-6)
    assert ours.certificate_.holds


def test_new_rows_are_placed_by_their_distances():
    X = np.random.default_rng(2).standard_normal((50, 2))
    for metric in ("euclidean", "precomputed"):
        D = squareform(pdist(X))
        given, new = (X[:40], X[40:]) if metric == "euclidean" else (D[:40, :40], D[40:, :40])
        model = ClassicalMDS(2, metric=metric).fit(given)
        together = np.vstack([model.embedding_, model.transform(new)])
        np.testing.assert_allclose(squareform(pdist(together)), D, atol=1e-9)


def test_negative_eigenvalues_are_dropped_and_named():
    D = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0.0]])  # no such points exist
    with pytest.warns(UserWarning, match="2 of 4 eigenvalues are positive"):
        found = ClassicalMDS(4, metric="precomputed").fit(D)
    assert np.isfinite(found.embedding_).all() and (found.eigenvalues_[2:] == 0).all()


def test_dissimilarities_that_are_none_are_refused():
    for bad in (np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[0.0, -1.0], [-1.0, 0.0]]), np.ones((2, 3))):
        with pytest.raises(DataError, match=r"symmetric|square"):
            ClassicalMDS(metric="precomputed").fit(bad)
