"""The posterior of a Gaussian process at new rows: mean, variance and covariance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..core.runtime.threads import scipy_linalg
from ._factor import BLOCK, in_parallel
from .kernels import Kernel
from .kernels._pairs import RowPairs

ENTRIES = 2**19  # of a kernel matrix at once
FEWEST_ROWS = 32  # at once


def rows_at_once(columns: int) -> int:
    """The number of rows of a kernel matrix with `columns` columns that are computed at once."""
    return max(FEWEST_ROWS, ENTRIES // columns)


class Prediction(NamedTuple):
    """Means (rows, targets) and variances or a covariance matrix of the rows, for targets of variance 1."""

    mean: Array
    variance: Array
    covariance: Array


class ForwardSolver:
    """V of V L' = B for many B: products of blocks, with the inverses of the blocks on the diagonal."""

    def __init__(self, L: Array) -> None:
        self.L = L
        solve = scipy_linalg().solve_triangular
        corners = (L[k : k + BLOCK, k : k + BLOCK] for k in range(0, len(L), BLOCK))
        self.corners = [solve(one, np.eye(len(one)), lower=True, check_finite=False) for one in corners]

    def __call__(self, B: Array) -> Array:
        V = np.empty_like(B)
        for number, inverse in enumerate(self.corners):
            left = number * BLOCK
            columns = slice(left, left + BLOCK)
            rest = B[:, columns] - V[:, :left] @ self.L[columns, :left].T if left else B[:, columns]
            V[:, columns] = rest @ inverse.T
        return V


def predictive(
    kernel: Kernel, X: Any, seen: Any, dual: Array, factors: list[Array], with_std: bool, with_cov: bool
) -> Prediction:
    """The mean k(X, seen) dual, and the prior's variance less |L^-1 k|^2; a second factor adds |(L L2)^-1 k|^2."""
    n, dual, height = len(X), np.ascontiguousarray(dual), rows_at_once(len(seen))
    mean = np.empty((n, dual.shape[1]))
    solvers = [ForwardSolver(L) for L in factors] if with_std or with_cov else []
    found: list[list[Array]] = [[] for _ in range(0, n, height)]
    reduced = np.zeros(n)

    def block(top: int) -> None:
        rows = slice(top, top + height)
        with np.errstate(all="ignore"):
            K = across(kernel, X[rows], seen)
            mean[rows] = kernels.matvec(K, dual)
            V = K
            for sign, solver in zip((1.0, -1.0), solvers, strict=False):
                V = solver(V)
                reduced[rows] += sign * np.einsum("ij,ij->i", V, V)
                if with_cov:
                    found[top // height].append(V)

    in_parallel(block, range(0, n, height))
    variance, covariance = np.empty(0), np.empty((0, 0))
    if with_cov:
        covariance = np.array(kernel(X), dtype=np.float64)
        for k, sign in enumerate((1.0, -1.0)[: len(solvers)]):
            V = np.vstack([parts[k] for parts in found])
            covariance -= sign * (V @ V.T)
    elif with_std:
        variance = _not_negative(np.asarray(kernel.diag(X), dtype=np.float64) - reduced)
    return Prediction(mean, variance, covariance)


def across(kernel: Kernel, X: Any, seen: Any) -> Array:
    """The kernel of new rows with the training rows."""
    found = RowPairs(X, seen).values_of(kernel) if kernel.by_pairs else kernel(X, seen)
    return np.ascontiguousarray(found, dtype=np.float64)


def _not_negative(variance: Array) -> Array:
    if (variance < 0).any():
        warn("Predicted variances smaller than 0. Setting those variances to 0.", UserWarning)
    return np.maximum(variance, 0.0)


def for_each_target(values: Array, scales: Array) -> Array:
    """Variances of several targets along a last axis; of one target without it."""
    return values * scales if scales.size == 1 else values[..., None] * scales
