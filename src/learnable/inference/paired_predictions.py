"""Tests of whether two models differ, from their predictions for the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, RandomState, generator, seed_of, target_kind
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.mixed_table import is_missing
from ..core.validate.targets import as_column_array
from ..parts.confidence_intervals import Interval
from .finding import SHARE, Alternative, Finding

Score = Callable[[Array, Array], float]
EXACT_PAIRS = 14  # 2^14 swaps are enumerated
FEW_DISCORDANT = 25
CHUNK = 1 << 21


@checked(draws=limits(at_least=1), confidence=SHARE)
def randomisation_test(
    y: Rows,
    first: Rows,
    second: Rows,
    *,
    score: Score | None = None,
    alternative: Alternative = "two-sided",
    draws: int = 9999,
    random_state: RandomState = None,
    confidence: float = 0.95,
) -> Finding:
    """Randomisation test: whether two models differ, by swapping their predictions row by row.

    p = share of swaps with |score(first) - score(second)| >= the observed one

    If the models are equally good, each row's two predictions could as well have been swapped. All swaps are enumerated
    where few rows differ, else `draws` random ones; the observed arrangement is one of them. `score(y, predictions)`
    is the accuracy for classes and minus the mean squared error for numbers; whole numbers are classes
    unless a prediction has a fraction. [Fisher, 1935]

    >>> y, good, poor = [1] * 8, [1] * 8, [1, 1, 0, 0, 0, 0, 0, 0]
    >>> randomisation_test(y, good, poor).p_value == 2 / 2**6
    True
    """
    truth, one, two = predictions(y, first, second, "randomisation_test")
    if score is None:
        observed, swapped = _of_means(np.subtract(*row_scores(truth, one, two)), draws, random_state)
    else:
        observed, swapped = _of_any(score, truth, one, two, draws, random_state)
    p_value = _tail(observed, swapped, alternative)
    return Finding("randomisation test", "difference", observed, p_value, observed, confidence=confidence)


@checked(confidence=SHARE)
def mcnemar_test(
    y: Rows,
    first: Rows,
    second: Rows,
    *,
    method: Literal["auto", "exact", "chi2"] = "auto",
    correction: bool = True,
    confidence: float = 0.95,
) -> Finding:
    """McNemar's test: whether two classifiers have the same error rate on the same rows.

    Only rows count that exactly one of them gets right: b for the first, c for the second.
    exact:  b is binomial(b + c, 1/2);    chi2:  (|b - c| - 1)^2 / (b + c), without the 1 if `correction` is false

    "auto" is exact up to 25 such rows. The estimate is the difference of the accuracies, with the
    score interval: all differences that b and c do not contradict. It has a width also where the models agree on every
    row or on none. [McNemar, 1947; Tango, 1998]

    >>> print(mcnemar_test([1] * 40, [1] * 38 + [0] * 2, [1] * 26 + [0] * 12 + [1] * 2))
    difference observed: 0.25 (95 % interval 0.07583 to 0.4194), p = 0.013 (exact McNemar test, b = 12)
    """
    from scipy.special import bdtr, chdtrc

    truth, one, two = predictions(y, first, second, "mcnemar_test")
    right_one, right_two = one == truth, two == truth
    b, c, n = int((right_one & ~right_two).sum()), int((right_two & ~right_one).sum()), len(truth)
    estimate = (b - c) / n
    interval = _score_interval(b, c, n, confidence)
    if method == "exact" or (method == "auto" and b + c <= FEW_DISCORDANT):
        p_value = min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0
        return Finding("exact McNemar test", "b", b, p_value, estimate, interval, None, confidence)
    apart = max(abs(b - c) - (1 if correction else 0), 0)
    statistic = apart**2 / (b + c) if b + c else 0.0
    p_value = float(chdtrc(1, statistic))
    return Finding("McNemar test", "chi2", statistic, p_value, estimate, interval, 1, confidence)


def predictions(y: Any, first: Any, second: Any, owner: str) -> tuple[Array, Array, Array]:
    """Truth and two predictions as rows of one length."""
    found = [as_column_array(values) for values in (y, first, second)]
    if any(values.shape != found[0].shape or values.ndim != 1 or len(values) == 0 for values in found):
        shapes = ", ".join(str(values.shape) for values in found)
        raise DataError(f"{owner}: y and both predictions must be rows of one length; got shapes {shapes}")
    for name, values in zip(("y", "first", "second"), found, strict=True):
        if is_missing(values).any():
            row = int(np.argmax(is_missing(values)))
            raise DataError(f"{owner}: {name} is missing in row {row}; drop rows without a prediction first")
    return found[0], found[1], found[2]


def row_scores(truth: Array, *several: Array) -> list[Array]:
    """The score of each prediction of each model: 1 or 0 for classes, minus the squared error for numbers.

    Whole numbers are classes unless some prediction has a fraction, which no classifier gives.
    """
    if any(target_kind(values) == "regression" for values in (truth, *several)):
        return [np.asarray(-((truth - prediction) ** 2)) for prediction in several]
    return [np.asarray(truth == prediction, dtype=np.float64) for prediction in several]


def _of_means(apart: Array, draws: int, random_state: RandomState) -> tuple[float, Array]:
    """The mean difference, and what it would be after swaps: a swap changes the sign of a row's difference."""
    n, apart = len(apart), apart[apart != 0]
    signs = _all_signs(len(apart)) if 2 ** len(apart) <= max(draws, 2**EXACT_PAIRS) else None
    observed = float(apart.sum()) / n
    if signs is not None:
        return observed, signs @ apart / n
    rng, rows = generator(seed_of(random_state)), max(1, CHUNK // len(apart))
    found = [
        (2.0 * rng.integers(0, 2, (min(rows, draws - start), len(apart))) - 1) @ apart / n
        for start in range(0, draws, rows)
    ]
    return observed, np.concatenate([[observed], *found])


def _of_any(
    score: Score, truth: Array, one: Array, two: Array, draws: int, random_state: RandomState
) -> tuple[float, Array]:
    """The same for a score that is not a mean over rows."""
    differ = np.flatnonzero(one != two)

    def apart(swap: Array) -> float:
        a, b = one.copy(), two.copy()
        a[differ[swap]], b[differ[swap]] = two[differ[swap]], one[differ[swap]]
        return float(score(truth, a)) - float(score(truth, b))

    observed = apart(np.zeros(len(differ), dtype=bool))
    if 2 ** len(differ) <= draws:
        return observed, np.array([apart(signs < 0) for signs in _all_signs(len(differ))])
    rng = generator(seed_of(random_state))
    return observed, np.array([observed, *(apart(rng.random(len(differ)) < 0.5) for _ in range(draws))])


def _all_signs(count: int) -> Array:
    """Every row of `count` signs, once."""
    bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
    return np.asarray(1.0 - 2.0 * bits)


def _tail(observed: float, swapped: Array, alternative: str) -> float:
    """The share of swaps that are as extreme as what was observed, rounding apart."""
    slack = 1e-12 * max(1.0, float(np.abs(swapped).max(initial=0.0)))
    if alternative == "two-sided":
        observed, swapped = abs(observed), np.abs(swapped)
    elif alternative == "less":
        observed, swapped = -observed, -swapped
    return float(np.mean(swapped >= observed - slack))


def _score_interval(b: int, c: int, n: int, confidence: float) -> Interval:
    """All differences d of two paired shares with |b - c - n d| <= z times its error if d were true. [Tango, 1998]"""
    from scipy.special import ndtri

    z = float(ndtri((1 + confidence) / 2))
    return -_highest_difference(c, b, n, z), _highest_difference(b, c, n, z)


def _highest_difference(b: int, c: int, n: int, z: float) -> float:
    """The upper end of the score interval, by halving the range from the estimate to 1."""
    inside, outside = (b - c) / n, 1.0
    while inside < (middle := (inside + outside) / 2) < outside:
        if n * middle - (b - c) <= z * _error_under(middle, b, c, n):
            inside = middle
        else:
            outside = middle
    return outside


def _error_under(difference: float, b: int, c: int, n: int) -> float:
    """The standard error of b - c for a true difference, with the likeliest share of rows only the second gets right.

    That share q is the larger root of 2 n q^2 + (2 n d - b - c - (b - c) d) q - c d (1 - d) = 0.
    """
    half = (2 * n - b + c) * difference - b - c
    share = (np.sqrt(max(half**2 + 8 * n * c * difference * (1 - difference), 0.0)) - half) / (4 * n)
    return float(np.sqrt(max(n * (2 * share + difference * (1 - difference)), 0.0)))
