"""Columns that say what other columns say: equal, an exact combination, or nearly one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ...core import Array
from .coded import as_numbers, coded
from .evidence import Evidence, Findings, listed
from .view import View, standardised

EXACT, STRONG = 1e7, 30.0  # variance inflations of a column that others give exactly, and of one they nearly give
RIDGE = 1e-10  # keeps columns that are exact sums of others within the reach of an inverse
ROWS_PER_COLUMN = 3  # with fewer, columns are near sums of others by chance


def equal_columns(view: View) -> Findings:
    """Groups of columns whose entries are the same in all rows."""
    together = defaultdict(list)
    for name in view.chosen((view.facts.distinct > 1) & (view.facts.known > 1)):
        together[_digest(view, name, view.rows)].append(name)
    groups = [group for same in together.values() if len(same) > 1 for group in _confirmed(view, same)]
    if groups:
        told = [" = ".join(group[:4]) for group in groups]
        spare = tuple(name for group in groups for name in group[1:])
        yield Evidence("LB017", f"the same entries in every row: {listed(told)}", spare)


def _digest(view: View, name: str, rows: Array) -> bytes:
    """A short stand-in for the entries of a column: numbers by value, words by where they repeat and what they are."""
    values = view.values(name)[rows]
    if view.is_number(name):
        return blake2b((as_numbers(values) + 0.0).tobytes(), digest_size=16).digest()
    column = view.codes(name) if len(rows) == len(view.rows) else coded(values)
    words = "\x1f".join(map(str, column.values)).encode("utf-8", "surrogatepass")
    return blake2b(column.codes.tobytes() + words, digest_size=16).digest()


def _confirmed(view: View, same: list[str]) -> list[list[str]]:
    """Columns that agree in the sample, grouped by their entries in all rows."""
    if len(view.rows) == view.n:
        return [same]
    together, everything = defaultdict(list), np.arange(view.n)
    for name in same:
        together[_digest(view, name, everything)].append(name)
    return [group for group in together.values() if len(group) > 1]


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

    def told(self, chosen: Array) -> tuple[list[str], tuple[str, ...]]:
        """Columns in words, with what they follow from, and by name."""
        places = np.flatnonzero(chosen).tolist()
        words = [
            f"{self.names[place]} from {' and '.join(self.partners(place)[:3])} (inflation {self.factors[place]:.3g})"
            for place in places
        ]
        return words, tuple(self.names[place] for place in places)


def derived_columns(view: View) -> Findings:
    """Columns that are a weighted sum of others, exactly or nearly."""
    found = _inflations(view)
    exact, strong = found.factors >= EXACT, (found.factors >= STRONG) & (found.factors < EXACT)
    for code, chosen, how in (("LB018", exact, "exactly"), ("LB019", strong, "nearly")):
        if chosen.any():
            words, columns = found.told(chosen)
            yield Evidence(code, f"given {how}: {listed(words)}{view.scope(rows=True, columns=True)}", columns)


def _inflations(view: View) -> Inflations:
    """The variance inflations of the columns of numbers that vary, one of each set of equal ones."""
    spare = {name for found in equal_columns(view) for name in found.columns}
    varying = set(view.chosen((view.facts.distinct > 1) & (view.facts.number == 1)))
    names = tuple(name for name in view.some if name in varying - spare)
    rows = len(view.rows)
    if len(names) < 2 or rows < ROWS_PER_COLUMN * len(names):
        return Inflations((), np.empty(0), np.empty((0, 0)))
    stack = standardised(np.stack([view.numbers(name) for name in names]))
    alike = stack @ stack.T / rows
    precision = np.linalg.inv(alike + RIDGE * np.eye(len(names)))
    return Inflations(names, np.diag(precision) * (rows - len(names)) / rows, precision)
