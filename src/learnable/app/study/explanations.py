"""Explanations of the recommended model: contributions to single predictions, and interactions of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime.random import generator
from ...inspection import Interaction, contributions, interactions
from .plan import StudyPlan

BACKGROUND = 50  # development rows that explained rows are compared with
MAX_PREDICTED = 20_000  # rows that are predicted for one explanation
MIN_WALKS, MAX_WALKS = 8, 64
SHOWN = 8  # columns of an explained row
FEATURES, ROWS = 4, 40  # of the interactions
KINDS = ("lowest", "median", "highest")


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of a column to a prediction, with the ends of its 95 % interval; equal if it is exact."""

    column: str
    entry: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """A test row whose prediction is the `kind` of all: `value` is `base` plus all contributions."""

    kind: str
    row: int
    truth: Any
    base: float
    value: float
    unit: str
    method: str
    contributions: list[Contribution]
    others: float  # the sum of the contributions that are not listed


def explain_rows(model: Any, plan: StudyPlan, predictions: Array | None = None) -> list[ExplainedRow]:
    """The test rows with the lowest, the median and the highest prediction, explained against development rows."""
    view, test = plan.development, plan.test_set
    predictions = test.predict(model) if predictions is None else predictions
    values = predictions[:, -1] if predictions.ndim == 2 else predictions
    order = np.argsort(values, kind="stable")
    chosen = np.unique(order[[0, len(order) // 2, -1]], return_index=True)
    rows = order[np.array([0, len(order) // 2, len(order) - 1])[np.sort(chosen[1])]]
    frame = test.frame.take(rows)
    background = view.frame.take(np.sort(generator(plan.settings.seed, BACKGROUND).permutation(view.n)[:BACKGROUND]))
    walks = max(MIN_WALKS, min(MAX_WALKS, MAX_PREDICTED // (2 * (frame.num_columns + 1))))
    output = len(view.labels) - 1 if view.labels else None
    found = contributions(
        model, frame, background, output=output, n_permutations=walks, random_state=plan.settings.seed
    )
    of = f" of {plan.question.target} = {view.labels[-1]}" if view.labels else ""
    entries = frame.to_pylist()
    numbers, truth = test.question.numbers(rows).tolist(), test.question.y[rows].tolist()
    made = []
    for k, number in enumerate(numbers):
        lines = [
            Contribution(name, _shown(entries[k][name]), *map(float, ends))
            for name, *ends in zip(found.names, found.values[k], found.low[k], found.high[k], strict=True)
        ]
        lines.sort(key=lambda one: -abs(one.value))
        base, total = float(found.base[k]), float(found.values[k].sum())
        kind = KINDS[int(np.sort(chosen[1])[k])]
        rest = sum(one.value for one in lines[SHOWN:])
        made.append(
            ExplainedRow(
                kind, number, truth[k], base, base + total, found.unit + of, found.method, lines[:SHOWN], float(rest)
            )
        )
    return made


def _shown(entry: Any) -> str:
    """An entry as text, as in a table."""
    if entry is None or entry != entry:
        return "missing"
    if isinstance(entry, float):
        return f"{entry:.4g}" if abs(entry) < 1e4 else f"{entry:.6g}"
    return str(entry)[:60]


def find_interactions(model: Any, plan: StudyPlan, names: list[str]) -> list[Interaction]:
    """Friedman's H of the pairs of the most important features, on development rows."""
    if len(names) < 2:
        return []
    view = plan.development
    output = len(view.labels) - 1 if view.labels else None
    rows = view.frame.take(np.sort(generator(plan.settings.seed, ROWS).permutation(view.n)[:ROWS]))
    return interactions(model, rows, names[:FEATURES], output=output, max_samples=ROWS, random_state=plan.settings.seed)
