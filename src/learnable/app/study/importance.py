"""How much the recommended model needs each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime import context
from .dataset_view import Case
from .metric import Remembered
from .plan import Plan

MOST_ROWS = 2000  # of locked rows that are shuffled
MOST_COLUMNS, FEWEST_COLUMNS = 100, 12  # that are shuffled, if there are as many
MOST_READ = 30_000  # columns that are read for one shuffle of each: a model reads all for every one
SHUFFLES = 10


@dataclass(frozen=True, slots=True)
class Importance:
    """How much the score falls when a column is shuffled, with the interval over shuffles."""

    column: str
    loss: float
    low: float
    high: float


class _Among:
    """A model that is told some columns of a table and takes the others as they are."""

    def __init__(self, model: Any, case: Case) -> None:
        self.model, self.case = model, case
        self.n_features_in_ = MOST_COLUMNS
        self._estimator_type = Remembered(np.empty(0), len(case.labels))._estimator_type
        if case.labels:
            self.classes_ = np.arange(len(case.labels))

    def _answers(self, X: Any) -> Array:
        context.give_way()
        import pyarrow as pa

        table = self.case.frame
        columns = dict(zip(table.column_names, table.columns, strict=True))
        columns.update(zip(X.column_names, X.columns, strict=True))
        return self.case.answers(self.model, pa.table(columns))

    def predict(self, X: Any) -> Array:
        """The number, or the likeliest class."""
        return Remembered(self._answers(X), len(self.case.labels)).predict(X)

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes."""
        return self._answers(X)


def importances(model: Any, plan: Plan) -> list[Importance]:
    """Columns from the most important one on, by shuffling each on rows that the model has not seen.

    Of very many columns only those are shuffled that alone go most with the target.
    """
    from ...inspection import permutation_importance

    part = plan.locked.rows(np.arange(min(plan.locked.n, MOST_ROWS)))
    names = most_related(plan.case, most_shuffled(len(plan.question.features)))
    found = permutation_importance(
        _Among(model, part), part.frame.select(names), part.y, scoring=plan.metric.scorer, n_repeats=SHUFFLES,
        random_state=plan.settings.seed, sample_weight=part.weight,
    )  # fmt: skip
    made = [
        Importance(name, float(found.importances_mean[j]), float(found.low[j]), float(found.high[j]))
        for j, name in enumerate(names)
    ]
    return sorted(made, key=lambda one: -one.loss)


def most_shuffled(columns: int) -> int:
    """How many of so many columns are shuffled.

    >>> most_shuffled(50), most_shuffled(1000), most_shuffled(5000)
    (100, 30, 12)
    """
    return max(FEWEST_COLUMNS, min(MOST_COLUMNS, MOST_READ // max(columns, 1)))


def most_related(case: Case, most: int) -> list[str]:
    """All features if they are few; else those whose values alone tell most of the target, in their order."""
    names = list(case.question.features)
    if len(names) <= most:
        return names
    targets = np.stack([case.y == code for code in range(len(case.labels))] if case.labels else [case.y]).astype(float)
    columns = case.question.table.columns
    strength = np.array([_strength(columns[name], targets) for name in names])
    return [names[place] for place in np.sort(np.argsort(-strength, kind="stable")[:most])]


def _strength(values: Array, targets: Array) -> float:
    """The largest share of the variance of a target that the tenths of a column, or its categories, explain."""
    ranks = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)[1]
    parts = ranks if ranks.max(initial=0) < 10 else ranks * 10 // (ranks.max(initial=0) + 1)
    counts = np.bincount(parts)
    means = np.stack([np.bincount(parts, one - one.mean()) / np.maximum(counts, 1) for one in targets])
    return float(((counts * means**2).sum(axis=1) / np.maximum(targets.var(axis=1), 1e-300)).max())
