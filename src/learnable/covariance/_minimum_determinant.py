"""The minimum covariance determinant: the rows, half or more of all, whose covariance has the smallest determinant.

Concentration steps take the rows that are nearest by the covariance of those taken before; the determinant never
rises. They begin at covariances that few outliers change (of signs of rows, of bounded values, of the rows nearest to
the median) and at those of a few rows drawn at random, many times; of a table with many rows, samples are concentrated
first. Columns are divided by robust deviations, and equal rows are one row with a weight, so that
neither units nor the order of rows matter. [Rousseeuw and van Driessen, 1999;
Hubert, Rousseeuw and Verdonck, 2012]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core import Array, generator
from ..core.runtime.native import kernels
from ..core.scaling import power_of_two
from ..engines.columns.quantiles import column_quantiles
from ..engines.sampling.canonical_order import counts_copies, order_of_content

FLOOR = 1e-12  # of the variances, in units of robust deviations: rows in a plane have distances nonetheless
STARTS, FIRST_STEPS, KEPT = 80, 2, 10
SAMPLE, SAMPLES = 300, 5  # rows of a sample, and most of them
SUBSAMPLE_FROM = SAMPLE * 2  # rows from which samples are concentrated first
MAX_STEPS = 200
MAX_DEVIATIONS = 1e100  # in units of robust deviations: squares of larger values would overflow
ZERO_VARIANCE = 1e-10  # variance in a plane
NORMAL = 1.4826  # standard deviation of a normal column in its median absolute deviation
SETTLED = 1e-12  # fall of the log determinant


class DeterminantFit(NamedTuple):
    """Location and covariance of the chosen rows, their rows, and the log determinant in units of robust deviations.

    `fall` is how much another concentration step would lower it.
    """

    location: Array
    covariance: Array
    support: Array
    log_determinant: float
    starts: int
    steps: int
    full_rank: bool
    fall: float


@dataclass(frozen=True)
class _Rows:
    """Distinct rows in an order of their content, with their weights, and the total weight that is chosen."""

    X: Array
    weight: Array
    half: float

    def concentrate(self, location: Array, covariance: Array, steps: int) -> tuple[Array, Array, Array, int]:
        """At most `steps` steps from each start; locations, covariances and log determinants in falling order."""
        location, covariance = location.copy(), covariance.reshape(len(location), -1).copy()
        found = np.empty(len(location))
        weight = np.empty(0) if (self.weight == 1).all() and self.half == int(self.half) else self.weight
        done = kernels.concentrate(self.X, weight, self.half, FLOOR, steps, SETTLED, location, covariance, found)
        order = np.argsort(found, kind="stable")
        return location[order], covariance[order], found[order], done


def minimum_determinant(X: Array, weight: Array | None, support_fraction: float | None, seed: int) -> DeterminantFit:
    """The best of many concentrations."""
    centre, scale = _robust_scale(X, weight)
    scaled = np.clip((X - centre) / scale, -MAX_DEVIATIONS, MAX_DEVIATIONS)
    rows, inverse = _distinct(scaled, weight, support_fraction)
    location, covariance, starts, steps = _candidates(rows, seed)
    location, covariance, found, more = rows.concentrate(location, covariance, MAX_STEPS)
    again = rows.concentrate(location[:1], covariance[:1], 1)[2]
    S = covariance[0].reshape(X.shape[1], -1)
    distance = _distances(rows.X, location[0], S)
    support = _nearest(distance, rows)[inverse]
    return DeterminantFit(
        location[0] * scale + centre,
        S * scale * scale[:, None],
        support,
        float(found[0]),
        starts,
        steps + more,
        bool(np.linalg.eigvalsh(S)[0] > ZERO_VARIANCE),
        max(float(found[0] - again[0]), 0.0),
    )


def _robust_scale(X: Array, weight: Array | None) -> tuple[Array, Array]:
    """Median and median absolute deviation of each column; the mean one where that is zero."""
    half = np.array([0.5])
    unit = power_of_two(np.abs(X).max(axis=0))
    there = X if weight is None else X[weight > 0]
    centre = column_quantiles(X * unit, half, weight)[0]
    apart = np.abs(X * unit - centre)
    scale = column_quantiles(apart, half, weight)[0]
    mean = np.average(apart, axis=0, weights=weight)
    scale = np.where(scale > 0, scale, np.where(mean > 0, mean, 1.0))
    assert len(there)
    return centre / unit, scale / unit


def _distinct(X: Array, weight: Array | None, support_fraction: float | None) -> tuple[_Rows, Array]:
    """Rows that differ, and for each row of X its place among them."""
    given = np.ones(len(X)) if weight is None else weight.astype(np.float64)
    order = order_of_content(X, np.zeros(len(X)))
    ordered = X[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    place = np.cumsum(new) - 1
    inverse = np.empty(len(X), dtype=np.int64)
    inverse[order] = place
    total = np.bincount(inverse, weights=given)
    kept = total > 0
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    whole = counts_copies(given)
    half = support_size(float(given.sum()), X.shape[1], support_fraction, whole)
    return _Rows(np.ascontiguousarray(ordered[new][kept]), total[kept], half), number[inverse]


def support_size(total: float, columns: int, support_fraction: float | None, whole: bool = True) -> float:
    """The total weight of the rows that are chosen."""
    share = 0.5 * (total + columns + 1) if support_fraction is None else support_fraction * total
    size = float(np.ceil(share) if support_fraction is None else int(share)) if whole else share
    return min(max(size, 1.0), total)


def _candidates(rows: _Rows, seed: int) -> tuple[Array, Array, int, int]:
    """Starts for all rows: the best of those drawn, concentrated on samples where rows are many."""
    n, p = rows.X.shape
    if p == 1:
        return _intervals(rows)
    robust = _robust_starts(rows)
    starts = STARTS + len(robust[0])
    if n <= SUBSAMPLE_FROM:
        drawn = _draw(rows.X, STARTS, generator(seed, 0))
        location, covariance, _, steps = rows.concentrate(*_joined(robust, drawn), FIRST_STEPS)
        return location[:KEPT], covariance[:KEPT], starts, steps
    count = min(SAMPLES, n // SAMPLE)
    chosen = generator(seed, 1).permutation(n)[: count * SAMPLE]
    share = rows.half / rows.weight.sum()
    pooled = np.empty((0, p)), np.empty((0, p * p))
    steps = 0
    for k in range(count):
        sample = _part(rows, np.sort(chosen[k * SAMPLE : (k + 1) * SAMPLE]), share)
        location, covariance = _draw(sample.X, STARTS // count, generator(seed, 2, k))
        location, covariance, _, done = sample.concentrate(location, covariance, FIRST_STEPS)
        pooled = _joined(pooled, (location[:KEPT], covariance[:KEPT]))
        steps += done
    merged = _part(rows, np.sort(chosen), share)
    location, covariance, _, done = merged.concentrate(*pooled, FIRST_STEPS)
    location, covariance = _joined(robust, (location[:KEPT], covariance[:KEPT]))
    return location, covariance, starts, steps + done


def _joined(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Locations and covariances of both."""
    together = [np.concatenate([a, b.reshape(len(b), -1)]) for a, b in zip(first, second, strict=True)]
    return together[0], together[1]


