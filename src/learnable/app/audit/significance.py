"""Chances: how likely a pattern is if there is nothing behind it, and which of many stand out even so."""

from __future__ import annotations

import math

import numpy as np

from ...core import Array
from ...inference import holm

ALPHA = 0.001  # chance of an alarm of one check on a table where nothing is wrong, over all its columns
BEYOND_LUCK = 20  # equal pairs, as a multiple of what independent columns would have


def standing_out(p_values: Array, effects: Array, floor: float) -> Array:
    """Which of many differences are real (Holm's correction) and large enough to matter."""
    known = np.isfinite(p_values)
    real = np.zeros(len(p_values), dtype=bool)
    if known.any():
        real[known] = holm(p_values[known], ALPHA).rejected
    return real & (effects >= floor)


def correlation_p(r: Array, rows: int) -> Array:
    """Chance of a correlation as large as r between things that have nothing to do with each other."""
    from scipy.special import stdtr

    r = np.clip(np.abs(np.asarray(r, dtype=np.float64)), 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * stdtr(max(rows - 2, 1), -r * np.sqrt(max(rows - 2, 1) / (1 - r * r))))


def at_least(successes: Array, trials: Array, share: Array) -> Array:
    """Chance of so many successes or more: the upper tail of the binomial law."""
    from scipy.special import betainc

    inner = betainc(np.maximum(successes, 1), np.maximum(trials - successes + 1, 1), share)
    return np.where(successes > trials, 0.0, np.where(successes <= 0, 1.0, inner))


def overlap_p(both: Array, first: Array, share: Array) -> Array:
    """Chance that a class with a share of the rows fills so many, or so few, of `first` rows, on both sides."""
    above, below = at_least(both, first, share), 1 - at_least(both + 1, first, share)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(above, below)))


def analysis_of_variance(codes: Array, side: Array, around: Array) -> tuple[float, float]:
    """Do values share a `side` beyond what the values around them do? Intraclass correlation and p value.

    `around` gives each value a set; means of values are compared with the mean of their set, so one set for all is
    the one-way analysis, and pairs of neighbours leave out what changes smoothly from value to value. [Fisher, 1925]
    """
    from scipy.special import fdtrc

    counts, rows, groups, sets = np.bincount(codes), len(codes), int(codes.max()) + 1, int(around.max()) + 1
    if groups <= sets or rows <= groups:
        return 0.0, 1.0
    means = np.bincount(codes, weights=side) / counts
    totals = np.bincount(around, weights=counts)
    wider = np.bincount(around, weights=counts * means) / totals
    between = float(counts @ (means - wider[around]) ** 2) / (groups - sets)
    within = float(((side - means[codes]) ** 2).sum()) / (rows - groups)
    size = (rows - float((counts**2 / totals[around]).sum())) / (groups - sets)
    if within <= 0 or size <= 0:
        return float(between > 0), 0.0 if between > 0 else 1.0
    share = (between - within) / (between + (size - 1) * within)
    return share, float(fdtrc(groups - sets, rows - groups, between / within))


def two_samples(first: Array, second: Array) -> tuple[float, float]:
    """The largest distance between the shares of two samples below any number, and its p value. [Smirnov, 1939]"""
    from scipy.special import kolmogorov

    if not len(first) or not len(second):
        return 0.0, 1.0
    edges = np.sort(np.concatenate([first, second]))
    shares = [np.searchsorted(np.sort(part), edges, side="right") / len(part) for part in (first, second)]
    apart = float(np.abs(shares[0] - shares[1]).max())
    return apart, float(kolmogorov(apart * np.sqrt(len(first) * len(second) / len(edges))))


def chi_squared(table: Array) -> tuple[float, float]:
    """Cramer's V of a table of counts, and the p value of independence; sparse rows are taken together."""
    from scipy.special import chdtrc

    table = _gathered(table[:, table.sum(axis=0) > 0])
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(total, 1)
    smaller = min(table.shape) - 1
    if smaller < 1 or expected.min() < 5:
        return 0.0, 1.0
    statistic = float(((table - expected) ** 2 / expected).sum())
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(np.sqrt(statistic / total / smaller)), float(chdtrc(freedom, statistic))


def _gathered(table: Array) -> Array:
    """Rows with fewer than 10 counts in each column on average as one row, left out if that is still too few."""
    sparse = table.sum(axis=1) < 10 * table.shape[1]
    rest = table[sparse].sum(axis=0, keepdims=True)
    return np.concatenate([table[~sparse], rest]) if rest.min(initial=np.inf) >= 5 and sparse.any() else table[~sparse]


def more_pairs_than_luck(sizes: Array, alike: Array, n: int) -> bool:
    """Whether groups of equal rows have many more pairs than columns without relation would have.

    `sizes` are the numbers of rows in the groups, `alike` the shares of pairs that are equal in each column.
    """
    pairs = float((sizes * (sizes - 1) / 2).sum())
    expected = n * (n - 1) / 2 * math.exp(float(np.log(np.maximum(alike, 1e-9)).sum()))
    return pairs > BEYOND_LUCK * expected
