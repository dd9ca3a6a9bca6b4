"""Matrices of a known kind."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core.errors import ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating()
def make_spd_matrix(n_dim: int, *, random_state: RandomState = None) -> Array:
    """A random symmetric positive-definite matrix   U (1 + diag(u)) U',   u uniform in [0, 1], U orthogonal.

    The same seed gives scikit-learn's matrix, up to rounding.

    >>> A = make_spd_matrix(3, random_state=0)
    >>> bool(np.allclose(A, A.T)), bool((np.linalg.eigvalsh(A) > 0).all())
    (True, True)
    """
    draws = stream(random_state)
    A = draws.uniform(size=(n_dim, n_dim))
    U, _, V = np.linalg.svd(A.T @ A)
    product: Array = U @ (1.0 + np.diag(draws.uniform(size=n_dim))) @ V
    return product


@generating()
def make_sparse_spd_matrix(
    n_dim: int = 1,
    *,
    alpha: float = 0.95,
    norm_diag: bool = False,
    smallest_coef: float = 0.1,
    largest_coef: float = 0.9,
    sparse_format: Literal["bsr", "coo", "csc", "csr", "dia", "dok", "lil"] | None = None,
    random_state: RandomState = None,
) -> Any:
    """A sparse symmetric positive-definite matrix   L'L,   L = -I + few entries below a permuted diagonal.

    A share alpha of those entries is 0, the others uniform between smallest_coef and largest_coef. norm_diag makes the
    diagonal 1. The product is less sparse than L.

    >>> A = make_sparse_spd_matrix(20, alpha=0.9, random_state=0)
    >>> bool((np.linalg.eigvalsh(A) > 0).all())
    True
    """
    from scipy import sparse

    draws = stream(random_state)
    below = np.tril(draws.uniform(size=(n_dim, n_dim)) >= alpha, -1) * draws.uniform(
        smallest_coef, largest_coef, (n_dim, n_dim)
    )
    order = draws.permutation(n_dim)
    L = sparse.csc_matrix(below[np.ix_(order, order)].T - np.eye(n_dim))
    A = L.T @ L
    if norm_diag:
        scale = sparse.diags(1 / np.sqrt(A.diagonal()))
        A = scale @ A @ scale
    return A.toarray() if sparse_format is None else A.asformat(sparse_format)


@generating()
def make_sparse_coded_signal(
    n_samples: int, *, n_components: int, n_features: int, n_nonzero_coefs: int, random_state: RandomState = None
) -> tuple[Array, Array, Array]:
    """Signals that are sparse combinations of the atoms of a dictionary:   Y = X D.

    Returns Y (samples by features), D (components by features, rows of length 1) and the code X (samples by components,
    n_nonzero_coefs normal entries a row). The same seed gives the same data as scikit-learn's function of this name.

    >>> Y, D, X = make_sparse_coded_signal(4, n_components=6, n_features=5, n_nonzero_coefs=2, random_state=0)
    >>> bool(np.allclose(Y, X @ D)), (X != 0).sum(axis=1).tolist()
    (True, [2, 2, 2, 2])
    """
    if n_nonzero_coefs > n_components:
        raise ParameterError(
            f"make_sparse_coded_signal: n_nonzero_coefs must be at most n_components={n_components}; "
            f"got {n_nonzero_coefs}"
        )
    draws = stream(random_state)
    D = draws.standard_normal((n_features, n_components))
    D /= np.sqrt((D**2).sum(axis=0))
    X = np.zeros((n_components, n_samples))
    for column in range(n_samples):
        atoms = np.arange(n_components)
        draws.shuffle(atoms)
        X[atoms[:n_nonzero_coefs], column] = draws.standard_normal(n_nonzero_coefs)
    return np.squeeze((D @ X).T), np.squeeze(D.T), np.squeeze(X.T)


@generating()
def make_low_rank_with_outliers(
    n_samples: int = 100,
    n_features: int = 50,
    *,
    rank: int = 5,
    outliers: float = 0.05,
    size: float = 10.0,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    """Low-rank matrix plus sparse outliers:   M = L + S.

    Returns M, L (rank `rank`, entries of unit variance) and S, zero but for a share `outliers` of its entries, which
    are uniform within +-size: what robust PCA takes apart again. [Candes et al., 2011]

    >>> M, L, S = make_low_rank_with_outliers(random_state=0)
    >>> int(np.linalg.matrix_rank(L)), round(float((S != 0).mean()), 2)
    (5, 0.05)
    """
    draws = stream(random_state)
    L = draws.standard_normal((n_samples, rank)) @ draws.standard_normal((rank, n_features)) / np.sqrt(rank)
    wild = draws.permutation(L.size) < round(outliers * L.size)
    S = wild.reshape(L.shape) * draws.uniform(-size, size, L.shape)
    return L + S, L, S
