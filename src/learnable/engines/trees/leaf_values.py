"""Leaf values of a boosted tree: the step that lowers the loss, given the scores of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.validate.features import Array


def leaf_values(loss: Any, leaf: Array, nodes: int, y: Array, z: Array, weight: Array, output: int = 0) -> Array:
    """The value of each node with rows: one Newton step for squared and classification losses, else the constant that
    minimises the loss of its rows.

    `leaf` is the leaf of each row; scores `z` have a column for each class if there are several.

    >>> from learnable.parts.losses import Squared
    >>> y, z = np.array([1.0, 3.0, 9.0]), np.zeros(3)
    >>> leaf_values(Squared(), np.array([1, 1, 2]), 3, y, z, np.ones(3))
    array([0., 2., 9.])
    """
    if loss.quadratic or loss.link.endswith("logit"):
        gradient, curvature = _derivatives(loss, y, z, output)
        step = _safe_ratio(np.bincount(leaf, -weight * gradient, nodes), np.bincount(leaf, weight * curvature, nodes))
        return step * (1 - 1 / z.shape[1]) if z.ndim == 2 else step  # Friedman's factor, as scikit-learn has it
    value, order = np.zeros(nodes), np.argsort(leaf, kind="stable")
    found, starts = np.unique(leaf[order], return_index=True)
    for node, rows in zip(found, np.split(order, starts[1:]), strict=True):
        value[node] = loss.best_leaf(y[rows], z[rows], weight[rows])
    return value


def monotonic_values(found: dict[str, Array], value: Array, direction: Sequence[int]) -> Array:
    """Node values clipped to a monotonic constraint: increasing (1) or decreasing (-1) in a column.

    The children of a split on a constrained column are bounded by the midpoint of their values, and so are all nodes
    below them.

    >>> found = {"left": np.array([1, -1, -1]), "right": np.array([2, -1, -1]), "feature": np.array([0, -2, -2])}
    >>> monotonic_values(found, np.array([1.0, 4.0, 2.0]), [1])
    array([1., 3., 3.])
    """
    value, low, high = value.copy(), np.full(len(value), -np.inf), np.full(len(value), np.inf)
    for node in np.flatnonzero(found["left"] >= 0):  # children come after their parents
        left, right = found["left"][node], found["right"][node]
        for side in (left, right):
            low[side], high[side] = low[node], high[node]
            value[side] = np.clip(value[side], low[node], high[node])
        sign = direction[found["feature"][node]]
        if sign == 0:
            continue
        first, second = (left, right) if sign > 0 else (right, left)
        high[first] = low[second] = value[left] / 2 + value[right] / 2
        value[first], value[second] = min(value[first], high[first]), max(value[second], low[second])
    return value


def _derivatives(loss: Any, y: Array, z: Array, output: int) -> tuple[Array, Array]:
    """Gradient and Hessian diagonal along the scores of an output."""
    gradient = loss.gradient(y, z)
    if z.ndim == 1:
        return gradient, loss.curvature(y, z)
    proba = loss.predict(z)[:, output]
    return gradient[:, output], np.asarray(proba * (1 - proba))


def _safe_ratio(numerator: Array, denominator: Array) -> Array:
    """The ratio of sums, zero where the Hessian vanishes."""
    small = np.abs(denominator) < 1e-150
    return np.where(small, 0.0, numerator / np.where(small, 1.0, denominator))
