"""A line in the one column that explains most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry


@registry.value
@dataclass(frozen=True)
class BestColumn:
    """Least squares with one column, that which leaves the least squares.

    >>> line = BestColumn().fit(np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 6.0]]), np.array([1.0, 3.0, 5.0]))
    >>> line.column, line.slope, line.intercept
    (0, 2.0, 1.0)
    """

    column: int = 0
    slope: float = 0.0
    intercept: float = 0.0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Nothing: what it holds is learned."""
        return {}

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> BestColumn:
        """The best line of each column, and the best of these."""
        share = np.ones(len(y)) if sample_weight is None else sample_weight
        share = share / share.sum()
        size = np.abs(X).max(axis=0)
        unit = np.where(size > 0, size, 1.0)  # so that squares are numbers
        centre = share @ (X / unit)
        deviation, middle = X / unit - centre, float(share @ y)
        cross, square = (share * (y - middle)) @ deviation, share @ deviation**2
        slopes = np.divide(cross, square, out=np.zeros(len(cross)), where=square > 1e-24)
        best = int(np.argmax(slopes * cross))
        slope = float(slopes[best] / unit[best])
        return BestColumn(best, slope, middle - float(slopes[best] * centre[best]))

    def predict(self, X: Array) -> Array:
        """The line at each row."""
        return np.asarray(self.intercept + self.slope * X[:, self.column])
