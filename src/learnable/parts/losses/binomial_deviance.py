"""The logistic loss of half the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .margin_losses import demand_signs, half_log_odds, sides
from .optimal_constants import counted, crossing


@dataclass(frozen=True)
class BinomialDeviance:
    """The logistic loss of twice the margin, which has the same best score as the exponential loss.

    value = log(1 + exp(-2 y z)),  y in {-1, 1}

    It grows linearly, and so is more robust to mislabelled rows than the exponential loss. `predict` gives the
    probability 1 / (1 + exp(-2 z)) of the class 1. [Friedman, 2001]

    >>> BinomialDeviance().value(np.array([1.0, -1.0]), np.array([0.0, 2.0])).round(3).tolist()
    [0.693, 4.018]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 1.0
    link: ClassVar[str] = "half logit"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.logaddexp(0, -2 * y * z))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(y * (np.tanh(y * z) - 1))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.asarray(1 / np.square(np.cosh(np.clip(z, -300, 300))))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return half_log_odds(*sides(y, weight))

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        sign, row_weight = counted(y, weight)
        score, _ = counted(z, weight)
        start = half_log_odds(*sides(y, weight))

        def total_gradient(c: float) -> tuple[float, float]:
            moved = score + c
            return float(row_weight @ self.gradient(sign, moved)), float(row_weight @ self.curvature(sign, moved))

        return crossing(
            total_gradient, start - float(score.max()), start - float(score.min()), EPSILON * float(row_weight.sum())
        )

    def predict(self, z: Array) -> Array:
        return np.asarray(0.5 + np.tanh(z) / 2)

    def check(self, y: Array) -> None:
        demand_signs(y, "binomial deviance")
