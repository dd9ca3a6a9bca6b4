"""Duplicate rows, rows that contradict each other, and drift within a file."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...core import Array
from ..text import agree, counted, listed, percent
from .column_statistics import blocks
from .evidence import AlarmEvidence, Findings, p_value_text
from .row_hashes import hash_vectors
from .significance import chi_squared, more_pairs_than_expected, significant_effects, two_samples
from .table_view import AuditView
from .time_order import sorted_by_target

MIN_ROWS = 100  # rows needed to compare the halves of a file
MAX_DISTINGUISHING = 5  # number of columns compared first, those with the fewest equal pairs
DRIFT = 0.2  # Kolmogorov-Smirnov distance, or Cramer's V, between the halves of a file
APART = 1.0  # standard deviations between contradicting amounts


class DuplicateSets:
    """Sets of rows with equal features."""

    def __init__(self, view: AuditView) -> None:
        distinguishing = np.argsort(view.statistics.agreement, kind="stable")
        rows = np.arange(view.n)
        for columns in (distinguishing[:MAX_DISTINGUISHING], distinguishing):  # the second pass only for candidates
            found = _row_hashes(view, tuple(view.names[index] for index in np.sort(columns)), rows)
            order = np.argsort(found, kind="stable")
            starts = np.flatnonzero(np.concatenate([[True], np.diff(found[order]) != 0]))[: len(order)]
            sizes = np.diff(np.append(starts, len(order)))
            rows = rows[order[np.repeat(sizes > 1, sizes)]]
        self.view, self.rows, self.sizes = view, rows, sizes[sizes > 1]
        self.group = np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def more_than_expected(self) -> bool:
        """Whether there are more equal pairs than independent columns would have."""
        return more_pairs_than_expected(self.sizes, self.view.statistics.agreement, self.view.n)

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
        """The rows with an equal target too, and the number of redundant ones among them."""
        order = np.lexsort((self.targets, self.group))
        group, target = self.group[order], self.targets[order]
        again = np.zeros(len(order) + 1, dtype=bool)  # whether a row equals the one before it
        again[1:-1] = (group[1:] == group[:-1]) & (target[1:] == target[:-1])
        return self.rows[order[again[:-1] | again[1:]]], int(again.sum())

    @cached_property
    def ranges(self) -> Array:
        """The range of the targets of each set."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        return np.maximum.reduceat(self.targets, starts) - np.minimum.reduceat(self.targets, starts)


def _row_hashes(view: AuditView, names: tuple[str, ...], rows: Array) -> Array:
    """A hash of each row over some columns: equal for rows with equal entries."""
    total = np.zeros(len(rows), dtype=np.uint64)
    for indices, stack in blocks(view.question.table, names, rows if len(rows) < view.n else None):
        total += hash_vectors(stack, 0, indices)
    for index, name in enumerate(names):
        if name in view.text_columns:
            total += hash_vectors(view.codes_of_all_rows(name).codes[None, rows], 0, np.array([index]))
    return total


def duplicate_rows(view: AuditView) -> Findings:
    """Duplicate rows, and rows with equal features and different targets."""
    all_differ = len(view.rows) == view.n and bool((view.statistics.agreement == 0).any())
    if view.n < 2 or all_differ:
        return
    repeats = DuplicateSets(view)
    if not repeats.more_than_expected:
        return
    if view.question.target is None:
        yield _duplicates(view, repeats.rows, len(repeats.rows) - len(repeats.sizes))
        return
    copies, spare = repeats.copies
    if spare:
        yield _duplicates(view, copies, spare)
    floor, how = (0.0, "different targets") if view.question.classifies else (APART, "targets far apart")
    apart = repeats.ranges > floor
    if apart.any():
        rows = view.row_numbers(np.sort(repeats.rows[apart[repeats.group]]))
        share = f"{counted(len(rows), 'row')} of {view.n} ({percent(len(rows) / view.n)})"
        text = f"{share} in {counted(int(apart.sum()), 'group')}"
        yield AlarmEvidence("LB037", f"{text} with equal features have {how}, for example rows {listed(rows)}")


def _duplicates(view: AuditView, rows: Array, spare: int) -> AlarmEvidence:
    share = f"{counted(spare, 'row')} of {view.n} ({percent(spare / view.n)})"
    return AlarmEvidence(
        "LB036",
        f"{share} {agree('repeats', spare)} another row, for example among rows "
        + listed(view.row_numbers(np.sort(rows))),
    )


def drift(view: AuditView) -> Findings:
    """Columns that differ between the first and the second half of the file."""
    if view.n < MIN_ROWS or view.question.time is not None or sorted_by_target(view):
        return
    names = [name for name in view.some if _may_drift(view, name)]
    found = np.array([_halves(view, name) for name in names]).reshape(-1, 2)
    drifted = np.flatnonzero(significant_effects(found[:, 1], found[:, 0], DRIFT)).tolist()
    if drifted:
        described = [
            f"{names[index]!r} (distance {found[index, 0]:.2f}, {p_value_text(found[index, 1])})" for index in drifted
        ]
        scope = view.scope(rows=True, columns=True)
        text = f"the two halves of the file have different distributions of {listed(described)}{scope}"
        yield AlarmEvidence("LB039", text, tuple(names[index] for index in drifted))


def _may_drift(view: AuditView, name: str) -> bool:
    """Whether drift of a column is meaningful: not of row numbers, nor of texts that hardly repeat."""
    index = view.positions[name]
    distinct, known = view.statistics.distinct[index], view.statistics.known[index]
    if not view.is_number(name):
        return bool(1 < distinct <= known / 5)
    steps = np.diff(view.numbers(name))
    return bool(distinct > 1 and not ((steps > 0).all() or (steps < 0).all()))


def _halves(view: AuditView, name: str) -> tuple[float, float]:
    """Distance between the halves and its p value."""
    half = len(view.rows) // 2
    if view.is_number(name):
        numbers = view.numbers(name)
        parts = [part[np.isfinite(part)] for part in (numbers[:half], numbers[half:])]
        return two_samples(*parts)
    codes, count = view.codes(name).codes, len(view.codes(name).values)
    halves = [np.bincount(part[part >= 0], minlength=count) for part in (codes[:half], codes[half:])]
    return chi_squared(np.stack(halves, axis=1).astype(np.float64))
