"""The table of a nonnegative factorisation, and the beta divergence of W H from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core import Array, Matrix
from ...core.runtime.native import kernels
from ...engines import matrix_products

BLOCK = 256  # rows whose errors are in memory at a time
MIN_DENOMINATOR = float(np.finfo(np.float32).eps)  # least denominator of a multiplicative update, as in scikit-learn
BETAS = {"frobenius": 2.0, "kullback-leibler": 1.0, "itakura-saito": 0.0}


def beta_of(loss: Any) -> float:
    """The number of a beta divergence that may be named."""
    return BETAS[loss] if isinstance(loss, str) else float(loss)


@dataclass(frozen=True)
class Observed:
    """A nonnegative table: dense or sparse by rows, with a mask of the observed entries if some are missing."""

    X: Matrix
    mask: Array | None = None

    @classmethod
    def of(cls, X: Matrix) -> Observed:
        """The table with zeros for missing entries, in double precision."""
        if matrix_products.is_sparse(X):
            return cls(X.tocsr().astype(np.float64))
        missing = np.isnan(X)
        if not missing.any():
            return cls(np.asarray(X, dtype=np.float64))
        return cls(np.where(missing, 0.0, X).astype(np.float64), (~missing).astype(np.float64))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.X.shape[0]), int(self.X.shape[1])

    @cached_property
    def mean(self) -> float:
        """The mean of the observed entries."""
        count = self.shape[0] * self.shape[1] if self.mask is None else float(self.mask.sum())
        return float(self.X.sum()) / max(count, 1)

    @cached_property
    def square(self) -> float:
        """The sum of the squares of the entries."""
        values = self.X.data if matrix_products.is_sparse(self.X) else self.X.ravel()
        return float(values @ values)

    @cached_property
    def flipped(self) -> Observed:
        """The transposed table."""
        if matrix_products.is_sparse(self.X):
            return Observed(self.X.T.tocsr())
        mask = None if self.mask is None else np.ascontiguousarray(self.mask.T)
        return Observed(np.ascontiguousarray(self.X.T), mask)

    @cached_property
    def start(self) -> Array:
        """Where the entries of each row of a sparse table begin."""
        return np.asarray(self.X.indptr, dtype=np.int64)

    @cached_property
    def index(self) -> Array:
        """The columns of the entries of a sparse table."""
        return np.asarray(self.X.indices, dtype=np.int32)

    def times(self, V: Array) -> Array:
        """X V."""
        product: Array = kernels.matvec(self.X, V, np.zeros(V.shape[1]))
        return product

    def with_entries(self, entries: Array) -> Observed:
        """The same pattern of stored entries with other values."""
        if matrix_products.is_sparse(self.X):
            return Observed(type(self.X)((entries, self.X.indices, self.X.indptr), shape=self.X.shape))
        return Observed(entries if self.mask is None else entries * self.mask)

    def entries(self) -> Array:
        """The stored entries: of a sparse table those that are not zero."""
        return np.asarray(self.X.data if matrix_products.is_sparse(self.X) else self.X)

    def model(self, W: Array, H: Array) -> Array:
        """The entries of W H' at the stored entries; H has a row for each column."""
        if not matrix_products.is_sparse(self.X):
            return np.asarray(W @ H.T)
        found = np.empty(len(self.X.data))
        kernels.entry_products(self.start, self.index, np.ascontiguousarray(W), np.ascontiguousarray(H), found)
        return found


def divergence(table: Observed, W: Array, H: Array, beta: float) -> float:
    """The beta divergence of W H' from the observed entries; H has a row for each column.

    beta = 2 is half the squared error, 1 the generalised Kullback-Leibler divergence, 0 that of Itakura and Saito.
    """
    if beta == 2:
        return _half_square(table, W, H)
    x, z = table.entries().ravel(), table.model(W, H).ravel()
    if table.mask is not None:
        observed = table.mask.ravel() > 0
        x, z = x[observed], z[observed]
    positive = x > np.finfo(np.float64).eps
    x, z_all = x[positive], z
    z = np.maximum(z[positive], np.finfo(np.float64).eps)
    if beta == 1:
        whole = float(W.sum(axis=0) @ H.sum(axis=0)) if table.mask is None else float(z_all.sum())
        return float(x @ np.log(x / z)) + whole - float(x.sum())
    if beta == 0:
        ratio = x / z
        count = table.shape[0] * table.shape[1] if table.mask is None else len(z_all)
        return float(ratio.sum() - np.log(ratio).sum()) - count
    powers = _power_sum(table, W, H, beta, z_all)
    return float((x**beta).sum() - beta * (x @ z ** (beta - 1)) + (beta - 1) * powers) / (beta * (beta - 1))


def _half_square(table: Observed, W: Array, H: Array) -> float:
    if table.mask is not None:
        return 0.5 * float((((W @ H.T) * table.mask - table.X) ** 2).sum())
    if not matrix_products.is_sparse(table.X):
        blocks = (slice(i, i + BLOCK) for i in range(0, len(W), BLOCK))
        return 0.5 * float(sum(np.square(W[part] @ H.T - table.X[part]).sum() for part in blocks))
    cross = float(table.X.data @ table.model(W, H))
    return max(0.5 * (table.square + float(((W.T @ W) * (H.T @ H)).sum())) - cross, 0.0)


def _power_sum(table: Observed, W: Array, H: Array, beta: float, observed: Array) -> float:
    """The sum of (W H')^beta over all entries that are not missing."""
    least = 0.0 if beta > 0 else np.finfo(np.float64).eps
    if not matrix_products.is_sparse(table.X):
        return float((np.maximum(observed, least) ** beta).sum())
    return float(sum((np.maximum(row @ H.T, least) ** beta).sum() for row in W))
