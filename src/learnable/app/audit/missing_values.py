"""Missing entries: how many, whether they say something of the target, and whether they come together."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b

import numpy as np

from ...core import Array
from ..text import agree, counted, listed, percent, quoted
from .evidence import Evidence, Findings, chance
from .significance import correlation_p, overlap_p, standing_out
from .table_view import View

MOSTLY = 0.5  # share of missing entries from which a column is mostly empty
FEWEST = 10  # missing entries, and known ones, that a comparison needs
TELLS = 0.15  # correlation of missing entries with the target that matters
EMPTY_ROW = 0.8  # share of features that a mostly empty row lacks


def mostly_missing(view: View) -> Findings:
    """Columns that are empty in more than half of the rows."""
    share = view.facts.missing / max(view.n, 1)
    mask = (share > MOSTLY) & (share < 1)
    if mask.any():
        told = [
            f"{name!r} ({percent(part)})" for name, part in zip(view.chosen(mask), share[mask].tolist(), strict=True)
        ]
        yield Evidence("LB041", f"missing in most rows: {listed(told)}", view.chosen(mask))


def missing_tells_target(view: View) -> Findings:
    """Columns whose missing entries go with some targets more than with others."""
    counts = view.facts.missing
    names = view.chosen((counts >= FEWEST) & (view.n - counts >= FEWEST))
    if not names:
        return
    p_values, effects = np.concatenate(
        [_telling(view, names[start : start + 1000]) for start in range(0, len(names), 1000)]
    ).T
    found = np.flatnonzero(standing_out(p_values, effects, TELLS)).tolist()
    if found:
        told = [f"{names[place]!r} (correlation {effects[place]:.2f}, {chance(p_values[place])})" for place in found]
        text = f"whether an entry is missing goes with the target in {listed(told)}{view.scope(rows=True)}"
        yield Evidence("LB042", text, tuple(names[place] for place in found))


def _telling(view: View, names: tuple[str, ...]) -> Array:
    """p value and correlation of the gaps of each column with the side of the target that they say most of."""
    gone = np.stack([view.gone(name)[view.rows] for name in names]).astype(np.float64)
    sides, rows, counts = view.sides, len(view.rows), gone.sum(axis=1, keepdims=True)
    inside, means = gone @ sides.T, sides.mean(axis=1)
    share = counts / rows
    spread = sides.std(axis=1) * np.sqrt(share * (1 - share))
    r = np.abs(inside / rows - means * share) / np.maximum(spread, 1e-300)
    p_values = overlap_p(inside, counts, means) if view.question.classifies else correlation_p(r, rows)
    best = np.arange(len(names)), np.argmin(p_values, axis=1)
    return np.column_stack([np.minimum(p_values[best] * len(sides), 1.0), r[best]])


def missing_together(view: View) -> Findings:
    """Groups of columns that are missing in the same rows."""
    together = defaultdict(list)
    for name in view.chosen((view.facts.missing >= FEWEST) & (view.facts.missing < view.n)):
        gone = np.packbits(view.gone(name))
        together[blake2b(gone.tobytes(), digest_size=16).digest()].append(name)
    groups = [names for names in together.values() if len(names) > 1]
    if groups:
        told = [f"{quoted(names, 4)} ({counted(_gaps(view, names[0]), 'row')})" for names in groups]
        columns = tuple(name for names in groups for name in names)
        yield Evidence("LB043", f"missing in exactly the same rows: {listed(told)}", columns)


def _gaps(view: View, name: str) -> int:
    return int(np.count_nonzero(view.gone(name)))


def empty_rows(view: View) -> Findings:
    """Rows that lack nearly all features; and tables in which hardly a row is complete."""
    if not view.facts.missing.any():
        return
    lacking = np.zeros(view.n, dtype=np.int64)
    for name in view.chosen((view.facts.missing > 0) & (view.facts.missing < view.n)):
        lacking += view.gone(name)
    columns = int((view.facts.missing < view.n).sum())
    empty = np.flatnonzero(lacking >= EMPTY_ROW * columns) if columns >= 3 else np.empty(0, dtype=int)
    if len(empty):
        text = f"{counted(len(empty), 'row')} of {view.n} {agree('lacks', len(empty))} at least {percent(EMPTY_ROW)}"
        yield Evidence("LB044", f"{text} of the features: rows {listed(view.told(empty))}")
    complete = int((lacking == 0).sum())
    if complete < view.n / 2 and columns > 1:
        yield Evidence("LB045", f"{complete} of {counted(view.n, 'row')} {agree('has', complete)} every feature")
