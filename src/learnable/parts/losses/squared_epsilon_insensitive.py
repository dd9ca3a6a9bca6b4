"""The squared epsilon-insensitive loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import balance, counted


@dataclass(frozen=True)
class SquaredEpsilonInsensitive:
    """Squared epsilon-insensitive loss: zero within epsilon, squared outside (not halved, as in scikit-learn).

    value = max(0, |r| - epsilon)^2,  r = y - z

    `curvature` is 2 everywhere: the second derivative outside the tube, and inside, where that is zero, the flattest
    parabola above the loss. The best constant is exact, found between the kinks of the summed gradient.

    >>> loss = SquaredEpsilonInsensitive(0.5)
    >>> loss.value(np.array([1.0, 3.0]), np.array([0.8, 1.0])).tolist()
    [0.0, 2.25]
    """

    epsilon: float = 0.1

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = 2.0
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.square(np.maximum(np.abs(y - z) - self.epsilon, 0)))

    def gradient(self, y: Array, z: Array) -> Array:
        excess = z - y
        return np.asarray(2 * (excess - np.clip(excess, -self.epsilon, self.epsilon)))

    def curvature(self, y: Array, z: Array) -> Array:
        return np.full_like(z, 2)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        y, row_weight = counted(y, weight)
        knots = np.concatenate([y - self.epsilon, y + self.epsilon])
        slack = 32 * EPSILON * float(row_weight @ np.abs(y - y.mean()))
        return balance(lambda c: float(row_weight @ self.gradient(y, np.asarray(c))), knots, slack)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return self.best_constant(y - z, weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
