"""Singular values: norms, nearest matrices of small rank, and tables that are not centred."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition

from learnable import (
    ParameterError,
    TruncatedSVD,
    frobenius_norm,
    low_rank,
    nuclear_norm,
    principal_component_pursuit,
    spectral_norm,
    svd,
)
from learnable.decomposition import truncated_svd


def matrix(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, p))


@pytest.mark.parametrize(("n", "p"), [(5, 3), (3, 5), (4, 4)])
def test_decomposition_full_and_compact(n, p):
    A = matrix(n, p)
    for full in (False, True):
        U, s, Vt = svd(A, full_matrices=full)
        np.testing.assert_allclose((U[:, : len(s)] * s) @ Vt[: len(s)], A, atol=1e-12)
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
        np.testing.assert_allclose(Vt @ Vt.T, np.eye(len(Vt)), atol=1e-12)
        assert U.shape == (n, n if full else min(n, p))
    np.testing.assert_allclose(s**2, np.linalg.eigvalsh(A @ A.T)[::-1][: len(s)], atol=1e-12)
    np.testing.assert_allclose(svd(A).inverse(), np.linalg.pinv(A), atol=1e-12)


def test_rank_and_pseudo_inverse_of_a_singular_matrix():
    A = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])
    assert svd(A).rank == 1
    np.testing.assert_allclose(svd(A).inverse(), np.linalg.pinv(A), atol=1e-12)


def test_norms_come_from_singular_values():
    A = matrix(6, 4)
    s = np.linalg.svd(A, compute_uv=False)
    assert frobenius_norm(A) ** 2 == pytest.approx((s**2).sum())
    assert spectral_norm(A) == pytest.approx(s[0])
    assert nuclear_norm(A) == pytest.approx(s.sum())
    for size in (1e200, 1e-200):
        assert frobenius_norm(A * size) == pytest.approx(frobenius_norm(A) * size)
    stretched = np.random.default_rng(1).standard_normal((4, 1000))
    assert (np.linalg.norm(A @ stretched, axis=0) / np.linalg.norm(stretched, axis=0)).max() <= spectral_norm(A)


@pytest.mark.parametrize("rank", [0, 1, 2, 4])
def test_the_nearest_matrix_of_small_rank(rank):
    A = matrix(6, 4)
    U, _, Vt = svd(A)
    found = low_rank(A, rank)
    np.testing.assert_allclose(found.matrix, U[:, :rank] @ U[:, :rank].T @ A, atol=1e-12)
    np.testing.assert_allclose(found.matrix, A @ Vt[:rank].T @ Vt[:rank], atol=1e-12)
    assert found.frobenius_error == pytest.approx(frobenius_norm(A - found.matrix), abs=1e-12)
    assert found.spectral_error == pytest.approx(spectral_norm(A - found.matrix), abs=1e-12)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        other = rng.standard_normal((6, rank)) @ rng.standard_normal((rank, 4))
        assert frobenius_norm(A - other) >= found.frobenius_error


def test_a_negative_rank_is_refused():
    with pytest.raises(ParameterError, match="low_rank: rank must be at least 0"):
        low_rank([[1.0]], -1)


@pytest.mark.parametrize(("n", "p", "square"), [(300, 40, 2000), (40, 300, 2000), (300, 200, 10), (200, 300, 10)])
@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
def test_truncated_equals_scikit_learn(n, p, square, algorithm, monkeypatch):
    monkeypatch.setattr(truncated_svd, "SQUARE", square)  # from which on random directions are drawn
    thin = scipy.sparse.random_array((n, p), density=0.05, rng=0, format="csr")
    strong = scipy.sparse.csr_array(np.outer(np.arange(n) % 7 == 0, np.arange(p) % 5 == 0) * 1.0)
    X = scipy.sparse.csr_array(thin + strong)
    theirs = sklearn.decomposition.TruncatedSVD(1, algorithm="arpack", random_state=0).fit(X)
    ours = TruncatedSVD(1, algorithm=algorithm, random_state=0).fit(X)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-7)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-4)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-4)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-4)


def test_few_dense_rows_of_many_columns():
    X = matrix(30, 2500)
    ours = TruncatedSVD(3).fit(X)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(ours.singular_values_, s[:3])
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(U[:, :3] * s[:3]), atol=1e-8)


def test_pursuit_separates_low_rank_from_sparse_entries():
    rng = np.random.default_rng(0)
    low = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 40))
    odd = np.where(rng.random(low.shape) < 0.05, 10 * rng.standard_normal(low.shape), 0)
    found = principal_component_pursuit(low + odd)
    assert found.rank == 3
    np.testing.assert_allclose(found.low_rank, low, atol=1e-4)
    np.testing.assert_allclose(found.sparse, odd, atol=1e-4)
    assert found.trace.certificate.holds
    with pytest.raises(ParameterError, match="strength"):
        principal_component_pursuit(low, strength=-1.0)
