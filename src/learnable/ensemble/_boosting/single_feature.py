"""Simple linear regression on the single best column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry


@registry.value
@dataclass(frozen=True)
class BestColumn:
    """Least squares on one column, the one with the smallest residual sum of squares.

    >>> line = BestColumn().fit(np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 6.0]]), np.array([1.0, 3.0, 5.0]))
    >>> line.column, line.slope, line.intercept
    (0, 2.0, 1.0)
    """

    column: int = 0
    slope: float = 0.0
    intercept: float = 0.0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """No parameters: all fields are learned."""
        return {}

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> BestColumn:
        """Fit the line of each column and keep the best."""
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        weight = weight / weight.sum()
        largest = np.abs(X).max(axis=0)
        scale = np.where(largest > 0, largest, 1.0)  # so that squares do not overflow
        mean = weight @ (X / scale)
        deviation, y_mean = X / scale - mean, float(weight @ y)
        cross, square = (weight * (y - y_mean)) @ deviation, weight @ deviation**2
        slopes = np.divide(cross, square, out=np.zeros(len(cross)), where=square > 1e-24)
        best = int(np.argmax(slopes * cross))
        slope = float(slopes[best] / scale[best])
        return BestColumn(best, slope, y_mean - float(slopes[best] * mean[best]))

    def predict(self, X: Array) -> Array:
        """Predicted value of each row."""
        return np.asarray(self.intercept + self.slope * X[:, self.column])
