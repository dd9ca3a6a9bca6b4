"""Columns that say what other columns say: equal, an exact combination, or nearly one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from ...core import Array
from ..text import listed, together
from .column_statistics import blocks
from .encoded_columns import as_numbers, coded, holds_numbers
from .evidence import Evidence, Findings
from .row_hashes import marks
from .table_view import View, standardised

EXACT, STRONG = 1e7, 30.0  # variance inflations of a column that others give exactly, and of one they nearly give
RIDGE = 1e-10  # keeps columns that are exact sums of others within the reach of an inverse
ROWS_PER_COLUMN = 3  # with fewer, columns are near sums of others by chance


def equal_columns(view: View) -> Findings:
    """Groups of columns whose entries are the same in all rows."""
    varying = view.facts.distinct > 1
    groups = [same for found in _alike(view, varying).values() for same in _confirmed(view, found)]
    if groups:
        told = [" = ".join(map(repr, group[:4])) for group in groups]
        spare = tuple(name for group in groups for name in group[1:])
        yield Evidence("LB017", f"the same entries in every row: {listed(told)}", spare)


def _alike(view: View, chosen: Array) -> dict[Any, list[str]]:
    """Columns by what stands for their entries in the sample: numbers by value, words by value and place."""
    together = defaultdict(list)
    for places, stack in blocks(view.question.table, view.names, view.rows):
        for place, mark in zip(places, marks(stack, 1, np.arange(stack.shape[1])).tolist(), strict=True):
            if chosen[place]:
                together[mark].append(view.names[place])
    for name, column in view.words.items():
        if chosen[view.places[name]]:
            digest = blake2b(column.codes.tobytes() + "\x1f".join(map(str, column.values)).encode("utf-8", "replace"))
            together[digest.digest()].append(name)
    return {mark: names for mark, names in together.items() if len(names) > 1}


def _confirmed(view: View, names: list[str]) -> list[list[str]]:
    """Columns that agree in the sample, if they agree with the first of them in all rows."""
    first = view.values(names[0])
    same = [name for name in names[1:] if _equal(first, view.values(name))]
    return [[names[0], *same]] if same else []


def _equal(first: Array, second: Array) -> bool:
    if holds_numbers(first):
        return bool(np.array_equal(as_numbers(first), as_numbers(second), equal_nan=True))
    return bool((coded(first).codes == coded(second).codes).all())


@dataclass(frozen=True, slots=True)
class Inflations:
    """How much the variance of each coefficient grows because other columns say the same: 1 / (1 - R^2) of a column."""

    names: tuple[str, ...]
    factors: Array
    precision: Array

    def partners(self, place: int) -> list[str]:
        """The columns that a column follows from, those with most weight first."""
        weight = np.abs(self.precision[place])
        order = [other for other in np.argsort(-weight, kind="stable") if other != place]
        return [self.names[other] for other in order if weight[other] > 0.01 * weight[place]]

    def told(self, chosen: Array, how: str) -> tuple[list[str], tuple[str, ...]]:
        """Columns in words, with what they follow from, and by name."""
        places = np.flatnonzero(chosen).tolist()
        words = [
            f"{self.names[place]!r} is {how} a weighted sum of {together(list(map(repr, self.partners(place))), 3)} "
            f"(inflation {self.factors[place]:.3g})"
            for place in places
        ]
        return words, tuple(self.names[place] for place in places)


NONE = Inflations((), np.empty(0), np.empty((0, 0)))


def derived_columns(view: View) -> Findings:
    """Columns that are a weighted sum of others, exactly or nearly."""
    found = _inflations(view)
    exact, strong = found.factors >= EXACT, (found.factors >= STRONG) & (found.factors < EXACT)
    for code, chosen, how in (("LB018", exact, "exactly"), ("LB019", strong, "nearly")):
        if chosen.any():
            words, columns = found.told(chosen, how)
            yield Evidence(code, f"{listed(words)}{view.scope(rows=True, columns=True)}", columns)


def _inflations(view: View) -> Inflations:
    """The variance inflations of the columns of numbers that vary, one of each set of equal ones."""
    rows, varying = len(view.rows), (view.facts.distinct > 1) & (view.facts.number == 1)
    some = [name for name in view.some if varying[view.places[name]]]
    if rows < ROWS_PER_COLUMN * len(some):
        return NONE
    spare = {name for names in _alike(view, varying).values() for name in names[1:]}
    names = tuple(name for name in some if name not in spare)
    if len(names) < 2:
        return NONE
    stack = standardised(np.stack([view.numbers(name) for name in names]))
    alike = stack @ stack.T / rows
    precision = np.linalg.inv(alike + RIDGE * np.eye(len(names)))
    return Inflations(names, np.diag(precision) * (rows - len(names)) / rows, precision)
