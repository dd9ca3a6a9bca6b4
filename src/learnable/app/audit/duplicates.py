"""Rows that are there twice, rows that contradict each other, and files whose parts differ."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...core import Array
from ..text import agree, counted, listed, percent
from .column_statistics import blocks
from .evidence import Evidence, Findings, chance
from .row_hashes import marks
from .significance import chi_squared, more_pairs_than_luck, standing_out, two_samples
from .table_view import View
from .time_order import sorted_by_target

FEWEST = 100  # rows in which parts are compared
MOST_TELLING = 5  # columns that are compared first, those with fewest equal pairs
DRIFT = 0.2  # distance of distributions, or Cramer's V, between the halves of a file
APART = 1.0  # standard deviations between amounts that contradict each other


class Repeats:
    """Groups of rows that have the same features."""

    def __init__(self, view: View) -> None:
        telling = np.argsort(view.facts.alike, kind="stable")
        rows = np.arange(view.n)
        for part in (telling[:MOST_TELLING], telling):  # the second time only for rows that may repeat
            found = _marks(view, tuple(view.names[place] for place in np.sort(part)), rows)
            order = np.argsort(found, kind="stable")
            starts = np.flatnonzero(np.concatenate([[True], np.diff(found[order]) != 0]))[: len(order)]
            sizes = np.diff(np.append(starts, len(order)))
            rows = rows[order[np.repeat(sizes > 1, sizes)]]
        self.view, self.rows, self.sizes = view, rows, sizes[sizes > 1]
        self.group = np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def beyond_luck(self) -> bool:
        """Whether there are more equal pairs than columns without relation would have."""
        return more_pairs_than_luck(self.sizes, self.view.facts.alike, self.view.n)

    @cached_property
    def targets(self) -> Array:
        """The target of the repeated rows: codes of classes, or amounts in standard deviations."""
        if self.view.question.classifies:
            return self.view.classes.codes[self.rows].astype(np.float64)
        amounts = self.view.amounts
        scale = float(np.abs(amounts).max()) or 1.0
        return amounts[self.rows] / scale / (float((amounts / scale).std()) or 1.0)

    @property
    def copies(self) -> tuple[Array, int]:
        """The rows that have the target in common too, and how many there would be fewer if each were there once."""
        order = np.lexsort((self.targets, self.group))
        group, target = self.group[order], self.targets[order]
        again = np.zeros(len(order) + 1, dtype=bool)  # whether a row is like the one before it
        again[1:-1] = (group[1:] == group[:-1]) & (target[1:] == target[:-1])
        return self.rows[order[again[:-1] | again[1:]]], int(again.sum())

    @cached_property
    def ranges(self) -> Array:
        """How far apart the targets of each group are."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.maximum.reduceat(self.targets, starts) - np.minimum.reduceat(self.targets, starts)


def _marks(view: View, names: tuple[str, ...], rows: Array) -> Array:
    """A number for each row that is the same for rows with the same entries in some columns."""
    total = np.zeros(len(rows), dtype=np.uint64)
    for places, stack in blocks(view.question.table, names, rows if len(rows) < view.n else None):
        total += marks(stack, 0, places)
    for place, name in enumerate(names):
        if name in view.words:
            total += marks(view.everywhere(name).codes[None, rows], 0, np.array([place]))
    return total


def repeated_rows(view: View) -> Findings:
    """Rows that are there more than once, and rows with equal features and different targets."""
    all_differ = len(view.rows) == view.n and bool((view.facts.alike == 0).any())
    if view.n < 2 or all_differ:
        return
    repeats = Repeats(view)
    if not repeats.beyond_luck:
        return
    if view.question.target is None:
        yield _repeated(view, repeats.rows, len(repeats.rows) - len(repeats.sizes))
        return
    copies, spare = repeats.copies
    if spare:
        yield _repeated(view, copies, spare)
    floor, how = (0.0, "different targets") if view.question.classifies else (APART, "targets far apart")
    apart = repeats.ranges > floor
    if apart.any():
        rows = view.told(np.sort(repeats.rows[apart[repeats.group]]))
        share = f"{counted(len(rows), 'row')} of {view.n} ({percent(len(rows) / view.n)})"
        text = f"{share} in {counted(int(apart.sum()), 'group')}"
        yield Evidence("LB037", f"{text} with equal features have {how}, such as rows {listed(rows)}")


def _repeated(view: View, rows: Array, spare: int) -> Evidence:
    share = f"{counted(spare, 'row')} of {view.n} ({percent(spare / view.n)})"
    return Evidence(
        "LB036", f"{share} {agree('repeats', spare)} another, such as among rows " + listed(view.told(np.sort(rows)))
    )


def drift(view: View) -> Findings:
    """Columns that differ between the first and the second half of the file."""
    if view.n < FEWEST or view.question.time is not None or sorted_by_target(view):
        return
    names = [name for name in view.some if _may_drift(view, name)]
    found = np.array([_halves(view, name) for name in names]).reshape(-1, 2)
    drifted = np.flatnonzero(standing_out(found[:, 1], found[:, 0], DRIFT)).tolist()
    if drifted:
        told = [f"{names[place]!r} (distance {found[place, 0]:.2f}, {chance(found[place, 1])})" for place in drifted]
        scope = view.scope(rows=True, columns=True)
        text = f"the halves of the file differ in {listed(told)}{scope}"
        yield Evidence("LB039", text, tuple(names[place] for place in drifted))


def _may_drift(view: View, name: str) -> bool:
    """Whether drift says something: not of numbers of rows, nor of words that hardly repeat."""
    place = view.places[name]
    distinct, known = view.facts.distinct[place], view.facts.known[place]
    if not view.is_number(name):
        return bool(1 < distinct <= known / 5)
    steps = np.diff(view.numbers(name))
    return bool(distinct > 1 and not ((steps > 0).all() or (steps < 0).all()))


def _halves(view: View, name: str) -> tuple[float, float]:
    """Distance between the halves and its p value."""
    half = len(view.rows) // 2
    if view.is_number(name):
        numbers = view.numbers(name)
        parts = [part[np.isfinite(part)] for part in (numbers[:half], numbers[half:])]
        return two_samples(*parts)
    codes, count = view.codes(name).codes, len(view.codes(name).values)
    halves = [np.bincount(part[part >= 0], minlength=count) for part in (codes[:half], codes[half:])]
    return chi_squared(np.stack(halves, axis=1).astype(np.float64))
