"""What the regressions share that find their own precisions by maximising the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Trace
from ..core.numbers import TINY


@dataclass(frozen=True, slots=True)
class Gamma:
    """A gamma prior of a precision, by shape and rate."""

    shape: float
    rate: float

    def update(self, used: Any, squares: Any) -> Any:
        """The precision of `used` numbers with this sum of squares, after MacKay."""
        return (used + 2 * self.shape) / np.maximum(squares + 2 * self.rate, TINY)

    def log_density(self, precision: Any) -> Any:
        """Log density up to a constant."""
        return self.shape * np.log(precision) - self.rate * precision


def target_variance(data: Data) -> float:
    """Weighted variance of the target."""
    y = data.y.astype(np.float64)
    mean = np.average(y, weights=data.weight)
    return float(np.average((y - mean) ** 2, weights=data.weight))


def settled_within(tol: float, size: float) -> float:
    """How little the coefficients may change, in sum: `tol`, or `tol` of their size if they are small; or rounding."""
    return max(tol * min(1.0, size), 1e-14 * size)


def certify_change(trace: Trace, change: float, tolerance: float) -> None:
    """State how far the last iteration moved the coefficients."""
    trace.certify(
        "change of the coefficients", min(change, np.finfo(np.float64).max), tolerance,
        "the last update of the precisions moved the coefficients by this much in sum.",
    )  # fmt: skip


def predictive_deviation(centred: Array, sigma: Array, noise: float) -> Array:
    """Standard deviation of a new target at each row of centred columns."""
    return np.asarray(np.sqrt(((centred @ sigma) * centred).sum(axis=1) + 1 / noise))
