"""Significance tests of the audit, with correction for multiple testing."""

from __future__ import annotations

import math

import numpy as np

from ...core import Array
from ...inference import holm

ALPHA = 0.001  # family-wise error rate of a check over all columns of a clean table
EXCESS_FACTOR = 20  # equal pairs, as a multiple of the number expected of independent columns


def significant_effects(p_values: Array, effects: Array, floor: float) -> Array:
    """Which of many effects are significant (Holm's correction) and at least `floor`."""
    known = np.isfinite(p_values)
    real = np.zeros(len(p_values), dtype=bool)
    if known.any():
        real[known] = holm(p_values[known], ALPHA).rejected
    return real & (effects >= floor)


def correlation_p(r: Array, rows: int) -> Array:
    """Two-sided p-value of a Pearson correlation r."""
    from scipy.special import stdtr

    r = np.clip(np.abs(np.asarray(r, dtype=np.float64)), 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * stdtr(max(rows - 2, 1), -r * np.sqrt(max(rows - 2, 1) / (1 - r * r))))


def binomial_tail(successes: Array, trials: Array, share: Array) -> Array:
    """Upper tail of the binomial distribution: the probability of at least that number of successes."""
    from scipy.special import betainc

    inner = betainc(np.maximum(successes, 1), np.maximum(trials - successes + 1, 1), share)
    return np.where(successes > trials, 0.0, np.where(successes <= 0, 1.0, inner))


def overlap_p(both: Array, first: Array, share: Array) -> Array:
    """Two-sided p-value of `both` rows of a class among `first` rows, if the class has the fraction `share` of all."""
    above, below = binomial_tail(both, first, share), 1 - binomial_tail(both + 1, first, share)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(above, below)))


def analysis_of_variance(codes: Array, side: Array, around: Array) -> tuple[float, float]:
    """Analysis of variance of `side` between values, nested in sets of values: intraclass correlation and p-value.

    `around` gives the set of each value; means of values are compared with the mean of their set. A single set gives
    the one-way analysis; pairs of neighbours remove what changes smoothly from value to value. [Fisher, 1925]
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
    correlation = (between - within) / (between + (size - 1) * within)
    return correlation, float(fdtrc(groups - sets, rows - groups, between / within))


def two_samples(first: Array, second: Array) -> tuple[float, float]:
    """Two-sample Kolmogorov-Smirnov test: the distance of the distributions and its p-value. [Smirnov, 1939]"""
    from scipy.special import kolmogorov

    if not len(first) or not len(second):
        return 0.0, 1.0
    edges = np.sort(np.concatenate([first, second]))
    cdf = [np.searchsorted(np.sort(sample), edges, side="right") / len(sample) for sample in (first, second)]
    distance = float(np.abs(cdf[0] - cdf[1]).max())
    return distance, float(kolmogorov(distance * np.sqrt(len(first) * len(second) / len(edges))))


def chi_squared(table: Array) -> tuple[float, float]:
    """Cramer's V of a contingency table, and the p-value of independence; sparse rows are pooled."""
    from scipy.special import chdtrc

    table = _pool_sparse_rows(table[:, table.sum(axis=0) > 0])
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(total, 1)
    smaller = min(table.shape) - 1
    if smaller < 1 or expected.min() < 5:
        return 0.0, 1.0
    statistic = float(((table - expected) ** 2 / expected).sum())
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(np.sqrt(statistic / total / smaller)), float(chdtrc(freedom, statistic))


def _pool_sparse_rows(table: Array) -> Array:
    """Pool rows with fewer than 10 counts per column on average; drop the pooled row if it is still too small."""
    sparse = table.sum(axis=1) < 10 * table.shape[1]
    rest = table[sparse].sum(axis=0, keepdims=True)
    return np.concatenate([table[~sparse], rest]) if rest.min(initial=np.inf) >= 5 and sparse.any() else table[~sparse]


def more_pairs_than_expected(sizes: Array, agreement: Array, n: int) -> bool:
    """Whether there are many more pairs of equal rows than independent columns would give.

    `sizes` are the sizes of the sets of equal rows, `agreement` the fraction of equal pairs in each column.
    """
    pairs = float((sizes * (sizes - 1) / 2).sum())
    expected = n * (n - 1) / 2 * math.exp(float(np.log(np.maximum(agreement, 1e-9)).sum()))
    return pairs > EXCESS_FACTOR * expected
