"""Factors of columns for neighbours: given, or learned by leaving rows out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from ..core import Array, DataError, Matrix, Table
from ..engines.neighbours import NeighbourSearch
from ._metrics import comparison, effective
from ._voting import mean, nearness, shares

FeatureWeights: TypeAlias = Literal["learn"] | Array | list[float] | tuple[float, ...] | None
Loss = Callable[[Any, Array, Array, Array | None], float]

SWEEPS = 3
FACTORS = (0.0, 0.5, 2.0)
MAX_ROWS = 1000  # that factors are learned from


def of_features(X: Matrix, weights: Array | None) -> Matrix:
    """Every column times its factor."""
    if weights is None:
        return X
    if hasattr(X, "tocsr"):
        return X.multiply(weights).tocsr()
    return np.asarray(X * weights)


def learn_weights(model: Any, X: Matrix, targets: Array, loss: Loss) -> Array | None:
    """The feature weights of a model, given or learned; None if it has none."""
    if model.feature_weights is None:
        return None
    if isinstance(X, Table):
        raise DataError(
            f"{type(model).__name__}: feature_weights needs numeric columns, and X has others; pass "
            'metric_params={"weight": [...]}, the weights of the columns in Gower\'s distance'
        )
    if isinstance(model.feature_weights, str):
        return learned_weights(model, X, targets, loss)
    return given_weights(model, X.shape[1])


def given_weights(model: Any, columns: int) -> Array:
    """The given feature weights, one for each column."""
    given = np.asarray(model.feature_weights, dtype=np.float64)
    if given.shape != (columns,) or not np.isfinite(given).all() or (given < 0).any():
        raise DataError(
            f"{type(model).__name__}: feature_weights must be {columns} numbers of at least 0, one per column of X"
        )
    return given


def learned_weights(model: Any, X: Matrix, targets: Array, loss: Loss) -> Array:
    """Factors found column by column: dropped, halved or doubled where that lowers the error on rows left out.

    It begins with columns of unit spread; at most MAX_ROWS rows, evenly spaced, are used.
    """
    step = -(-X.shape[0] // MAX_ROWS)
    rows = X[::step].toarray() if hasattr(X, "toarray") else np.asarray(X[::step], dtype=np.float64)
    requested = targets[::step].reshape(len(rows), -1)
    spread = rows.std(axis=0)
    weights = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
    lowest = _left_out(model, rows * weights, requested, loss)
    for _ in range(SWEEPS):
        before = lowest
        for column in np.flatnonzero(spread > 0):
            for factor in FACTORS:
                tried = weights.copy()
                tried[column] = factor * (weights[column] or 1 / spread[column])
                error = _left_out(model, rows * tried, requested, loss)
                if error < lowest - 1e-12 * abs(lowest):
                    weights, lowest = tried, error
        if lowest >= before:
            break
    return weights


def _left_out(model: Any, rows: Array, targets: Array, loss: Loss) -> float:
    """The leave-one-out error of the model."""
    k = min(model.n_neighbors, len(rows) - 1)
    if k < 1:
        return 0.0
    metric, options = effective(model.metric, 2.0 if model.p is None else model.p, model.metric_params)
    how = comparison(metric, options, rows, type(model).__name__)
    distances, nearest = NeighbourSearch.of(rows, how, model.algorithm).nearest_others(k)
    return loss(model, targets, nearest, nearness(distances, model.weights))


def class_loss(model: Any, codes: Array, nearest: Array, weight: Array | None) -> float:
    """The mean squared difference of the probability of the true class from one."""
    total = 0.0
    for target in range(codes.shape[1]):
        own = codes[:, target]
        found = shares(own[nearest], weight, int(own.max()) + 1)
        total += float(((1 - found[np.arange(len(own)), own]) ** 2).mean())
    return total


def number_loss(model: Any, targets: Array, nearest: Array, weight: Array | None) -> float:
    """The mean squared error."""
    return float(((targets - mean(targets[nearest], weight)) ** 2).mean())
