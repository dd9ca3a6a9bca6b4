"""Losses of several classes whose labels are points (prototypes) and whose predictions are vectors.

A prediction belongs to the nearest prototype. D_ij is the signed distance of the prediction from the plane half way
between prototype i of the true class and prototype j: negative nearer i, zero on the plane, positive nearer j.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataError
from ..parts.losses import PrototypeHinge, PrototypeLogistic
from ._validate import numbers, same_length, weights


@checked()
def prototype_margin(prediction: Rows, own: Rows, other: Rows) -> Array:
    """Signed distance of predictions from the plane between two points: negative nearer `own`, zero half way.

    D = (2 (b - a)'y + |a|^2 - |b|^2) / (2 |b - a|)

    >>> prototype_margin([[0.0, 0.0], [1.0, 0.0]], [0.0, 0.0], [2.0, 0.0]).tolist()
    [-1.0, 0.0]
    """
    owner = "prototype_margin"
    points, a = numbers(owner, prediction, "prediction"), numbers(owner, own, "own")
    b = numbers(owner, other, "other")
    if a.ndim != 1 or a.shape != b.shape or points.shape[-1:] != a.shape:
        raise DataError(f"{owner}: prediction, own and other must have the same number of coordinates")
    apart = np.linalg.norm(b - a)
    if apart == 0:
        raise DataError(f"{owner}: the two prototypes are the same point")
    return np.asarray((2 * points @ (b - a) + a @ a - b @ b) / (2 * apart))


@checked()
def nearest_prototype(prediction: Rows, prototypes: Rows) -> Array:
    """The index of the prototype that is nearest to each prediction.

    >>> nearest_prototype([[0.1, 0.0], [0.0, 0.9]], [[1.0, 0.0], [0.0, 1.0]]).tolist()
    [0, 1]
    """
    from .distances import pairwise_distances_argmin

    return pairwise_distances_argmin(prediction, prototypes)


@checked()
def prototype_error(
    y_true: Rows, prediction: Rows, prototypes: Rows, *, costs: Rows | None = None, sample_weight: Rows | None = None
) -> float:
    """Mean Neyman-Pearson loss: the cost of the true class of rows not nearest to their prototype.

    >>> prototype_error([0, 1], [[0.1, 0.0], [0.8, 0.2]], [[1.0, 0.0], [0.0, 1.0]], costs=[1.0, 3.0])
    1.5
    """
    points, codes, corners, cost, weight = _rows(
        "prototype_error", y_true, prediction, prototypes, costs, sample_weight
    )
    margins = PrototypeHinge(corners).margins(codes, points)
    margins[np.arange(len(points)), codes] = -np.inf
    return float(np.average(cost * (margins.max(axis=1) >= 0), weights=weight))


@checked()
def prototype_hinge_loss(
    y_true: Rows, prediction: Rows, prototypes: Rows, *, costs: Rows | None = None, sample_weight: Rows | None = None
) -> float:
    """Mean of cost times the largest (1 + D_ij)+ over other classes j.

    >>> prototype_hinge_loss([0], [[0.0, 0.0]], [[-1.0, 0.0], [1.0, 0.0]])
    1.0
    """
    owner = "prototype_hinge_loss"
    points, codes, corners, cost, weight = _rows(owner, y_true, prediction, prototypes, costs, sample_weight)
    return float(np.average(cost * PrototypeHinge(corners).value(codes, points), weights=weight))


@checked()
def prototype_logistic_loss(
    y_true: Rows, prediction: Rows, prototypes: Rows, *, costs: Rows | None = None, sample_weight: Rows | None = None
) -> float:
    """Mean of cost times log sum_j exp(D_ij), where D_ii = 0: smooth, and close to the hinge far away.

    >>> round(prototype_logistic_loss([0], [[0.0, 0.0]], [[-1.0, 0.0], [1.0, 0.0]]), 4)
    0.6931
    """
    owner = "prototype_logistic_loss"
    points, codes, corners, cost, weight = _rows(owner, y_true, prediction, prototypes, costs, sample_weight)
    return float(np.average(cost * PrototypeLogistic(corners).value(codes, points), weights=weight))


def _rows(
    owner: str, y_true: Any, prediction: Any, prototypes: Any, costs: Any, sample_weight: Any
) -> tuple[Array, Array, Array, Array, Array | None]:
    """Predictions, indices of their true prototypes, the prototypes, the cost of each row, and its weight."""
    points, corners = numbers(owner, prediction, "prediction"), numbers(owner, prototypes, "prototypes")
    codes = numbers(owner, y_true, "y_true").astype(np.intp)
    same_length(owner, y_true=codes, prediction=points)
    if corners.ndim != 2 or len(corners) < 2 or points.ndim != 2 or points.shape[1] != corners.shape[1]:
        raise DataError(f"{owner}: needs at least two prototypes with as many coordinates as the predictions have")
    if len(np.unique(corners, axis=0)) < len(corners):
        raise DataError(f"{owner}: two prototypes are the same point")
    if codes.min() < 0 or codes.max() >= len(corners):
        raise DataError(f"{owner}: y_true must hold the numbers of prototypes, 0 to {len(corners) - 1}")
    cost = np.ones(len(corners)) if costs is None else numbers(owner, costs, "costs")
    if cost.shape != (len(corners),):
        raise DataError(f"{owner}: costs must be a number for each of {len(corners)} prototypes; got {cost.shape}")
    return points, codes, corners, cost[codes], weights(owner, sample_weight, len(points))
