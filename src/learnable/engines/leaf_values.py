"""The values that the leaves of a tree take to lower a loss, given the scores of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.data import Array
from ..parts.losses import BinomialDeviance, Exponential, Huber, Logistic, Multinomial, Squared
from .bins import counted_quantiles

NEWTON = (Logistic, Multinomial, Exponential, BinomialDeviance)


def leaf_values(loss: Any, leaf: Array, nodes: int, y: Array, z: Array, weight: Array, output: int = 0) -> Array:
    """The value of each node that has rows: the mean residual of squares, Friedman's two steps for Huber's loss, one
    Newton step for losses of classes, else the constant that is best for the rows.

    `leaf` is that of each row; scores `z` have a column for each class if there are several.

    >>> y, z = np.array([1.0, 3.0, 9.0]), np.zeros(3)
    >>> leaf_values(Squared(), np.array([1, 1, 2]), 3, y, z, np.ones(3))
    array([0., 2., 9.])
    """
    if isinstance(loss, Squared):
        return _ratio(np.bincount(leaf, weight * (y - z), nodes), np.bincount(leaf, weight, nodes))
    if isinstance(loss, NEWTON):
        gradient, curvature = loss.gradient(y, z), _bend(loss, y, z, output)
        gradient = gradient if gradient.ndim == 1 else gradient[:, output]
        step = _ratio(np.bincount(leaf, -weight * gradient, nodes), np.bincount(leaf, weight * curvature, nodes))
        return step * (1 - 1 / z.shape[1]) if z.ndim == 2 else step  # Friedman's factor, as scikit-learn has it
    value, order = np.zeros(nodes), np.argsort(leaf, kind="stable")
    found, starts = np.unique(leaf[order], return_index=True)
    for node, rows in zip(found, np.split(order, starts[1:]), strict=True):
        value[node] = _best(loss, y[rows], z[rows], weight[rows])
    return value


def _best(loss: Any, y: Array, z: Array, weight: Array) -> float:
    """The best constant to add; for Huber's loss the median and the mean of what is left beyond it, clipped."""
    if not isinstance(loss, Huber):
        return float(loss.best_leaf(y, z, weight))
    residual = y - z
    middle = float(counted_quantiles(residual, np.array([0.5]), weight, True)[0])
    rest = residual - middle
    return middle + float(np.average(np.clip(rest, -loss.delta, loss.delta), weights=weight))


def _bend(loss: Any, y: Array, z: Array, output: int) -> Array:
    if not isinstance(loss, Multinomial):
        return np.asarray(loss.curvature(y, z))
    chance = loss.predict(z)[:, output]
    return np.asarray(chance * (1 - chance))


def _ratio(above: Array, below: Array) -> Array:
    """The ratio of sums, zero where nothing bends."""
    small = np.abs(below) < 1e-150
    return np.where(small, 0.0, above / np.where(small, 1.0, below))
