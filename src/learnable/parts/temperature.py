"""Temperature scaling: one number that makes the probabilities of all classes less, or more, sure of themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry

SHARPEST = np.exp(10.0)  # bounds of the inverse temperature, as in scikit-learn
MOST_STEPS = 200


@registry.value
@dataclass(frozen=True)
class TemperatureMap:
    """Probabilities of classes from logits, softmax(beta z).

    >>> TemperatureMap(0.5)(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    beta: float

    def __call__(self, logits: Array) -> Array:
        return softmax(self.beta * logits)


def fit_temperature(logits: Array, codes: Array, weight: Array | None = None) -> float:
    """The inverse temperature by which logits (a column per class) are multiplied before the softmax.

    minimise over beta    -sum weight log softmax(beta logits)[answer]

    Convex in beta; Newton's method inside a bracket, to rounding. [Guo et al., 2017]

    >>> sure = np.array([[3.0, -3.0], [3.0, -3.0], [-3.0, 3.0], [-3.0, 3.0]])
    >>> round(fit_temperature(sure, np.array([0, 1, 1, 1])), 4)
    0.1831
    """
    share = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=np.float64)
    share = share / share.sum()
    logits = np.asarray(logits, dtype=np.float64)
    answer = share @ logits[np.arange(len(codes)), codes]
    low, high, beta = 1 / SHARPEST, SHARPEST, 1.0
    for _ in range(MOST_STEPS):
        chance = softmax(beta * logits)
        mean = (chance * logits).sum(axis=1)
        slope = float(share @ mean - answer)
        curve = float(share @ ((chance * (logits - mean[:, None]) ** 2).sum(axis=1)))
        low, high = (beta, high) if slope < 0 else (low, beta)
        moved = beta - slope / curve if curve > 0 else (np.inf if slope < 0 else 0.0)
        if not low < moved < high:
            moved = np.sqrt(low * high)
        if abs(moved - beta) <= 1e-15 * beta or slope == 0:
            break
        beta = float(moved)
    return float(beta)


def softmax(logits: Array) -> Array:
    """e^z over the sum of those of its row."""
    floored_curvature = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(floored_curvature / floored_curvature.sum(axis=1, keepdims=True))
