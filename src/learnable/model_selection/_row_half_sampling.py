"""How much a mean over folds varies, estimated from half samples drawn row by row.

Halves share no rows, so half the squared difference of their cross-validated scores is an unbiased estimate of the
variance of such a score, and half of that is about the variance for twice as many rows. Two halves differ in how many
rows of each class they have, as two tables do: halves made of stratified folds would not show it.

Models of a half have seen fewer rows, and their scores vary more. So what is taken from halves is the design effect
[Kish, 1965]: how many times as much a mean varies as it would if its parts were independent, because the models learn
from common rows. It is measured against the parts of halves, and carried over to the parts of the whole table. Of a
score that is a share e of the rows, such as accuracy, the parts are rows, with the variance e (1 - e); the interval is
Wilson's for n / effect rows, widened as Student's since few differences estimate the effect [Korn and Graubard, 1998].
Of any other score the parts are folds, and how their scores vary is not known exactly either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..engines.folds import Fold, class_labels, contiguous, pairs, stratified
from ..metrics._score_range import Scale
from ..parts.confidence_intervals import Interval, around, normal_quantile, student_quantile

HALVINGS = 12
ROWS = (100, 5000)  # of tables whose halves are large enough, and small enough for several times as many fits
MIN_FOLDS = 8  # of the whole table where parts are folds: fewer do not show how scores vary
MIN_OF_HALVES = 5  # folds of a half: with fewer, its models would see too small a part of it
WORTH = 1.0  # of the guess that rows are independent, in halvings: where errors are few, all halves may score alike


def folds_of_row_halves(owner: str, n: int, count: int, classes: Any, draws: np.random.Generator) -> list[Fold]:
    """Folds of either half of `n` rows, halving after halving, for a score of `count` folds of the whole table.

    They are half as many, and at least 5; with equal shares of each class of a half if there are `classes`.
    """
    labels = None if classes is None else class_labels(classes, owner)
    count = max(MIN_OF_HALVES, count // 2)
    found: list[Fold] = []
    for _ in range(HALVINGS):
        for rows in np.split(draws.permutation(n), [n // 2]):
            if labels is None:
                tests = contiguous(count, len(rows), owner)
            else:
                tests = stratified(count, labels[rows], owner, draws)
            found += [(rows[train], rows[test]) for train, test in pairs(tests, len(rows))]
    return found


def interval_by_row_halves(scores: Array, found: Array, n: int, scale: Scale, confidence: float) -> Interval:
    """The interval of the mean of `scores`, of folds of `n` rows; `found` are those of the folds of halves."""
    halves, mean = found.reshape(HALVINGS, 2, -1), float(scores.mean())
    variance = variance_by_halves(halves, n)
    if scale.of_rows:
        return _of_share(mean, variance, float(halves.mean()), n, scale, confidence)
    between, of_halves = float(scores.var(ddof=1)), float(halves.var(axis=2, ddof=1).mean())
    effect = variance / (of_halves / halves[0].size) if of_halves > 0 else 1.0
    known = 1 / (1 / freedom(n) + 1 / (len(scores) - 1))
    ends = around(mean, float(np.sqrt(effect * between / len(scores))), known, confidence)
    return scale.honest(ends, mean, None, confidence)


def variance_by_halves(halves: Array, n: int) -> float:
    """The variance of a mean score of `n` rows, from scores by halving, half and fold.

    >>> variance_by_halves(np.array([[[1.0, 3.0], [6.0, 8.0]]]), 100)
    6.25
    """
    first, second = halves.mean(axis=2).T
    return float(np.mean((first - second) ** 2)) / n / (1 / (n // 2) + 1 / (n - n // 2))


def freedom(n: int) -> float:
    """Degrees of freedom of a mean of squared differences: those of two halvings of `n` rows are hardly correlated.

    >>> round(freedom(100), 1)
    10.8
    """
    return HALVINGS / (1 + (HALVINGS - 1) / (n - 1))


def _of_share(mean: float, variance: float, half: float, n: int, scale: Scale, confidence: float) -> Interval:
    """Wilson's interval of as many independent rows as are as informative; `half` is the mean score of halves."""
    share, known = half - scale.lowest, WORTH + freedom(n)
    independent = share * (1 - share) / n
    seen = variance / independent if independent > 0 else 1.0
    effect = (WORTH + freedom(n) * seen) / known
    widened = student_quantile(known, confidence) / normal_quantile(confidence)
    return scale.by_rows(mean, n / effect / widened**2, confidence)