def _robust_starts(rows: _Rows) -> tuple[Array, Array]:
    """Covariances of signs of rows, of bounded values, and of the rows nearest to the median, made consistent.

    Each gives axes; medians and deviations along them give location and covariance.
    """
    X, weight = rows.X, rows.weight / rows.weight.sum()
    size = np.sqrt(np.einsum("ij,ij->i", X, X))
    signs = X / np.where(size > 0, size, 1.0)[:, None]
    near = X * (_nearest(size, rows)[:-1, None])
    shapes = [(Z * weight[:, None]).T @ Z for Z in (signs, np.tanh(X), near)]
    found = [_along_axes(rows, np.linalg.eigh(shape)[1]) for shape in shapes]
    return np.stack([one[0] for one in found]), np.stack([one[1].ravel() for one in found])


def _along_axes(rows: _Rows, axes: Array) -> tuple[Array, Array]:
    centre, scale = _robust_scale(rows.X @ axes, rows.weight)
    return axes @ centre, (axes * (NORMAL * scale) ** 2) @ axes.T


def _part(rows: _Rows, chosen: Array, share: float) -> _Rows:
    weight = rows.weight[chosen]
    half = float(weight.sum()) * share
    return _Rows(np.ascontiguousarray(rows.X[chosen]), weight, max(np.ceil(half) if counts_copies(weight) else half, 1))


def _draw(X: Array, count: int, draws: np.random.Generator) -> tuple[Array, Array]:
    """Means and covariances of a few rows each, one more than there are columns."""
    n, p = X.shape
    size = min(p + 1, n)
    chosen = np.argpartition(draws.random((count, n)), size - 1, axis=1)[:, :size]
    rows = X[np.sort(chosen, axis=1)]
    location = rows.mean(axis=1)
    centred = rows - location[:, None]
    return location, np.matmul(centred.transpose(0, 2, 1), centred) / size


def _intervals(rows: _Rows) -> tuple[Array, Array, int, int]:
    """In one column: intervals of neighbouring rows; those with the smallest sums of squares are the best."""
    x = rows.X[:, 0]
    order = np.argsort(x, kind="stable")
    x, weight = x[order], rows.weight[order]
    ends = np.cumsum(weight)
    first = ends - weight
    fits = first + rows.half <= ends[-1] * (1 + 1e-12)
    last = np.minimum(np.searchsorted(ends, (first + rows.half)[fits] * (1 - 1e-12)), len(x) - 1)
    begin = np.flatnonzero(fits)
    sums = [np.concatenate([[0.0], np.cumsum(weight * x**k)]) for k in range(3)]
    total, once, twice = (sums[k][last + 1] - sums[k][begin] for k in range(3))
    surplus = total - rows.half  # of the last row
    once, twice = once - surplus * x[last], twice - surplus * x[last] ** 2
    mean = once / rows.half
    variance = np.maximum(twice / rows.half - mean**2, 0.0)
    best = np.argsort(variance, kind="stable")[:KEPT]
    return mean[best, None], variance[best, None], len(begin), 0


def _distances(X: Array, location: Array, covariance: Array) -> Array:
    factor = np.linalg.cholesky(covariance + FLOOR * np.eye(len(covariance)))
    z = np.linalg.solve(factor, (X - location).T)
    return np.asarray(np.einsum("ij,ij->j", z, z))


def _nearest(distance: Array, rows: _Rows) -> Array:
    """Which rows are among the nearest of the total weight that is chosen; False also for those without weight."""
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(rows.weight[order]) - rows.weight[order]
    chosen = np.zeros(len(order) + 1, dtype=bool)
    chosen[order[before < rows.half * (1 - 1e-12)]] = True
    return chosen
