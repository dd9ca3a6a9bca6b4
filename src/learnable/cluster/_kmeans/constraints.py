"""Pairs of rows that must, or must not, be in one group: what follows from them, and whether they contradict."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError

PATIENCE = 20000  # choices after which the search for a way to keep all links is given up


def checked_pairs(name: str, pairs: Any, rows: int) -> Array:
    """Pairs of row numbers, (pairs, 2)."""
    given = np.empty((0, 2), dtype=np.int64) if pairs is None or len(pairs) == 0 else np.asarray(pairs)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise DataError(f"ConstrainedKMeans: {name} must be pairs of row numbers; got {pairs!r:.60}")
    if len(given) and not (given.min() >= 0 and given.max() < rows):
        bad = given[((given < 0) | (given >= rows)).any(axis=1)][0].tolist()
        raise DataError(f"ConstrainedKMeans: {name} names the rows {bad}, but X has the rows 0 to {rows - 1}")
    return given.astype(np.int64)


def components(pairs: Array, rows: int) -> Array:
    """The number of the set that each row is in, when linked rows are in one: must-links closed under transitivity."""
    above = np.arange(rows)

    def top(row: int) -> int:
        while above[row] != row:
            above[row] = above[above[row]]
            row = int(above[row])
        return row

    for one, other in pairs.tolist():
        first, second = sorted((top(one), top(other)))
        above[second] = first
    tops = np.array([top(row) for row in range(rows)])
    return np.unique(tops, return_inverse=True)[1]


def conflicts(sets: Array, must: Array, cannot: Array) -> list[set[int]]:
    """For each set of linked rows, the sets that it may not share a group with; a contradiction is explained."""
    found: list[set[int]] = [set() for _ in range(int(sets.max()) + 1)]
    for one, other in cannot.tolist():
        if one == other:
            raise DataError(f"ConstrainedKMeans: cannot_link names the row {one} twice, which is always with itself")
        if sets[one] == sets[other]:
            chain = " - ".join(map(str, chain_between(must, one, other)))
            raise DataError(
                f"ConstrainedKMeans: the rows {one} and {other} must not be in one group by cannot_link, but must_link "
                f"ties them together: {chain}; drop one of these links"
            )
        found[sets[one]].add(int(sets[other]))
        found[sets[other]].add(int(sets[one]))
    return found


def chain_between(pairs: Array, start: int, end: int) -> list[int]:
    """The shortest chain of linked rows from one row to another."""
    before, waiting = {start: start}, [start]
    for row in waiting:
        if row == end:
            break
        for one, other in pairs.tolist():
            for here, there in ((one, other), (other, one)):
                if here == row and there not in before:
                    before[there] = row
                    waiting.append(there)
    chain = [end]
    while chain[-1] != start:
        chain.append(before[chain[-1]])
    return chain[::-1]


class Allotment:
    """Groups for sets of linked rows such that none shares one with its opponents, cheap ones first.

    The set with the fewest groups left is next; where none is left, the last choice is taken back. So a way that keeps
    all links is found if there is one, unless `patience` choices did not suffice.
    """

    def __init__(self, costs: Array, opponents: list[set[int]], patience: int = PATIENCE) -> None:
        self.order = np.argsort(costs, axis=1, kind="stable")
        self.opponents, self.patience = opponents, patience
        self.barred = np.zeros(costs.shape, dtype=np.int64)  # how many opponents of a set are in a group
        self.taken: dict[int, int] = {}

    def found(self, torn: list[int]) -> dict[int, int] | None:
        """The group of each of these sets; None if there is no way to keep all links, or none was found."""
        stack: list[tuple[int, list[int]]] = []
        while len(self.taken) < len(torn) and self.patience > 0:
            stack.append(self._next(torn))
            while stack and not self._moved(*stack[-1]):
                stack.pop()
            if not stack:
                return None
        return self.taken if len(self.taken) == len(torn) else None

    @property
    def gave_up(self) -> bool:
        """Whether the choices ran out before all were tried, so that nothing is proven."""
        return self.patience <= 0

    def _next(self, torn: list[int]) -> tuple[int, list[int]]:
        """The set that has the fewest groups left, and these, the dearest first."""
        waiting = np.array([one for one in torn if one not in self.taken])
        one = int(waiting[np.argmin((self.barred[waiting] == 0).sum(axis=1))])
        return one, [int(group) for group in self.order[one][::-1] if self.barred[one, group] == 0]

    def _moved(self, one: int, groups: list[int]) -> bool:
        """Put the set into the cheapest group that is left for it; False if there is none."""
        self.patience -= 1
        if one in self.taken:
            self._count(one, self.taken.pop(one), -1)
        if not groups:
            return False
        self.taken[one] = groups.pop()
        self._count(one, self.taken[one], 1)
        return True

    def _count(self, one: int, group: int, by: int) -> None:
        self.barred[list(self.opponents[one]), group] += by
