"""The exponential loss of AdaBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .margin_losses import demand_signs, half_log_odds, sides
from .optimal_constants import counted


@dataclass(frozen=True)
class Exponential:
    """Exponential loss of the margin: one mislabelled row can outweigh all others.

    value = exp(-y z),  y in {-1, 1}

    The score estimates half the log-odds, so `predict` gives the probability 1 / (1 + exp(-2 z)) of the class 1.
    Where all targets are alike no constant is best; then one is given that is large. [Freund and Schapire, 1997]

    >>> Exponential().value(np.array([1.0, -1.0]), np.array([0.0, 1.0])).round(3).tolist()
    [1.0, 2.718]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "half logit"

    def value(self, y: Array, z: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-y * z))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(-y * self.value(y, z))

    def curvature(self, y: Array, z: Array) -> Array:
        return self.value(y, z)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        return half_log_odds(*sides(y, weight))

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        """Half the log of the ratio of the losses of both classes."""
        sign, row_weight = counted(y, weight)
        score, _ = counted(z, weight)
        largest = float((-sign * score).max())
        charge = row_weight * np.exp(-sign * score - largest)
        return half_log_odds(float(charge[sign > 0].sum()), float(charge[sign < 0].sum()))

    def predict(self, z: Array) -> Array:
        return np.asarray(0.5 + np.tanh(z) / 2)

    def check(self, y: Array) -> None:
        demand_signs(y, "exponential")
