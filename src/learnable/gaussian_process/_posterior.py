"""The posterior of a Gaussian process at new rows: mean, variance and covariance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..core.errors import warn
from ..core.runtime.threads import scipy_linalg
from ._factor import in_parallel
from .kernels import Kernel
from .kernels._pairs import RowPairs

ENTRIES = 2**17  # of a kernel matrix that are computed at once: they stay in the cache
FEWEST_ROWS = 512  # of a block, below which a triangular system with many right-hand sides is slow


def rows_at_once(columns: int) -> int:
    """The number of rows of a block of a kernel matrix with `columns` columns."""
    return max(FEWEST_ROWS, ENTRIES // columns)


class Prediction(NamedTuple):
    """Means (rows, targets) and variances or a covariance matrix of the rows, for targets of variance 1."""

    mean: Array
    variance: Array
    covariance: Array


def forward_solve(L: Array, B: Array) -> Array:
    """V of V L' = B."""
    solve = scipy_linalg().solve_triangular  # of transposes, whose columns are contiguous: nothing is copied
    return np.asarray(solve(L.T, B.T, trans=1, lower=False, check_finite=False).T)


def predictive(
    kernel: Kernel, X: Any, seen: Any, dual: Array, factors: list[Array], with_std: bool, with_cov: bool
) -> Prediction:
    """The mean k(X, seen) dual, and the prior's variance less |L^-1 k|^2; a second factor adds |(L L2)^-1 k|^2."""
    n, dual, height = len(X), np.ascontiguousarray(dual), rows_at_once(len(seen))
    mean = np.empty((n, dual.shape[1]))
    factors = factors if with_std or with_cov else []
    found: list[list[Array]] = [[] for _ in range(0, n, height)]
    reduced = np.zeros(n)

    def block(top: int) -> None:
        rows = slice(top, top + height)
        with np.errstate(all="ignore"):
            K = across(kernel, X[rows], seen)
            mean[rows] = np.einsum("ij,jt->it", K, dual)  # in the same order for one row as for many
            V = K
            for sign, L in zip((1.0, -1.0), factors, strict=False):
                V = forward_solve(L, V)
                reduced[rows] += sign * np.einsum("ij,ij->i", V, V)
                if with_cov:
                    found[top // height].append(V)

    in_parallel(block, range(0, n, height))
    variance, covariance = np.empty(0), np.empty((0, 0))
    if with_cov:
        covariance = np.array(kernel(X), dtype=np.float64)
        for k, sign in enumerate((1.0, -1.0)[: len(factors)]):
            V = np.vstack([parts[k] for parts in found])
            covariance -= sign * (V @ V.T)
    elif with_std:
        variance = _not_negative(np.asarray(kernel.diag(X), dtype=np.float64) - reduced)
    return Prediction(mean, variance, covariance)


def across(kernel: Kernel, X: Any, seen: Any) -> Array:
    """The kernel of new rows with the training rows."""
    if not kernel.by_pairs:
        return np.ascontiguousarray(kernel(X, seen), dtype=np.float64)
    found, height = np.empty((len(X), len(seen))), max(1, ENTRIES // len(seen))
    for top in range(0, len(X), height):
        rows = slice(top, top + height)
        found[rows] = RowPairs(X[rows], seen).values_of(kernel)
    return found


def _not_negative(variance: Array) -> Array:
    if (variance < 0).any():
        warn("Predicted variances smaller than 0. Setting those variances to 0.", UserWarning)
    return np.maximum(variance, 0.0)


def for_each_target(values: Array, scales: Array) -> Array:
    """Variances of several targets along a last axis; of one target without it."""
    return values * scales if scales.size == 1 else values[..., None] * scales
