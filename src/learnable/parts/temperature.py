"""Temperature scaling: one parameter that calibrates the confidence of class probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry

SHARPEST = np.exp(10.0)  # bounds of the inverse temperature, as in scikit-learn
MAX_STEPS = 200


@registry.value
@dataclass(frozen=True)
class TemperatureMap:
    """Class probabilities from logits by a temperature, softmax(beta z).

    >>> TemperatureMap(0.5)(np.array([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    beta: float

    def __call__(self, logits: Array) -> Array:
        return softmax(self.beta * logits)

    predict = __call__


def fit_temperature(logits: Array, codes: Array, weight: Array | None = None) -> float:
    """The inverse temperature by which logits (a column per class) are multiplied before the softmax.

    minimise over beta    -sum weight log softmax(beta logits)[class]

    Convex in beta; Newton's method inside a bracket, to rounding. [Guo et al., 2017]

    >>> sure = np.array([[3.0, -3.0], [3.0, -3.0], [-3.0, 3.0], [-3.0, 3.0]])
    >>> round(fit_temperature(sure, np.array([0, 1, 1, 1])), 4)
    0.1831
    """
    row_weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=np.float64)
    row_weight = row_weight / row_weight.sum()
    margins = np.asarray(logits, dtype=np.float64)  # over the logit of the class, so that nothing cancels below
    margins = margins - margins[np.arange(len(codes)), codes][:, None]
    low, high, beta = 1 / SHARPEST, SHARPEST, 1.0
    for _ in range(MAX_STEPS):
        probability = softmax(beta * margins)
        mean = (probability * margins).sum(axis=1)
        gradient = float(row_weight @ mean)
        curvature = float(row_weight @ ((probability * (margins - mean[:, None]) ** 2).sum(axis=1)))
        low, high = (beta, high) if gradient < 0 else (low, beta)
        moved = beta - gradient / curvature if curvature > 0 else (np.inf if gradient < 0 else 0.0)
        if not low < moved < high:
            moved = np.sqrt(low * high)
        if abs(moved - beta) <= 1e-15 * beta or gradient == 0:
            break
        beta = float(moved)
    return float(beta)


def softmax(logits: Array) -> Array:
    """The softmax of each row."""
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))
