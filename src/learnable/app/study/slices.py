"""Error by subgroup: rows with a common category, quarter of values or missing value of one column."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...core import Array
from ...core.validate.mixed_table import is_missing
from ...inference import holm, two_sample_t_test
from ..task import Question

MAX_COLUMNS, MAX_LEVELS, MIN_ROWS = 30, 6, 20
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Slice:
    """A subgroup of rows, its mean error and that of all other rows; p is adjusted for the number of subgroups."""

    column: str
    condition: str
    rows: int
    error: float
    other_error: float
    p_value: float

    @property
    def significant(self) -> bool:
        """Whether the difference is significant."""
        return self.p_value < ALPHA


def slices(question: Question, errors: Array, columns: list[str]) -> list[Slice]:
    """All subgroups of the given columns with enough rows, the most significant first."""
    found = []
    for name in columns[:MAX_COLUMNS]:
        for condition, chosen in _subgroups(name, question.table.columns[name]):
            if min(chosen.sum(), (~chosen).sum()) >= MIN_ROWS:
                found.append((name, condition, chosen))
    if not found:
        return []
    raw = [_p_value(errors[chosen], errors[~chosen]) for _, _, chosen in found]
    adjusted = holm(raw).adjusted
    made = [
        Slice(name, condition, int(chosen.sum()), float(errors[chosen].mean()), float(errors[~chosen].mean()), float(p))
        for (name, condition, chosen), p in zip(found, adjusted, strict=True)
    ]
    return sorted(made, key=lambda one: (one.p_value, -(one.error - one.other_error)))


def _p_value(inside: Array, outside: Array) -> float:
    if inside.std() == 0 and outside.std() == 0:
        return 1.0 if inside.mean() == outside.mean() else 0.0
    return float(two_sample_t_test(inside, outside).p_value)


def _subgroups(name: str, values: Array) -> list[tuple[str, Array]]:
    """Quarters of numeric and time columns, the most frequent categories, and rows with a missing value."""
    missing = is_missing(values)
    found = [(f"{name} is missing", missing)] if missing.any() else []
    known = values[~missing]
    if values.dtype.kind in "fiuM":
        return found + _quarters(name, values, missing, known)
    texts = np.where(missing, "", values.astype(object)).astype(str)
    return found + [(f"{name} = {level:.40}", ~missing & (texts == level)) for level in frequent(values)]


def frequent(values: Array) -> list[str]:
    """The most frequent categories of a column, as texts."""
    levels, counts = np.unique(values[~is_missing(values)].astype(str), return_counts=True)
    return [str(level) for level in levels[np.argsort(-counts, kind="stable")][:MAX_LEVELS]]


def _quarters(name: str, values: Array, missing: Array, known: Array) -> list[tuple[str, Array]]:
    distinct = np.unique(known)
    if len(distinct) <= MAX_LEVELS:
        return [(f"{name} = {_short(level)}", ~missing & (values == level)) for level in distinct]
    inner = np.unique(np.sort(known)[[len(known) // 4, len(known) // 2, 3 * len(known) // 4]])
    edges = [distinct[0], *inner, distinct[-1]]
    found = []
    for k, (low, high) in enumerate(pairwise(edges)):
        last = k == len(edges) - 2
        inside = ~missing & (values >= low) & ((values <= high) if last else (values < high))
        found.append((f"{_short(low)} ≤ {name} {'≤' if last else '<'} {_short(high)}", inside))
    return found


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating, int, np.integer)) else str(value)[:10]
