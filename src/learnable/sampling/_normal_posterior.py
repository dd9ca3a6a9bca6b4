"""Posteriors of normal linear models: sums over the rows in a basis in which the posterior is nearly spherical."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels

ROUNDING = 1e-6  # of the deviation of y: targets count as rounded to it, so that sigma has a proper posterior


class NormalModel:
    """Standardised rows (1, x), a target, and groups: the compiled density, and parameters from its draws.

    Coefficients are w = centre + sigma T z with T' (X'X + prior) T = I: in z the posterior is nearly N(0, I), however
    the columns correlate, and whatever sigma is.
    """

    def __init__(
        self, X: Array, y: Array, weight: Array, precision: Array, group: Array | None = None, rates: Any = (1.0, 1.0)
    ) -> None:
        size = X.shape[1]
        weighted = X * weight[:, None]
        gram = X.T @ weighted + np.diag(precision)
        factor = np.linalg.cholesky(gram + 1e-12 * np.trace(gram) / size * np.eye(size))
        self.basis = np.linalg.solve(factor.T, np.eye(size))
        self.centre = self.basis @ (self.basis.T @ (weighted.T @ y))
        residual = y - X @ self.centre
        rows = np.column_stack([X @ self.basis, residual])
        sums = rows.T @ (rows * weight[:, None])
        sums[-1, -1] += weight.sum() * ROUNDING**2
        directions = np.column_stack([self.basis, -self.centre])  # v = (-w, 1): the prior of centre + basis w
        prior = directions.T @ (directions * precision[:, None])
        parts = _groups_by_size(rows, weight, group)
        self.sigma = float(np.sqrt(sums[-1, -1] / weight.sum()))
        self.grouped = group is not None
        self.density = kernels.linear_posterior(sums, prior, float(weight.sum()), *parts, *map(float, rates))

    @property
    def start(self) -> Array:
        """The centre, with the residual deviation, of which groups have half of the variance."""
        return np.array([*np.zeros(len(self.centre)), np.log(self.sigma), *([0.0] if self.grouped else [])])

    def coefficients(self, draws: Array) -> tuple[Array, Array, Array]:
        """Coefficients, sigma and tau of draws (chain, draw, parameter); without groups tau is 0."""
        size = len(self.centre)
        scale, tau = np.exp(draws[:, :, size]), np.zeros(draws.shape[:2])
        sigma = scale
        if self.grouped:
            logit = draws[:, :, size + 1]
            sigma, tau = scale * np.exp(-np.logaddexp(0, logit) / 2), scale * np.exp(-np.logaddexp(0, -logit) / 2)
        return self.centre + scale[:, :, None] * (draws[:, :, :size] @ self.basis.T), sigma, tau


def _groups_by_size(rows: Array, weight: Array, group: Array | None) -> tuple[Array, Array, Array, Array]:
    """Rows whose squared products add up to those of the sums of all groups of a size; where they begin; sizes; counts.

    Of more groups than columns a triangular factor takes the place.
    """
    width = rows.shape[1]
    if group is None:
        return np.empty((0, width)), np.zeros(1, np.int64), np.empty(0), np.empty(0)
    sums = group_sums(rows, weight, group)
    size = np.bincount(group, weight)
    sizes, kind, counts = np.unique(size, return_inverse=True, return_counts=True)
    parts = []
    for k in range(len(sizes)):
        members = sums[kind.ravel() == k]
        parts.append(np.linalg.qr(members, mode="r") if len(members) > width else members)
    begin = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return np.ascontiguousarray(np.concatenate(parts)), begin, sizes, counts.astype(np.float64)


def group_sums(rows: Array, weight: Array, group: Array) -> Array:
    """Weighted sums of rows by group."""
    count = int(group.max()) + 1
    return np.column_stack([np.bincount(group, weight * column, count) for column in rows.T])
