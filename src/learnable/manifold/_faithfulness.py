"""How faithful a map is: neighbourhoods kept, distances kept, with an interval over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError, Matrix
from ..core.runtime.native import kernels
from ..metrics.distances import pairwise_distances

BLOCK = 2**22  # distances in a table at a time
QUANTILE = 1.959963984540054  # of a normal distribution, for intervals of 95 %
FOLDS, QUANTILE_OF_T = 10, 2.2621571627409915  # blocks of the jackknife, and the quantile of t with one less


class Faithfulness(NamedTuple):
    """How well a map keeps neighbourhoods and distances; 1 is best of all but `stress`, of which 0 is.

    Trustworthiness is low if rows are near in the map alone, continuity if neighbours were torn apart; both with an
    interval of 95 % by a jackknife over tenths of the rows. `stress` is the root of the squared differences of the
    distances over the squared distances, after the best scaling; `correlation` is that of the distances.
    """

    trustworthiness: float
    trustworthiness_interval: tuple[float, float]
    continuity: float
    continuity_interval: tuple[float, float]
    stress: float
    correlation: float
    n_neighbors: int

    def __str__(self) -> str:
        low, high = self.trustworthiness_interval
        return (
            f"trustworthiness {self.trustworthiness:.3f} ({low:.3f} to {high:.3f}), continuity {self.continuity:.3f} "
            f"({self.continuity_interval[0]:.3f} to {self.continuity_interval[1]:.3f}) of {self.n_neighbors} "
            f"neighbours, stress {self.stress:.3f}, correlation of distances {self.correlation:.3f}"
        )


def faithfulness_report(X: Matrix, embedding: Array, metric: Any, n_neighbors: int) -> Faithfulness:
    """The report of a map of the rows of `X`."""
    k = min(n_neighbors, max((len(embedding) - 1) // 2, 1))
    whole = _scores(X, embedding, metric, k)
    without = np.array(
        [_scores(*_without(X, embedding, metric, fold), metric, k) for fold in range(_folds(embedding))]
    ).reshape(-1, 2)
    stress, correlation = _distances_kept(X, embedding, metric)
    trusted, continuous = _interval(whole[0], without[:, 0]), _interval(whole[1], without[:, 1])
    return Faithfulness(whole[0], trusted, whole[1], continuous, stress, correlation, k)


def _scores(X: Matrix, embedding: Array, metric: Any, k: int) -> tuple[float, float]:
    """Trustworthiness and continuity."""
    trust, kept = penalties(X, embedding, k, metric), penalties(embedding, X, k, "euclidean", metric)
    return float(trust.mean()), float(kept.mean())


def _folds(embedding: Array) -> int:
    return min(FOLDS, len(embedding) // 2)


def _without(X: Matrix, embedding: Array, metric: Any, fold: int) -> tuple[Matrix, Array]:
    """The rows but every tenth; of precomputed distances also their columns."""
    kept = np.flatnonzero(np.arange(len(embedding)) % _folds(embedding) != fold)
    rows = X[kept]
    return (rows[:, kept] if isinstance(metric, str) and metric == "precomputed" else rows), embedding[kept]


def _interval(value: float, without: Array) -> tuple[float, float]:
    """An interval of 95 % by the jackknife: from the values without each block of rows."""
    if len(without) < FOLDS:
        return 0.0, 1.0
    spread = np.sqrt((len(without) - 1) / len(without) * ((without - without.mean()) ** 2).sum())
    return max(float(value - QUANTILE_OF_T * spread), 0.0), min(float(value + QUANTILE_OF_T * spread), 1.0)


def penalties(truth: Matrix, other: Matrix, k: int, metric: Any, other_metric: Any = "euclidean") -> Array:
    """For each row 1 minus the scaled excess of the ranks, by `truth`, of its `k` nearest rows by `other`."""
    n = other.shape[0]
    if n < 2:
        return np.ones(n)
    worst = k * (2 * n - 3 * k - 1) / 2
    scores = np.empty(n)
    for block, table in distance_blocks(truth, metric):
        neighbours = nearest_rows(other, other_metric, block, k)
        ranks = np.empty(neighbours.shape, dtype=np.int64)
        kernels.neighbour_ranks(table, block.start, neighbours, ranks)
        scores[block] = 1 - np.maximum(ranks - k, 0).sum(axis=1) / max(worst, 1)
    return scores


def nearest_rows(X: Matrix, metric: Any, block: slice, k: int) -> Array:
    """The `k` nearest other rows of each row of a block."""
    table = _table(X, metric, block)
    distances = np.full((len(table), k), np.inf)
    rows = np.zeros((len(table), k), dtype=np.int64)
    kernels.nearest_of_table(table, block.start, rows, distances)
    return rows


def distance_blocks(X: Matrix, metric: Any) -> Iterator[tuple[slice, Array]]:
    """Distances of all rows, some rows at a time."""
    n = X.shape[0]
    step = max(1, BLOCK // n)
    for begin in range(0, n, step):
        block = slice(begin, min(begin + step, n))
        yield block, _table(X, metric, block)


def _table(X: Matrix, metric: Any, block: slice) -> Array:
    if isinstance(metric, str) and metric == "precomputed":
        given = X[block]
        return np.require(given.toarray() if hasattr(given, "toarray") else given, np.float64, "C")
    return np.require(pairwise_distances(X[block], X, metric=metric), np.float64, "C")


def _distances_kept(X: Matrix, embedding: Array, metric: Any) -> tuple[float, float]:
    """The stress after the best scaling of the map, and the correlation of distances."""
    sums, count = np.zeros(5), 0
    for block, given in distance_blocks(X, metric):
        found = _table(embedding, "euclidean", block)
        off = np.arange(given.shape[1]) != np.arange(block.start, block.stop)[:, None]
        d, e = given[off], found[off]
        finite = np.isfinite(d)
        d, e = d[finite], e[finite]
        sums += [d.sum(), e.sum(), d @ d, e @ e, d @ e]
        count += len(d)
    if count == 0 or sums[2] == 0:
        return 0.0, 1.0
    stress = 1 - sums[4] ** 2 / (sums[2] * sums[3]) if sums[3] > 0 else 1.0
    spread = (sums[2] - sums[0] ** 2 / count) * (sums[3] - sums[1] ** 2 / count)
    related = (sums[4] - sums[0] * sums[1] / count) / np.sqrt(spread) if spread > 0 else 1.0
    return float(np.sqrt(max(stress, 0.0))), float(related)


def check_rows(owner: str, X: Matrix, embedding: Array, n_neighbors: int) -> None:
    """Refuse a map of other rows, and too many neighbours."""
    n = X.shape[0]
    if embedding.shape[0] != n:
        raise DataError(f"{owner}: X has {n} rows, X_embedded {embedding.shape[0]}; both must be of the same rows")
    if n_neighbors >= n / 2:
        raise DataError(
            f"{owner}: n_neighbors ({n_neighbors}) should be less than n_samples / 2 ({n / 2}); use fewer neighbours"
        )
