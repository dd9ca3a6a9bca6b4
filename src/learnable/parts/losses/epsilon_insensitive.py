"""The epsilon-insensitive loss of support vector regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from .optimal_constants import counted, quantile


@dataclass(frozen=True)
class EpsilonInsensitive:
    """Epsilon-insensitive loss: zero within epsilon, absolute outside.

    value = max(0, |r| - epsilon) = (|r - epsilon| + |r + epsilon|) / 2 - epsilon,  r = y - z

    The second form is two absolute losses: it gives the curvature of a parabola above the loss,
    1 / (2 max(|r - epsilon|, floor)) + 1 / (2 max(|r + epsilon|, floor)), and the best constant, the median
    of all y - epsilon and y + epsilon together. [Vapnik, 1995]

    >>> loss = EpsilonInsensitive(0.5)
    >>> loss.value(np.array([1.0, 3.0]), np.array([0.8, 1.0])).tolist()
    [0.0, 1.5]
    """

    epsilon: float = 0.1
    floor: float = 1e-10

    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    curvature_bound: ClassVar[float | None] = None
    link: ClassVar[str] = "identity"

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(np.maximum(np.abs(y - z) - self.epsilon, 0))

    def gradient(self, y: Array, z: Array) -> Array:
        excess = z - y
        return (np.sign(excess - self.epsilon) + np.sign(excess + self.epsilon)) / 2

    def curvature(self, y: Array, z: Array) -> Array:
        size = np.abs(y - z)
        near = np.maximum(np.abs(size - self.epsilon), self.floor)
        return np.asarray(0.5 / near + 0.5 / np.maximum(size + self.epsilon, self.floor))

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        y, row_weight = counted(y, weight)
        edges = np.concatenate([y - self.epsilon, y + self.epsilon])
        return quantile(edges, np.concatenate([row_weight, row_weight]), 0.5)

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return self.best_constant(y - z, weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""
