"""How much a mean over folds varies, estimated from half samples that are unions of folds.

Scores of folds depend on each other through the rows that their models share, and no number computed from the scores
alone can show how much [Bengio and Grandvalet, 2004]. Two halves of the table share no rows: if these were drawn one
by one, half the squared difference of their cross-validated scores would be an unbiased estimate of the variance of
such a score, and half of that is about the variance for twice as many rows, a little too much where models still
improve with rows. Two things are not so. Stratified folds give both halves the same number of rows of each class, and
their difference does not show how these numbers vary from table to table: `Scale.honest` of the metrics makes up for
that where the score is a share of rows, and nothing does for others. And halves of one table are few: their squared
differences have six to nine degrees of freedom, which the interval allows for. Halves are chosen so that every pair of
folds is about as often together as apart [McCarthy, 1969].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ..core import Array
from ..core.runtime.random import generator
from ..engines.folds import Fold
from ..parts.confidence_intervals import Interval, around, corrected_resampled

HALVINGS, CANDIDATES = 9, 300


def interval_by_halves(
    scores: Array, parts: list[Fold], test_share: float, confidence: float, score: Callable[[list[Fold]], Array]
) -> Interval:
    """The interval of the mean of `scores` of folds that divide a table; `score` gives the scores of other folds.

    mean +- t sqrt(v), with the variance v of halves and as many degrees of freedom as their differences have. Where
    halves cannot be scored, for want of rows perhaps, it is Nadeau and Bengio's interval.
    """
    halvings = balanced_halvings(len(parts))
    found = score([fold for sides in halvings for fold in folds_of_halves(parts, sides)])
    if not np.isfinite(found).all():
        return corrected_resampled(scores, test_share, confidence)
    variance, of_score = variances(found.reshape(halvings.shape), halvings)
    calmer = _most_likely_calm(float(scores.var(ddof=1)), len(scores) - 1, of_score)
    return around(float(scores.mean()), float(np.sqrt(variance * calmer)), freedom(halvings), confidence)


def _most_likely_calm(variance: float, freedom: int, of_halves: float) -> float:
    """How much less a fold's score varies than that of a half's model, as far as the folds prove it; at most 1.

    Models of few rows may err wildly. The variance of the folds of the whole table is below `variance` / q in nine of
    ten cases, with the lowest tenth q of its law.
    """
    from scipy.special import chdtri

    lowest = float(chdtri(freedom, 0.9)) / freedom
    return min(1.0, variance / (lowest * of_halves)) if of_halves > 0 else 1.0


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


def variances(scores: Array, halvings: Array) -> tuple[float, float]:
    """The variance of a mean over all folds, and that of a single score, from scores by halvings (rows) and folds.

    >>> variances(np.array([[1.0, 3.0, 6.0, 8.0]]), np.array([[1, 1, -1, -1]]))
    (6.25, 2.0)
    """
    first = halvings > 0
    differences, within = [], []
    for values, side in zip(scores, first, strict=True):
        differences.append((values[side].mean() - values[~side].mean()) ** 2 / (1 / side.sum() + 1 / (~side).sum()))
        within.append(
            sum(((part - part.mean()) ** 2).sum() for part in (values[side], values[~side])) / (side.size - 2)
        )
    return float(np.mean(differences)) / scores.shape[1], float(np.mean(within))


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
