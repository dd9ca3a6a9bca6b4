"""Rows for Bayesian regressions: distinct rows with their weights, and columns of mean 0 and deviation 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data

CONSTANT = 1e-12  # of the size of a column: a smaller deviation is rounding


@dataclass
class Scaling:
    """Offsets and scales of columns; constants have the scale 0."""

    offset: Array
    scale: Array

    @classmethod
    def of(cls, X: Array, weight: Array, centre: bool = True) -> Scaling:
        """Weighted means and standard deviations, or 0 and root mean squares; also where squares overflow."""
        size = np.abs(X).max(axis=0, initial=0.0)
        unit = np.where(size > 0, size, 1.0)
        relative = X / unit
        mean = np.average(relative, axis=0, weights=weight) if centre else np.zeros(X.shape[1])
        deviation = np.sqrt(np.average((relative - mean) ** 2, axis=0, weights=weight))
        return cls(mean * unit, np.where(deviation > CONSTANT, deviation, 0.0) * unit)

    @property
    def inverse(self) -> Array:
        """One over the scales; 0 for constants."""
        return np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=self.scale > 0)

    def applied(self, X: Any) -> Array:
        """Standardised columns."""
        safe = np.where(self.scale > 0, self.scale, 1.0)
        found: Array = np.where(self.scale > 0, (np.asarray(X, dtype=np.float64) - self.offset) / safe, 0.0)
        return found


def distinct_rows(data: Data, target: Array) -> tuple[Array, Array, Array]:
    """Rows, targets and weights in an order that only their content decides; equal rows are one with their weights."""
    weight = np.ones(data.n) if data.weight is None else np.asarray(data.weight, dtype=np.float64)
    table = np.column_stack([np.asarray(data.X, dtype=np.float64), target])[weight > 0] + 0.0
    rows, index = np.unique(table, axis=0, return_inverse=True)
    return (
        np.ascontiguousarray(rows[:, :-1]),
        rows[:, -1].copy(),
        np.bincount(index.ravel(), weight[weight > 0], len(rows)),
    )
