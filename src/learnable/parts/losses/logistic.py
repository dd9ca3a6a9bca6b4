"""The logistic loss of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import counted, crossing, mean
from .target_range import demand

SATURATED_SCORE = (
    800.0  # a score at which the probability of a class is one in double precision, and that of the other zero
)


@dataclass(frozen=True)
class Logistic:
    """Minus the log-likelihood of a class y, 0 or 1, whose log-odds are the score z; also called cross-entropy.

    value = log(1 + e^z) - y z = log(1 + e^-m),  m = (2y - 1) z     best constant: the log-odds of the mean

    The second form is that of labels -1 and 1 with margin m. A target between 0 and 1 is a share of ones. The gradient
    is p - y and the curvature p (1 - p), with p = 1 / (1 + e^-z); nothing overflows or cancels. [Cox, 1958]

    >>> Logistic().value(np.array([1.0, 0.0]), np.array([0.0, 1000.0])).round(6).tolist()
    [0.693147, 1000.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 0.25
    link: ClassVar[str] = "logit"

    def value(self, y: Array, z: Array) -> Array:
        behind = np.where(z > 0, (1 - y) * z, -y * z)
        return np.asarray(behind + np.log1p(np.exp(-np.abs(z))))

    def gradient(self, y: Array, z: Array) -> Array:
        smaller = _smaller(z)
        return np.asarray(np.where(z > 0, (1 - y) - smaller, smaller - y))

    def curvature(self, y: Array, z: Array) -> Array:
        smaller = _smaller(z)
        return np.asarray(smaller * (1 - smaller) + 0 * y)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        row_weight = mean(y, weight)
        return (
            float(np.clip(np.log(row_weight) - np.log1p(-row_weight), -SATURATED_SCORE, SATURATED_SCORE))
            if 0 < row_weight < 1
            else SATURATED_SCORE * (2 * row_weight - 1)
        )

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        rows, row_weight = counted(np.stack([y, z], axis=1), weight)
        y, z = rows[:, 0], rows[:, 1]
        if not 0 < mean(y, row_weight) < 1:
            return self.best_constant(y, row_weight)
        reach = abs(self.best_constant(y, row_weight)) + float(np.abs(z).max()) + 1

        def total_gradient(shift: float) -> tuple[float, float]:
            moved = z + shift
            return float(row_weight @ self.gradient(y, moved)), float(row_weight @ self.curvature(y, moved))

        return crossing(total_gradient, -reach, reach, 4 * EPSILON * float(row_weight.sum()))

    def predict(self, z: Array) -> Array:
        smaller = _smaller(z)
        return np.asarray(np.where(z > 0, 1 - smaller, smaller))

    def check(self, y: Array) -> None:
        demand((y >= 0) & (y <= 1), y, "Logistic", "y between 0 and 1")


def _smaller(z: Array) -> Array:
    """The smaller of the two probabilities."""
    e = np.exp(-np.abs(z))
    return np.asarray(e / (1 + e))
