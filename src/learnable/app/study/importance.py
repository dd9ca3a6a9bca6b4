"""Permutation importance of the columns for the recommended model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime import context
from ...inspection._encoded_columns import EncodedModel
from .dataset_view import DatasetView
from .metric import StoredPredictions
from .plan import StudyPlan

MAX_ROWS = 2000  # of the test set
MAX_COLUMNS, MIN_COLUMNS = 100, 12  # maximum and minimum number of shuffled columns
MAX_READ = 30_000  # columns read for one shuffle of each: every prediction reads all columns
SHUFFLES = 10
QUICK_ROWS, QUICK_SHUFFLES = 500, 4  # of a quick study


@dataclass(frozen=True, slots=True)
class Importance:
    """The decrease of the score when a column is shuffled, with its interval over shuffles."""

    column: str
    loss: float
    low: float
    high: float


class _PartialTableModel:
    """A model of some columns of a table, the others being fixed."""

    def __init__(self, model: Any, view: DatasetView) -> None:
        self.model, self.view = model, view
        self.n_features_in_ = MAX_COLUMNS
        self._estimator_type = StoredPredictions(np.empty(0), len(view.labels))._estimator_type
        if view.labels:
            self.classes_ = np.arange(len(view.labels))

    def _predictions(self, X: Any) -> Array:
        context.give_way()
        import pyarrow as pa

        table = self.view.frame
        columns = dict(zip(table.column_names, table.columns, strict=True))
        columns.update(zip(X.column_names, X.columns, strict=True))
        return self.view.predict(self.model, pa.table(columns))

    def predict(self, X: Any) -> Array:
        """The predicted value, or the most probable class."""
        return StoredPredictions(self._predictions(X), len(self.view.labels)).predict(X)

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes."""
        return self._predictions(X)


class _EncodedTableModel(_PartialTableModel):
    """A model of the indices of rows, one for each column: the encoded columns of other rows are taken, not encoded.

    A column is encoded row by row, so that shuffling it and shuffling its encoded columns are the same.
    """

    def __init__(self, parts: EncodedModel, view: DatasetView, columns: list[int]) -> None:
        super().__init__(parts.model, view)
        self.encoded = parts.encoded(view.frame)
        self.blocks = [np.flatnonzero(parts.source == column) for column in columns]

    def _predictions(self, X: Any) -> Array:
        context.give_way()
        rows, changed = np.arange(len(X)), self.encoded.copy()
        for j in np.flatnonzero((rows[:, None] != X).any(axis=0)):
            block = self.blocks[j]
            changed[:, block] = self.encoded[np.ix_(X[:, j], block)]
        return self.view.predict(self.model, changed)


def _model_of_columns(model: Any, view: DatasetView, names: list[str]) -> tuple[Any, Any]:
    """A model of some columns of a table, and its rows."""
    features = list(view.question.features)
    parts = None if not view.question.features else EncodedModel.of(model, len(features))
    if parts is None or parts.encoder is None or getattr(parts.encoder, "sparse_output", False):
        return _PartialTableModel(model, view), view.frame.select(names)
    table = np.repeat(np.arange(view.n)[:, None], len(names), axis=1)
    return _EncodedTableModel(parts, view, [features.index(name) for name in names]), table


def importances(model: Any, plan: StudyPlan) -> list[Importance]:
    """Permutation importance on the test set, in decreasing order.

    Of very many columns only those with the strongest univariate relation to the target are shuffled.
    """
    from ...inspection import permutation_importance

    rows, shuffles = (QUICK_ROWS, QUICK_SHUFFLES) if plan.settings.effort == "quick" else (MAX_ROWS, SHUFFLES)
    part = plan.test_set.rows(np.arange(min(plan.test_set.n, rows)))
    names = most_predictive(plan.development, columns_to_shuffle(len(plan.question.features)))
    changed, table = _model_of_columns(model, part, names)
    found = permutation_importance(
        changed, table, part.y, scoring=plan.metric.scorer,
        n_repeats=shuffles, random_state=plan.settings.seed, sample_weight=part.weight,
    )  # fmt: skip
    made = [
        Importance(name, float(found.importances_mean[j]), float(found.low[j]), float(found.high[j]))
        for j, name in enumerate(names)
    ]
    return sorted(made, key=lambda one: -one.loss)


def columns_to_shuffle(columns: int) -> int:
    """The number of columns to shuffle of a table with `columns` features.

    >>> columns_to_shuffle(50), columns_to_shuffle(1000), columns_to_shuffle(5000)
    (100, 30, 12)
    """
    return max(MIN_COLUMNS, min(MAX_COLUMNS, MAX_READ // max(columns, 1)))


def most_predictive(view: DatasetView, most: int) -> list[str]:
    """All features if they are few, otherwise those that explain most of the target on their own, in table order."""
    names = list(view.question.features)
    if len(names) <= most:
        return names
    targets = np.stack([view.y == code for code in range(len(view.labels))] if view.labels else [view.y]).astype(float)
    columns = view.question.table.columns
    explained = np.array([_explained(columns[name], targets) for name in names])
    return [names[j] for j in np.sort(np.argsort(-explained, kind="stable")[:most])]


def _explained(values: Array, targets: Array) -> float:
    """The largest fraction of the variance of a target that the deciles or categories of a column explain."""
    ranks = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)[1]
    parts = ranks if ranks.max(initial=0) < 10 else ranks * 10 // (ranks.max(initial=0) + 1)
    counts = np.bincount(parts)
    means = np.stack([np.bincount(parts, one - one.mean()) / np.maximum(counts, 1) for one in targets])
    return float(((counts * means**2).sum(axis=1) / np.maximum(targets.var(axis=1), 1e-300)).max())
