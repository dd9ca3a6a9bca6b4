"""The best of all structures by dynamic programming over sets of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...core import Array, BudgetError
from ...core.runtime.context import give_way
from .hill_climbing import ArcRules
from .scores import FamilyScores

MAX_COLUMNS = 22  # columns: there are two tables of 2^(p - 1) entries for each


def best_structure(scores: FamilyScores, rules: ArcRules, owner: str) -> Array:
    """The graph with the greatest score of all. [Silander and Myllymaki, 2006]

    The best parents within every set of columns, then the best last column of every set: its parents are in the rest.
    """
    p = scores.size
    if p > MAX_COLUMNS:
        raise BudgetError(
            f"{owner}: the exact search over {p} columns needs {2 * p * 8 * 2.0 ** (p - 1) / 2**30:.3g} GiB, at most "
            f"{MAX_COLUMNS} columns are allowed; use search='hill_climbing' with restarts"
        )
    found = [_best_parents(scores, rules, child) for child in range(p)]
    last = _best_last(p, found)
    matrix = np.zeros((p, p), dtype=bool)
    rest = (1 << p) - 1
    while rest:
        child = int(last[rest])
        rest ^= 1 << child
        parents = int(found[child][1][_squeezed(np.array([rest]), child)[0]])
        matrix[[v for v in range(p) if _spread(parents, child) >> v & 1], child] = True
    return matrix


def _best_parents(scores: FamilyScores, rules: ArcRules, child: int) -> tuple[Array, Array]:
    """For each set of other columns (a bit for each) the best score of parents within it, and these parents."""
    p = scores.size
    others = [v for v in range(p) if v != child]
    best = np.full(1 << (p - 1), -np.inf)
    required = [k for k, v in enumerate(others) if rules.required[v, child]]
    allowed = [k for k, v in enumerate(others) if rules.allowed[v, child]]
    for size in range(min(rules.max_parents, len(allowed)) + 1):
        for base in combinations(allowed, max(size - 1, 0)):
            give_way()
            more = [k for k in allowed if not base or k > base[-1]] if size else []
            if size and not more:
                continue
            tails = [others[k] for k in more] if size else [-1]
            values = scores.extensions(child, [others[k] for k in base], tails)
            for k, value in zip(more if size else [-1], values.tolist(), strict=True):
                chosen = {*base, k} - {-1}
                if chosen.issuperset(required):
                    best[sum(1 << one for one in chosen)] = value
    which = np.arange(len(best))
    for k in range(p - 1):  # a set is as good as the best of its subsets
        value, parents = best.reshape(-1, 2, 1 << k), which.reshape(-1, 2, 1 << k)
        better = value[:, 0] >= value[:, 1]
        parents[:, 1] = np.where(better, parents[:, 0], parents[:, 1])
        value[:, 1] = np.where(better, value[:, 0], value[:, 1])
    return best, which


def _best_last(p: int, found: list[tuple[Array, Array]]) -> Array:
    """The column that is best as the last of every set."""
    sets = np.arange(1 << p, dtype=np.int64)
    count = np.zeros(1 << p, dtype=np.int8)
    for v in range(p):
        count += (sets >> v & 1).astype(np.int8)
    score, last = np.full(1 << p, -np.inf), np.full(1 << p, -1, dtype=np.int8)
    score[0] = 0.0
    for size in range(1, p + 1):
        layer = sets[count == size]
        for v in range(p):
            give_way()
            whole = layer[layer >> v & 1 == 1]
            rest = whole ^ (1 << v)
            value = score[rest] + found[v][0][_squeezed(rest, v)]
            better = value > score[whole]
            score[whole[better]], last[whole[better]] = value[better], v
    return last


def _squeezed(sets: Array, child: int) -> Array:
    """Sets without the bit of a column that they do not have."""
    low = (1 << child) - 1
    return (sets & low) | ((sets >> (child + 1)) << child)


def _spread(mask: int, child: int) -> int:
    """The inverse: a bit for the column is put in."""
    low = (1 << child) - 1
    return (mask & low) | ((mask >> child) << (child + 1))
