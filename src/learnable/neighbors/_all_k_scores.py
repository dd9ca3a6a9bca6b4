"""Predictions for every number of neighbours from one search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Table
from ..core.runtime.context import give_way
from ..engines.cv_path import FoldPaths, MethodOutputs
from ..engines.folds import Fold
from ..engines.neighbours import NeighbourSearch
from ._feature_weights import given_weights, of_features
from ._metrics import comparison, effective
from ._mixed_features import categories_among, marks, numbered
from ._voting import median, nearness, normalised


@dataclass(frozen=True)
class RankedNeighbours:
    """Neighbours of queries, nearest first, and how much each of them counts."""

    rows: Array
    weight: Array | None

    def class_votes(self, codes: Array, classes: int, counts: list[int]) -> dict[int, Array]:
        """The votes of the first k neighbours for each class, for every k of `counts`."""
        queries, found = np.arange(len(self.rows)), {}
        votes = np.zeros((len(self.rows), classes))
        for rank in range(max(counts)):
            give_way()
            votes[queries, codes[self.rows[:, rank]]] += 1.0 if self.weight is None else self.weight[:, rank]
            if rank + 1 in counts:
                found[rank + 1] = votes.copy()
        return found

    def averages(self, values: Array, counts: list[int], average: str) -> dict[int, Array]:
        """The mean, or the median, of the values (rows, targets) of the first k neighbours, for every k of `counts`."""
        found = values[self.rows]
        if average == "median":
            return {k: self._median(found, k) for k in counts}
        row_weights = np.ones(self.rows.shape) if self.weight is None else self.weight
        sums = np.cumsum(found * row_weights[:, :, None], axis=1)
        total = np.cumsum(row_weights, axis=1)
        return {k: sums[:, k - 1] / total[:, k - 1, None] for k in counts}

    def _median(self, found: Array, k: int) -> Array:
        give_way()
        return median(found[:, :k], None if self.weight is None else self.weight[:, :k])


def ranked(model: Any, X: Any, train: Array | None, queries: Array | None, k: int) -> RankedNeighbours:
    """The `k` nearest training rows of some rows of `X`; without these, the nearest others of all rows."""
    owner = type(model).__name__
    metric, options = effective(model.metric, 2.0 if model.p is None else model.p, model.metric_params)
    if isinstance(X, Table):
        known = categories_among(X, options.get("categorical"), owner)
        X, options = numbered(X, known, owner), {**options, **marks(metric, known)}
    if model.feature_weights is not None:
        X = of_features(X, given_weights(model, X.shape[1]))
    table = X if train is None else X[train]
    requested = None if queries is None else X[queries]
    if model.pairwise and train is not None:
        table, requested = table[:, train], X[queries][:, train]
    search = NeighbourSearch.of(table, comparison(metric, options, table, owner), model.algorithm)
    distances, rows = search.nearest_others(k) if requested is None else search.nearest(requested, k)
    if model.pairwise and np.isinf(distances).any():
        raise DataError(f"{owner}: every row needs {k} neighbours, and the sparse matrix of distances has fewer")
    return RankedNeighbours(rows, nearness(distances, model.weights))


def _counts(model: Any, values: list[Any], data: Data, parts: list[Fold]) -> list[int] | None:
    """The numbers of neighbours if one search can serve all of them."""
    plain = data.weight is None and model.feature_weights is None and not callable(model.weights)
    whole = all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values)
    if not plain or not whole or model.pairwise or isinstance(data.X, Table) or not values or min(values) < 1:
        return None
    most = min(len(train) for train, _ in parts)
    return [int(value) for value in values] if max(values) <= most else None


def class_paths(model: Any, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
    """For each fold, the predicted classes and probabilities for each number of neighbours."""
    counts = _counts(model, values, data, parts)
    if counts is None or data.y.ndim != 1:
        return None
    return [partial(_class_outputs, model, counts, data, train) for train, _ in parts]


def _class_outputs(model: Any, counts: list[int], data: Data, train: Array, rows: Array) -> list[MethodOutputs]:
    present, codes = np.unique(data.y[train], return_inverse=True)
    found = ranked(model, data.X, train, rows, max(counts)).class_votes(codes, len(present), counts)
    labels = model.classes_[present.astype(np.int64)]
    predictions = []
    for k in counts:
        sure = normalised(found[k])
        predictions.append({"predict": labels[sure.argmax(axis=1)], "predict_proba": sure, "classes_": labels})
    return predictions


def number_paths(model: Any, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
    """For each fold, the mean or median of the targets for each number of neighbours."""
    counts = _counts(model, values, data, parts)
    if counts is None:
        return None
    return [partial(_target_outputs, model, counts, data, train) for train, _ in parts]


def _target_outputs(model: Any, counts: list[int], data: Data, train: Array, rows: Array) -> list[MethodOutputs]:
    targets = data.y[train].reshape(len(train), -1).astype(np.float64)
    found = ranked(model, data.X, train, rows, max(counts)).averages(targets, counts, model.average)
    return [{"predict": found[k].reshape(len(rows), *data.y.shape[1:]).astype(data.y.dtype)} for k in counts]
