"""Biclusters: planted ones are found, as scikit-learn finds them; exact singular vectors; sparse tables, extremes."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import SpectralBiclustering as TheirBiclustering
from sklearn.cluster import SpectralCoclustering as TheirCoclustering

import learnable
from learnable.cluster import SpectralBiclustering, SpectralCoclustering
from learnable.datasets import make_biclusters, make_checkerboard
from learnable.decomposition import randomized_svd
from learnable.metrics import consensus_score


@pytest.mark.parametrize("mini_batch", [False, True])
def test_planted_biclusters_are_found(mini_batch):
    X, rows, columns = make_biclusters((60, 40), 4, noise=2, random_state=0)
    model = SpectralCoclustering(4, mini_batch=mini_batch, random_state=0).fit(X)
    assert consensus_score(model.biclusters_, (rows, columns)) == 1.0
    assert model.certificate_.holds


@pytest.mark.parametrize("method", ["bistochastic", "scale", "log"])
def test_a_planted_checkerboard_is_found(method):
    X, rows, columns = make_checkerboard((60, 40), (4, 3), noise=2, random_state=0)
    model = SpectralBiclustering((4, 3), method=method, random_state=0).fit(X)
    assert consensus_score(model.biclusters_, (rows, columns)) == 1.0
    assert model.rows_.shape == (12, 60) and model.columns_.shape == (12, 40)


def test_biclusters_are_those_of_scikit_learn_where_noise_hides_some():
    X, _, _ = make_biclusters((50, 40), 3, noise=25, random_state=1)
    ours = SpectralCoclustering(3, random_state=0, n_init=30).fit(X)
    theirs = TheirCoclustering(3, random_state=0, n_init=30, n_svd_vecs=30).fit(X)
    assert consensus_score(ours.biclusters_, theirs.biclusters_) == 1.0
    X, _, _ = make_checkerboard((50, 40), (3, 2), noise=3, random_state=1)
    ours = SpectralBiclustering((3, 2), random_state=0, n_init=30).fit(X)
    theirs = TheirBiclustering((3, 2), random_state=0, n_init=30, n_svd_vecs=30).fit(X)
    assert consensus_score(ours.biclusters_, theirs.biclusters_) == 1.0


def test_members_of_a_bicluster():
    X = np.kron(np.eye(3), np.ones((4, 2)))
    model = SpectralCoclustering(3, random_state=0).fit(X)
    for k in range(3):
        rows, columns = model.get_indices(k)
        assert model.get_shape(k) == (4, 2) == (len(rows), len(columns))
    for wrong in (99, -99, 1.5, "a"):
        with pytest.raises(learnable.ParameterError, match="i must be the index of one of"):
            model.get_shape(wrong)
        assert (model.get_submatrix(k, X) == 1).all()
        assert np.array_equal(model.get_submatrix(k, X), X[np.ix_(rows, columns)])
    with pytest.raises(learnable.DataError, match="3 rows"):
        model.get_submatrix(0, X[:3])


@pytest.mark.parametrize(
    "model",
    [SpectralCoclustering(3, random_state=0), SpectralBiclustering(3, method="scale", random_state=0)],
)
def test_sparse_tables_and_units_give_the_same_biclusters(model):
    X, _, _ = make_biclusters((40, 30), 3, noise=0.1, minval=5, random_state=0)
    X = np.where(X < 1, 0.0, X)
    plain = learnable.clone(model).fit(X)
    for same in (csr_array(X), X * 2.0**1000, X * 2.0**-1000, X.astype(np.float32)):
        assert consensus_score(learnable.clone(model).fit(same).biclusters_, plain.biclusters_) == 1.0


def test_rows_and_columns_of_zeros_have_a_cluster():
    X = np.kron(np.eye(2), np.ones((5, 4)))
    X[0], X[:, 0] = 0, 0
    model = SpectralCoclustering(2, random_state=0).fit(X)
    assert len(set(model.row_labels_[1:5])) == 1 and len(set(model.row_labels_[5:])) == 1
    assert model.row_labels_[1] != model.row_labels_[5]


def test_tables_that_cannot_be_used():
    X = np.random.RandomState(0).randn(8, 6)
    with pytest.raises(learnable.DataError, match="negative entries"):
        SpectralCoclustering(2).fit(csr_array(X))
    with pytest.raises(learnable.DataError, match="logarithm of every entry"):
        SpectralBiclustering(2, method="log").fit(csr_array(np.abs(X)))
    with pytest.raises(learnable.ParameterError, match="n_best=5 must be at most n_components=4"):
        SpectralBiclustering(2, n_components=4, n_best=5).fit(X)
    for wrong in ((2, 3, 4), 0, (0, 2), "two", 2.5):
        with pytest.raises(ValueError, match="n_clusters"):
            SpectralBiclustering(wrong).fit(X)


@pytest.mark.parametrize("shape", [(200, 60), (60, 200), (30, 30)])
@pytest.mark.parametrize("sparse", [False, True])
def test_randomized_svd_finds_the_largest_singular_values(shape, sparse):
    A = np.random.RandomState(0).randn(*shape) @ np.diag(0.9 ** np.arange(shape[1]))
    A = np.where(np.abs(A) > 1, A, 0.0) if sparse else A
    exact = np.linalg.svd(A, compute_uv=False)[:5]
    U, s, Vt = randomized_svd(csr_array(A) if sparse else A, 5, random_state=0)
    assert np.allclose(s, exact, rtol=1e-10)
    assert np.allclose(U.T @ U, np.eye(5), atol=1e-10) and np.allclose(Vt @ Vt.T, np.eye(5), atol=1e-10)
    assert np.allclose(A @ Vt.T, U * s, atol=1e-7 * s[0])
    assert (Vt[np.arange(5), np.abs(Vt).argmax(axis=1)] > 0).all()


def test_randomized_svd_of_extreme_and_of_deficient_tables():
    A = np.outer(np.arange(1.0, 9.0), np.arange(1.0, 6.0))
    found = randomized_svd(A * 2.0**900, 3, random_state=0)
    assert np.allclose(found.s[0] / 2.0**900, np.linalg.norm(A), rtol=1e-12) and found.rank == 1
    assert np.allclose(found.U.T @ found.U, np.eye(3), atol=1e-10)
    with pytest.raises(learnable.ParameterError, match="n_components=6"):
        randomized_svd(A, 6)
