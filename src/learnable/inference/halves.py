"""How much a mean over folds varies, told from halves of the table that share no rows.

Scores of folds depend on each other through the rows that their models share, and no number computed from the scores
alone can tell how much [Bengio and Grandvalet, 2004]. Two halves of the table share nothing: half the squared
difference of their cross-validated scores is an unbiased estimate of the variance of such a score. Divided by what it
would be if folds were independent, it is the `inflation` that the folds of the whole table are given as well. Halves
are chosen so that every pair of folds is about as often together as apart. [McCarthy, 1969]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ..core import Array
from ..core.random import generator
from ..engines.folds import Fold
from ..parts.intervals import Interval, around, corrected_resampled

HALVINGS, CANDIDATES = 9, 300
FEWEST_FOLDS = 8  # with fewer, models of a half would see too small a part of its rows


def interval_by_halves(
    scores: Array, parts: list[Fold], test_share: float, confidence: float, score: Callable[[list[Fold]], Array]
) -> Interval:
    """The interval of the mean of `scores` of folds that divide a table; `score` gives the scores of other folds.

    mean +- t sd sqrt(inflation / k), the inflation between 1, folds that are independent, and what Nadeau and Bengio's
    correction assumes. Where halves cannot be scored, for want of rows perhaps, it is their interval.
    """
    halvings = balanced_halvings(len(parts))
    found = score([fold for sides in halvings for fold in folds_of_halves(parts, sides)])
    if not np.isfinite(found).all():
        return corrected_resampled(scores, test_share, confidence)
    k, most = len(scores), 1 + len(scores) * test_share / (1 - test_share)
    more = float(np.clip(inflation(found.reshape(halvings.shape), halvings), 1, most))
    error = float(np.sqrt(scores.var(ddof=1) * more / k))
    return around(float(scores.mean()), error, freedom(halvings), confidence)


def folds_of_halves(parts: list[Fold], sides: Array) -> list[Fold]:
    """Every fold again, tested by a model of the other folds of its half."""
    tests = [test for _, test in parts]
    return [
        (
            np.sort(np.concatenate([tests[other] for other in np.flatnonzero(sides == sides[fold]) if other != fold])),
            test,
        )
        for fold, test in enumerate(tests)
    ]


def inflation(scores: Array, halvings: Array) -> float:
    """Variance of the mean of a half over that of as many independent folds; rows are halvings, columns folds.

    >>> round(inflation(np.array([[1.0, 3.0, 6.0, 8.0]]), np.array([[1, 1, -1, -1]])), 3)
    12.5
    """
    first = halvings > 0
    gaps, within = [], []
    for values, side in zip(scores, first, strict=True):
        gaps.append((values[side].mean() - values[~side].mean()) ** 2 / (1 / side.sum() + 1 / (~side).sum()))
        within.append(
            sum(((part - part.mean()) ** 2).sum() for part in (values[side], values[~side])) / (side.size - 2)
        )
    alone = float(np.mean(within))
    return float(np.mean(gaps)) / alone if alone > 0 else 1.0


def freedom(halvings: Array) -> float:
    """Degrees of freedom of a mean of squared differences that overlap: (tr G)^2 / tr G^2 for their covariances G.

    >>> freedom(np.array([[1, 1, -1, -1], [1, -1, 1, -1]]))
    2.0
    """
    first = halvings > 0
    weights = first / first.sum(axis=1, keepdims=True) - ~first / (~first).sum(axis=1, keepdims=True)
    covariances = weights @ weights.T
    return float(np.trace(covariances) ** 2 / (covariances**2).sum())


@cache
def balanced_halvings(folds: int) -> Array:
    """Some ways to divide folds into two halves, +1 and -1, each as unlike those before it as a search finds."""
    draws, chosen = generator(folds), np.zeros((0, folds))
    for _ in range(HALVINGS):
        candidates = np.where(draws.permuted(np.tile(np.arange(folds), (CANDIDATES, 1)), axis=1) < folds // 2, 1, -1)
        alike = np.abs(candidates @ chosen.T)
        worst = alike.max(axis=1, initial=0) * folds**2 + (alike**2).sum(axis=1)
        chosen = np.vstack([chosen, candidates[worst.argmin()]])
    return chosen
