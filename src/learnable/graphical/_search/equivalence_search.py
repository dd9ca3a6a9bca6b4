"""Greedy equivalence search: single edges are added to, then removed from, whole equivalence classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way
from .._equivalence import cpdag, extension, graph_of
from .hill_climbing import ROUNDING, ArcRules
from .scores import FamilyScores, family

MAX_ROTATIONS = 8  # undirected neighbours of which all subsets are tried


class EdgeChange(NamedTuple):
    """A change of an equivalence class: an edge between x and y, and the neighbours that it directs."""

    gain: float
    x: int
    y: int
    turned: tuple[int, ...]


class EquivalenceSearch:
    """Chickering's two phases; every class is represented by its partially directed graph. [Chickering, 2002]"""

    def __init__(self, scores: FamilyScores, rules: ArcRules) -> None:
        self.scores, self.rules = scores, rules
        self.cache: dict[tuple[int, frozenset[int]], float] = {}

    def run(self) -> Array:
        """The partially directed graph at which both phases end."""
        matrix = np.zeros((self.scores.size,) * 2, dtype=bool)
        for changes, apply in ((self._insertions, _inserted), (self._deletions, _deleted)):
            while True:
                best = max(changes(matrix), key=lambda change: change.gain, default=None)
                if best is None or best.gain <= ROUNDING * self._scale(matrix):
                    break
                graph = extension(apply(matrix, best))
                if graph is None:
                    break
                matrix = cpdag(graph_of(graph))
        return matrix

    def _scale(self, matrix: Array) -> float:
        return abs(sum(self._score(v, frozenset()) for v in range(len(matrix))))

    def _score(self, child: int, parents: frozenset[int]) -> float:
        key = child, parents
        if key not in self.cache:
            give_way()
            self.cache[key] = family(self.scores, child, sorted(parents))
        return self.cache[key]

    def _gain(self, x: int, y: int, base: frozenset[int]) -> float:
        """What the parent x adds to y beside `base`; all parents that could be added are scored in one pass."""
        if (y, base | {x}) not in self.cache:
            give_way()
            others = [v for v in range(self.scores.size) if v != y and v not in base]
            found = self.scores.extensions(y, sorted(base), [-1, *others])
            self.cache[y, base] = float(found[0])
            self.cache |= {(y, base | {v}): float(value) for v, value in zip(others, found[1:], strict=True)}
        return self.cache[y, base | {x}] - self._score(y, base)

    def _insertions(self, matrix: Array) -> Iterator[EdgeChange]:
        joined = matrix | matrix.T
        undirected = matrix & matrix.T
        for x, y in np.argwhere(~joined & self.rules.allowed).tolist():
            near = frozenset(np.flatnonzero(undirected[y] & joined[x]).tolist())
            parents = frozenset(np.flatnonzero(matrix[:, y] & ~matrix[y]).tolist())
            free = np.flatnonzero(undirected[y] & ~joined[x]).tolist()[:MAX_ROTATIONS]
            for size in range(len(free) + 1):
                for turned in combinations(free, size):
                    blocked = near.union(turned)
                    base = blocked | parents
                    if len(base) + 1 > self.rules.max_parents or not _is_clique(joined, blocked):
                        continue
                    gain = self._gain(x, y, base)
                    if gain > 0 and not _reaches(matrix, y, x, blocked):
                        yield EdgeChange(gain, x, y, turned)

    def _deletions(self, matrix: Array) -> Iterator[EdgeChange]:
        joined = matrix | matrix.T
        undirected = matrix & matrix.T
        for x, y in np.argwhere(matrix).tolist():
            near = np.flatnonzero(undirected[y] & joined[x]).tolist()
            parents = frozenset(np.flatnonzero(matrix[:, y] & ~matrix[y]).tolist())
            for size in range(min(len(near), MAX_ROTATIONS) + 1):
                for turned in combinations(near, size):
                    left = frozenset(near) - set(turned)
                    if _is_clique(joined, left):
                        base = (left | parents) - {x}
                        gain = self._score(y, base) - self._score(y, base | {x})
                        if gain > 0:
                            yield EdgeChange(gain, x, y, turned)


def _is_clique(joined: Array, nodes: frozenset[int]) -> bool:
    return all(joined[a, b] for a, b in combinations(nodes, 2))


def _reaches(matrix: Array, start: int, goal: int, blocked: frozenset[int]) -> bool:
    """Whether a semi-directed path that avoids the blocked nodes leads from one node to another."""
    seen, left = {start, *blocked}, [start]
    while left:
        for step in np.flatnonzero(matrix[left.pop()]).tolist():
            if step == goal:
                return True
            if step not in seen:
                seen.add(step)
                left.append(step)
    return False


def _inserted(matrix: Array, change: EdgeChange) -> Array:
    after = matrix.copy()
    after[change.x, change.y] = True
    after[change.y, list(change.turned)] = False
    return after


def _deleted(matrix: Array, change: EdgeChange) -> Array:
    after = matrix.copy()
    x, y, turned = change.x, change.y, list(change.turned)
    after[x, y] = after[y, x] = False
    after[turned, y] = False
    for h in turned:
        if after[x, h] and after[h, x]:
            after[h, x] = False
    return after
