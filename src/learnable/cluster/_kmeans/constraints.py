"""Must-link and cannot-link constraints: transitive closure, contradictions, and feasible assignments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError

PATIENCE = 20000  # choices after which the search for a feasible assignment stops


def check_pairs(name: str, pairs: Any, rows: int) -> Array:
    """Pairs of row indices as an array of shape (pairs, 2), checked."""
    given = np.empty((0, 2), dtype=np.int64) if pairs is None or len(pairs) == 0 else np.asarray(pairs)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise DataError(f"ConstrainedKMeans: {name} must be pairs of row indices; got {pairs!r:.60}")
    if len(given) and not (given.min() >= 0 and given.max() < rows):
        bad = given[((given < 0) | (given >= rows)).any(axis=1)][0].tolist()
        raise DataError(f"ConstrainedKMeans: {name} names the rows {bad}, but X has the rows 0 to {rows - 1}")
    return given.astype(np.int64)


def components(pairs: Array, rows: int) -> Array:
    """The connected component of each row under must-links (transitive closure), numbered from 0."""
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
    """For each must-link component, those it may not share a cluster with; a contradiction is an error."""
    found: list[set[int]] = [set() for _ in range(int(sets.max()) + 1)]
    for one, other in cannot.tolist():
        if one == other:
            raise DataError(
                f"ConstrainedKMeans: cannot_link names the row {one} twice; a row is always in its own cluster"
            )
        if sets[one] == sets[other]:
            chain = " - ".join(map(str, chain_between(must, one, other)))
            raise DataError(
                f"ConstrainedKMeans: the rows {one} and {other} must not be in one cluster by cannot_link, but "
                f"must_link connects them: {chain}; drop one of these links"
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


class FeasibleAssignment:
    """Backtracking search for clusters of must-link components that satisfy all cannot-links, cheapest clusters first.

    The component with the fewest feasible clusters is next; if none is left, the last choice is undone. A feasible
    assignment is found if there is one, unless `patience` choices did not suffice.
    """

    def __init__(self, costs: Array, opponents: list[set[int]], patience: int = PATIENCE) -> None:
        self.order = np.argsort(costs, axis=1, kind="stable")
        self.opponents, self.patience = opponents, patience
        self.barred = np.zeros(costs.shape, dtype=np.int64)  # number of opponents of a component in a cluster
        self.taken: dict[int, int] = {}

    def search(self, conflicting: list[int]) -> dict[int, int] | None:
        """The cluster of each of these components; None if no feasible assignment exists or was found."""
        stack: list[tuple[int, list[int]]] = []
        while len(self.taken) < len(conflicting) and self.patience > 0:
            stack.append(self._next(conflicting))
            while stack and not self._place_next(*stack[-1]):
                stack.pop()
            if not stack:
                return None
        return self.taken if len(self.taken) == len(conflicting) else None

    @property
    def gave_up(self) -> bool:
        """Whether the search stopped before all choices were tried, so that infeasibility is not proven."""
        return self.patience <= 0

    def _next(self, conflicting: list[int]) -> tuple[int, list[int]]:
        """The component with the fewest feasible clusters, and these, the most expensive first."""
        waiting = np.array([one for one in conflicting if one not in self.taken])
        one = int(waiting[np.argmin((self.barred[waiting] == 0).sum(axis=1))])
        return one, [int(k) for k in self.order[one][::-1] if self.barred[one, k] == 0]

    def _place_next(self, one: int, clusters: list[int]) -> bool:
        """Assign the component to its cheapest feasible cluster; False if there is none."""
        self.patience -= 1
        if one in self.taken:
            self._count(one, self.taken.pop(one), -1)
        if not clusters:
            return False
        self.taken[one] = clusters.pop()
        self._count(one, self.taken[one], 1)
        return True

    def _count(self, one: int, cluster: int, by: int) -> None:
        self.barred[list(self.opponents[one]), cluster] += by
