"""Constraint-based structure learning: PC-stable, and the neighbourhoods of MMPC."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way
from .._equivalence import extension, orient
from .hill_climbing import ArcRules, ancestors
from .independence import IndependenceTest

MAX_GIVEN = 3  # columns on which MMPC conditions at once
Separators = dict[tuple[int, int], tuple[int, ...]]


def pc_stable(test: IndependenceTest, rules: ArcRules, alpha: float, max_given: int) -> tuple[Array, Separators]:
    """The partially directed graph of PC-stable, and the sets that separated columns.

    An edge goes as soon as some set of neighbours makes its ends independent; within a level of set sizes neighbours
    are those before the level, so that the order of the columns does not matter. [Colombo and Maathuis, 2014]
    """
    p = test.size
    joined = (rules.allowed | rules.allowed.T) & ~np.eye(p, dtype=bool)
    kept = rules.required | rules.required.T
    separators: Separators = {}
    level = 0
    while level <= max_given and (joined.sum(axis=0) > level).any():
        before = joined.copy()
        for x in range(p):
            _thin(test, x, before, joined, kept, level, alpha, separators)
        level += 1
    return _oriented(joined, separators, rules), separators


def _thin(
    test: IndependenceTest, x: int, before: Array, joined: Array, kept: Array, level: int, alpha: float,
    separators: Separators,
) -> None:  # fmt: skip
    """Remove the edges of a column that some set of its neighbours explains."""
    neighbours = np.flatnonzero(before[x]).tolist()
    for given in combinations(neighbours, level):
        others = [y for y in neighbours if y not in given and joined[x, y] and not kept[x, y]]
        if not others:
            continue
        give_way()
        for y, p_value in zip(others, test.p_values(x, given, others), strict=True):
            if p_value > alpha:
                joined[x, y] = joined[y, x] = False
                separators[min(x, y), max(x, y)] = given


def _oriented(joined: Array, separators: Separators, rules: ArcRules) -> Array:
    """Direct colliders (ends separated without the middle), then what Meek's rules and the given arcs decide."""
    matrix = joined.copy()
    directed = joined & (rules.required | ~rules.allowed.T)
    matrix &= ~directed.T
    for c in range(len(joined)):
        for a, b in combinations(np.flatnonzero(joined[:, c]).tolist(), 2):
            separated = separators.get((a, b))
            if joined[a, b] or separated is None or c in separated:
                continue
            if matrix[a, c] and matrix[b, c]:  # not yet directed the other way
                matrix[c, a] = matrix[c, b] = False
    return orient(matrix)


def to_dag(matrix: Array, required: Array) -> Array:
    """A directed acyclic graph of a partially directed one; where none agrees, edges that would close a cycle turn."""
    found = extension(matrix)
    if found is not None:
        return found
    result = required.copy()
    edges = [*np.argwhere(matrix & ~matrix.T).tolist(), *np.argwhere(np.triu(matrix & matrix.T)).tolist()]
    for a, b in edges:
        if result[a, b] or result[b, a]:
            continue
        above = ancestors(result)
        result[(b, a) if above[b, a] else (a, b)] = True
    return result


def candidates(test: IndependenceTest, rules: ArcRules, alpha: float) -> Array:
    """Which pairs may be adjacent: each column is in the other's neighbourhood (MMPC). [Tsamardinos et al., 2006]"""
    p = test.size
    found = np.zeros((p, p), dtype=bool)
    for x in range(p):
        found[x, _neighbourhood(test, x, rules.allowed[x] | rules.allowed[:, x], alpha)] = True
    return found & found.T


def _neighbourhood(test: IndependenceTest, x: int, allowed: Array, alpha: float) -> list[int]:
    """Parents and children of a column: the one whose least association is greatest joins, then false ones leave."""
    left = [y for y in np.flatnonzero(allowed).tolist() if y != x]
    worst = dict.fromkeys(left, -1.0)  # the largest p-value over all sets of neighbours tried so far
    chosen: list[int] = []
    fresh: Sequence[tuple[int, ...]] = [()]
    while left:
        for given in fresh:
            give_way()
            for y, p_value in zip(left, test.p_values(x, given, left), strict=True):
                worst[y] = max(worst[y], float(p_value))
        left = [y for y in left if worst[y] <= alpha]
        if not left:
            break
        best = min(left, key=lambda y: (worst[y], y))
        left.remove(best)
        sizes = range(min(len(chosen), MAX_GIVEN - 1) + 1)
        fresh = [(*given, best) for size in sizes for given in combinations(chosen, size)]
        chosen.append(best)
    for y in list(chosen):
        others = [z for z in chosen if z != y]
        sizes = range(min(len(others), MAX_GIVEN) + 1)
        sets = (given for size in sizes for given in combinations(others, size))
        if any(float(test.p_values(x, given, [y])[0]) > alpha for given in sets):
            chosen.remove(y)
    return chosen
