"""Platt scaling: scores of a classifier to probabilities by a fitted sigmoid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.declare import registry
from .losses.logistic import Logistic

MAX_STEPS = 100
MAX_HALVINGS = 40


@registry.value
@dataclass(frozen=True)
class SigmoidMap:
    """The probability of the positive class at a score f, 1 / (1 + exp(slope f + intercept)).

    >>> SigmoidMap(-1.0, 0.0)(np.array([0.0, 100.0])).tolist()
    [0.5, 1.0]
    """

    slope: float
    intercept: float

    def __call__(self, scores: Array) -> Array:
        return Logistic().predict(-(self.slope * scores + self.intercept))

    predict = __call__


def fit_sigmoid(scores: Array, positive: Array, weight: Array | None = None, smooth: bool = True) -> SigmoidMap:
    """The maximum-likelihood sigmoid of scores.

    minimise over a, b    -sum weight (t log p + (1 - t) log(1 - p)),  p = 1 / (1 + exp(a f + b))

    Newton's method on standardised scores, to rounding. With `smooth` the targets 1 and 0 become (n1 + 1) / (n1 + 2)
    and 1 / (n0 + 2), for n1 and n0 the weights of the classes, so that separated scores give finite numbers.
    [Platt, 1999; Lin, Lin and Weng, 2007]

    >>> found = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> round(found.slope, 4), abs(round(found.intercept, 4))
    (-0.674, 0.0)
    """
    w = np.ones(len(scores)) if weight is None else np.asarray(weight, dtype=np.float64)
    f = np.asarray(scores, dtype=np.float64)
    total = w.sum()
    unit = float(np.abs(f).max(initial=0.0)) or 1.0
    centre = float(w @ (f / unit)) / total * unit
    spread = float(np.sqrt(w @ ((f - centre) / unit) ** 2 / total)) * unit
    design = np.stack([(f - centre) / (spread or 1.0), np.ones(len(f))])
    n1, n0 = float(w[positive].sum()), float(w[~positive].sum())
    high, low = ((n1 + 1) / (n1 + 2), 1 / (n0 + 2)) if smooth else (1.0, 0.0)
    start = np.array([0.0, np.log((n1 + 1) / (n0 + 1))])
    slope, intercept = _newton(design, np.where(positive, high, low), w / total, start)
    slope /= spread or 1.0
    return SigmoidMap(float(-slope), float(-(intercept - slope * centre)))


def _newton(design: Array, target: Array, row_weight: Array, theta: Array) -> Array:
    """Minimise sum weight (log(1 + e^z) - t z) over z = theta'design, by damped Newton steps."""
    value = _log_loss(theta @ design, target, row_weight)
    for _ in range(MAX_STEPS):
        probability = Logistic().predict(theta @ design)
        gradient = design @ (row_weight * (probability - target))
        curvature = (design * (row_weight * probability * (1 - probability))) @ design.T
        step = np.linalg.lstsq(curvature, gradient, rcond=1e-14)[0]
        drop = float(gradient @ step)
        for halving in range(MAX_HALVINGS):
            moved = theta - step * 0.5**halving
            reached = _log_loss(moved @ design, target, row_weight)
            if reached <= value - 1e-4 * 0.5**halving * drop or drop <= 1e-15 * abs(value):
                break
        theta, value = moved, reached
        if drop <= 1e-15 * max(abs(value), 1e-300):
            break
    return theta


def _log_loss(z: Array, target: Array, row_weight: Array) -> float:
    return float(row_weight @ (np.maximum(z, 0) - target * z + np.log1p(np.exp(-np.abs(z)))))
