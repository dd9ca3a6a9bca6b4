"""Pairs of directions in two tables, one after the other, each removed before the next is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.runtime.context import give_way
from ..core.scaling import power_of_two_scales

ROUNDING = 1e-13  # of the size of both tables: a covariance below it is zero


@dataclass(frozen=True)
class CentredTable:
    """A table less its column means, divided by their standard deviations; `unit` keeps squares in range."""

    rows: Array
    mean: Array
    std: Array

    @classmethod
    def of(cls, table: Array, weight: Array, scale: bool) -> CentredTable:
        """Columns without variance are not divided."""
        unit = power_of_two_scales(table, together=not scale)
        if not scale and 1e-60 < 1 / unit[0] < 1e60:
            unit = np.ones_like(unit)
        values = table * unit
        total = weight.sum()
        mean = weight @ values / total
        values -= mean
        std = np.ones(len(mean))
        if scale:
            freedom = total - 1 if total > 1 else total
            std = np.sqrt(weight @ values**2 / freedom)
            std = np.where(std > 1e-15 * np.maximum(np.abs(mean), 1e-300), std, 1.0)
        return cls(values / std, mean / unit, std / unit)


@dataclass
class LatentPairs:
    """What is found of both tables, a column for each pair; `count` of them are not zero."""

    x_weights: Array
    y_weights: Array
    x_loadings: Array
    y_loadings: Array
    x_scores: Array
    y_scores: Array
    count: int = 0

    @classmethod
    def empty(cls, rows: int, p: int, q: int, count: int) -> LatentPairs:
        """Zeros."""
        x, y, scores = (np.zeros((size, count)) for size in (p, q, rows))
        return cls(x, y, x.copy(), y.copy(), scores, scores.copy())

    def rotations(self) -> tuple[Array, Array]:
        """Weights for the tables as they were: W (P'W)^-1."""
        return (
            self.x_weights @ np.linalg.pinv(self.x_loadings.T @ self.x_weights),
            self.y_weights @ np.linalg.pinv(self.y_loadings.T @ self.y_weights),
        )


def find_components(X: Array, Y: Array, weight: Array, count: int, *, correlate: bool, regress: bool) -> LatentPairs:
    """Pairs of directions whose scores covary (or if `correlate`, correlate) most; both tables are changed.

    After each pair X loses its projection on the score of X; Y on its own score or, if `regress`, on that of X.
    """
    found = LatentPairs.empty(len(X), X.shape[1], Y.shape[1], count)
    size = np.sqrt(weight @ X**2).max() * np.sqrt(weight @ Y**2).max()
    for k in range(count):
        give_way()
        cross = X.T @ (weight[:, None] * Y)
        if not np.abs(cross).max() > ROUNDING * size:
            break
        a, b = correlated(X, Y, weight) if correlate else covarying(cross)
        t = X @ a
        p, q = (table.T @ (weight * t) / (weight @ t**2) for table in (X, Y))
        u = Y @ (q / (q @ q)) if regress else Y @ b
        X -= np.outer(t, p)
        if not regress:
            q = Y.T @ (weight * u) / (weight @ u**2)
        else:
            b = q
        Y -= np.outer(t if regress else u, q)
        found.x_weights[:, k], found.y_weights[:, k] = a, b
        found.x_loadings[:, k], found.y_loadings[:, k] = p, q
        found.x_scores[:, k], found.y_scores[:, k], found.count = t, u, k + 1
    return found


def covarying(cross: Array) -> tuple[Array, Array]:
    """The directions with the largest covariance: the first singular vectors of the cross-covariance."""
    if min(cross.shape) == 1:
        a = cross[:, 0] if cross.shape[1] == 1 else np.ones(1)
        b = np.ones(1) if cross.shape[1] == 1 else cross[0]
        return _upright(a / np.linalg.norm(a), b / np.linalg.norm(b), cross)
    U, _, V = np.linalg.svd(cross / np.abs(cross).max(), full_matrices=False)
    return _upright(U[:, 0], V[0], cross)


def correlated(X: Array, Y: Array, weight: Array) -> tuple[Array, Array]:
    """The directions with the largest correlation: singular vectors of the cross-covariance of whitened tables."""
    (A, whiten_X), (B, whiten_Y) = _whitened(X, weight), _whitened(Y, weight)
    U, _, V = np.linalg.svd(A.T @ B, full_matrices=False)
    a, b = whiten_X @ U[:, 0], whiten_Y @ V[0]
    return _upright(a / np.linalg.norm(a), b / np.linalg.norm(b), None)


def _whitened(table: Array, weight: Array) -> tuple[Array, Array]:
    """Orthonormal columns that span the weighted table, and the matrix that makes them of its columns."""
    U, values, V = np.linalg.svd(np.sqrt(weight)[:, None] * table, full_matrices=False)
    kept = values > 1e6 * np.finfo(np.float64).eps * values[0]
    return U[:, kept], V[kept].T / values[kept]


def _upright(a: Array, b: Array, cross: Array | None) -> tuple[Array, Array]:
    """Both with the sign for which the largest entry of `a` is positive, and their covariance if `cross` is given."""
    if a[np.abs(a).argmax()] < 0:
        a, b = -a, -b
    return (a, -b) if cross is not None and a @ cross @ b < 0 else (a, b)
