"""How good an ensemble is on rows that its parts did not see."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..core import Array
from ..core.errors import warn
from ..engines.trees.forest import Forest


def running_sums(forest: Forest, X: Array, counts: Array) -> Iterator[tuple[Array, Array]]:
    """After each tree: the answers, added up, of all so far that did not see a row, and how many these are.

    `counts[t, i]` is how often tree t saw row i. The arrays are the same ones each time, changed.
    """
    total, judges = np.zeros((len(X), forest.stack.value.shape[1])), np.zeros(len(X))
    for t, seen in enumerate(counts):
        strange = np.flatnonzero(seen == 0)
        total[strange] += forest.stack.sums(X[strange], t + 1, t)
        judges[strange] += 1
        yield total, judges


def judged(
    forest: Forest, X: Array, counts: Array, score: Callable[[Array, Array], float]
) -> tuple[Array, Array, float]:
    """The mean answer of the trees that did not see a row, zero where all did; the course of the score; and the score.

    `score` is told the mean answers and which rows they are for.
    """
    curve, mean = np.full(len(counts), np.nan), np.zeros((0, 0))
    for t, (total, judges) in enumerate(running_sums(forest, X, counts)):
        met = np.flatnonzero(judges)
        mean = total / np.maximum(judges, 1)[:, None]
        if len(met):
            curve[t] = score(mean[met], met)
    if len(met) < len(X):
        warn("Some rows were drawn by every tree and have no out-of-bag answer; use more trees.", UserWarning)
    return mean, curve, score(mean, np.arange(len(X)))
