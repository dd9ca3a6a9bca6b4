"""Random samples of rows that do not depend on how the rows are ordered, copied or stored."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from ...core import scaling
from ...core.runtime.native import kernels
from ...core.runtime.random import uniforms
from ...core.validate.features import Array, Data
from .. import matrix_products


@dataclass(frozen=True, slots=True)
class Population:
    """The distinct rows of a data set, by index, in an order that only their content decides, and their weights.

    Equal rows are one row with the sum of their weights, so that a weight of 3 draws like three copies.
    """

    rows: Array
    weight: Array | None

    @classmethod
    def of(cls, data: Data) -> Population:
        """The population of all rows whose weight is not zero."""
        counted = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        rounded = _digests(data, narrow=True)[counted]  # so that single precision gives the same order
        order = np.empty(len(counted), dtype=np.int64)
        kernels.order_by_hash(rounded, order)
        ordered = rounded[order]
        if not (ordered[1:] == ordered[:-1]).any():
            return cls(counted[order], None if data.weight is None else data.weight[counted[order]])
        rows = counted[np.lexsort((_digests(data, narrow=False)[counted], rounded))]
        starts = np.flatnonzero(np.concatenate([[True], ~_equal(data, rows[1:], rows[:-1])]))
        weight = np.ones(len(rows)) if data.weight is None else data.weight[rows]
        return cls(rows[starts], np.add.reduceat(weight, starts))

    def samples(self, seed: int, units: range, size: int) -> Array:
        """`size` different rows for each unit, drawn sequentially with probabilities proportional to their weights."""
        return self.rows[distinct(len(self.rows), self.weight, seed, units, size)]


def distinct(count: int, weight: Array | None, seed: int, units: range, size: int) -> Array:
    """For each unit the indices, ascending, of `size` of `count` items drawn without replacement by weight.

    A draw of an item that is in the sample already is drawn again. Where this is not enough, the rest come by one race
    of all items: arrival times are exponential with the weights as rates, and the first to arrive are taken.

    >>> distinct(3, np.array([1.0, 0.5, 2.0]), 0, range(1), 3).tolist()
    [[0, 1, 2]]
    """
    picked = _picked(count, weight, uniforms(seed, units, 2 * size + 6))
    new = _first_seen(picked)
    new &= np.cumsum(new, axis=1) <= size
    short = new.sum(axis=1) < size
    chosen = np.empty((len(units), size), dtype=np.intp)
    chosen[~short] = picked[~short][new[~short]].reshape(-1, size)
    for row in np.flatnonzero(short):
        unit = range(units[row], units[row] + 1)
        arrival = -np.log1p(-uniforms(seed, unit, count, 1)[0]) / (1.0 if weight is None else weight)
        arrival[picked[row][new[row]]] = -1.0
        chosen[row] = np.argpartition(arrival, size - 1)[:size]
    chosen.sort(axis=1)
    return chosen


def combinations(count: int, size: int, units: range) -> Array:
    """Those numbered `units` of all ways to choose `size` of `count` items, in the order of itertools.combinations.

    >>> combinations(4, 2, range(2, 5)).tolist()
    [[0, 3], [1, 2], [1, 3]]
    """
    chosen = np.empty((len(units), size), dtype=np.intp)
    left = np.arange(units.start, units.stop)  # how many ways come before it, among those that begin alike
    start = np.zeros(len(units), dtype=np.intp)
    for place in range(size):
        rest = size - place
        ways = np.array([comb(count - item, rest) for item in range(place, count + 1)])  # from each item on
        within = ways[start - place] - left
        chosen[:, place] = len(ways) - np.searchsorted(ways[::-1], within) - 1 + place
        left = ways[chosen[:, place] - place] - within
        start = chosen[:, place] + 1
    return chosen


def _picked(count: int, weight: Array | None, draws: Array) -> Array:
    """The item that each draw between 0 and 1 falls on when items lie side by side, as wide as their weights."""
    if weight is None:
        return (draws * count).astype(np.intp)
    ends = np.cumsum(weight)
    return np.asarray(np.minimum(np.searchsorted(ends, draws * ends[-1], side="right"), count - 1))


def _first_seen(values: Array) -> Array:
    """Whether each entry differs from all before it in its row."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.ones(values.shape, dtype=bool)
    np.put_along_axis(new, order[:, 1:], ordered[:, 1:] != ordered[:, :-1], axis=1)
    return new


def _digests(data: Data, narrow: bool) -> Array:
    """A number for each row that depends on its entries, in single precision if `narrow`; zeros add nothing to it.

    Targets are brought near one by powers of two, so that draws do not depend on their unit.
    """
    targets = data.y.reshape(data.n, -1)
    if targets.dtype.kind == "f" and targets.size:
        counted = targets if data.weight is None else targets[data.weight > 0]
        targets = targets * scaling.power_of_two_scales(counted)
    factors = np.random.default_rng(0).integers(1, 2**63, data.p + targets.shape[1], dtype=np.uint64) | np.uint64(1)
    digests = np.zeros(data.n, dtype=np.uint64)
    kernels.add_row_hashes(np.ascontiguousarray(targets, dtype=np.float64), factors[data.p :], narrow, digests)
    kernels.add_row_hashes(data.X, factors[: data.p], narrow, digests)
    return digests


def _equal(data: Data, one: Array, other: Array) -> Array:
    """Whether rows `one` hold the same numbers as rows `other`, pair by pair."""
    targets = data.y.reshape(data.n, -1)
    same: Array = (targets[one] == targets[other]).all(axis=1)
    if matrix_products.is_sparse(data.X):
        apart = abs(data.X[one] - data.X[other])
        return np.asarray(same & (np.asarray(apart.max(axis=1).toarray()).ravel() == 0))
    return np.asarray(same & (data.X[one] == data.X[other]).all(axis=1))
