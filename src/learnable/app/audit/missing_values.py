"""Missing values: how many, whether they depend on the target, and whether they occur together."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b

import numpy as np

from ...core import Array
from ..text import agree, counted, listed, percent, quoted
from .evidence import AlarmEvidence, Findings, p_value_text
from .significance import correlation_p, overlap_p, significant_effects
from .table_view import AuditView

MOSTLY = 0.5  # fraction of missing values from which a column is mostly missing
MIN_ENTRIES = 10  # missing, and known, entries that a comparison needs
MIN_CORRELATION = 0.15  # smallest relevant correlation of missingness with the target
EMPTY_ROW = 0.8  # fraction of features that a nearly empty row lacks


def mostly_missing(view: AuditView) -> Findings:
    """Columns that are empty in more than half of the rows."""
    share = view.statistics.missing / max(view.n, 1)
    mask = (share > MOSTLY) & (share < 1)
    if mask.any():
        described = [
            f"{name!r} ({percent(part)})" for name, part in zip(view.chosen(mask), share[mask].tolist(), strict=True)
        ]
        yield AlarmEvidence("LB041", f"missing in most rows: {listed(described)}", view.chosen(mask))


def informative_missingness(view: AuditView) -> Findings:
    """Columns whose missingness depends on the target."""
    counts = view.statistics.missing
    names = view.chosen((counts >= MIN_ENTRIES) & (view.n - counts >= MIN_ENTRIES))
    if not names:
        return
    p_values, effects = np.concatenate(
        [_predictive(view, names[start : start + 1000]) for start in range(0, len(names), 1000)]
    ).T
    found = np.flatnonzero(significant_effects(p_values, effects, MIN_CORRELATION)).tolist()
    if found:
        described = [
            f"{names[index]!r} (correlation {effects[index]:.2f}, {p_value_text(p_values[index])})" for index in found
        ]
        text = f"missingness is correlated with the target in {listed(described)}{view.scope(rows=True)}"
        yield AlarmEvidence("LB042", text, tuple(names[index] for index in found))


def _predictive(view: AuditView, names: tuple[str, ...]) -> Array:
    """p-value and correlation of the missingness of each column with the class of the target it predicts best."""
    absent = np.stack([view.missing(name)[view.rows] for name in names]).astype(np.float64)
    sides, rows, counts = view.sides, len(view.rows), absent.sum(axis=1, keepdims=True)
    inside, means = absent @ sides.T, sides.mean(axis=1)
    share = counts / rows
    spread = sides.std(axis=1) * np.sqrt(share * (1 - share))
    r = np.abs(inside / rows - means * share) / np.maximum(spread, 1e-300)
    p_values = overlap_p(inside, counts, means) if view.question.classifies else correlation_p(r, rows)
    best = np.arange(len(names)), np.argmin(p_values, axis=1)
    return np.column_stack([np.minimum(p_values[best] * len(sides), 1.0), r[best]])


def missing_together(view: AuditView) -> Findings:
    """Sets of columns that are missing in the same rows."""
    together = defaultdict(list)
    for name in view.chosen((view.statistics.missing >= MIN_ENTRIES) & (view.statistics.missing < view.n)):
        mask = np.packbits(view.missing(name))
        together[blake2b(mask.tobytes(), digest_size=16).digest()].append(name)
    groups = [names for names in together.values() if len(names) > 1]
    if groups:
        described = [f"{quoted(names, 4)} ({counted(_missing_count(view, names[0]), 'row')})" for names in groups]
        columns = tuple(name for names in groups for name in names)
        yield AlarmEvidence("LB043", f"missing in exactly the same rows: {listed(described)}", columns)


def _missing_count(view: AuditView, name: str) -> int:
    return int(np.count_nonzero(view.missing(name)))


def empty_rows(view: AuditView) -> Findings:
    """Rows without nearly all features, and tables with few complete rows."""
    if not view.statistics.missing.any():
        return
    lacking = np.zeros(view.n, dtype=np.int64)
    for name in view.chosen((view.statistics.missing > 0) & (view.statistics.missing < view.n)):
        lacking += view.missing(name)
    columns = int((view.statistics.missing < view.n).sum())
    empty = np.flatnonzero(lacking >= EMPTY_ROW * columns) if columns >= 3 else np.empty(0, dtype=int)
    if len(empty):
        text = f"{counted(len(empty), 'row')} of {view.n} {agree('lacks', len(empty))} at least {percent(EMPTY_ROW)}"
        yield AlarmEvidence("LB044", f"{text} of the features: rows {listed(view.row_numbers(empty))}")
    complete = int((lacking == 0).sum())
    if complete < view.n / 2 and columns > 1:
        yield AlarmEvidence(
            "LB045", f"{complete} of {counted(view.n, 'row')} {agree('has', complete)} no missing value"
        )
