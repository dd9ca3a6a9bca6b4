"""Initialisation of k-means: k-means++, k-means||, random rows or random values, whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

import numpy as np

from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.validate.features import Array, Data, Matrix
from . import matrix_products
from .sampling.weighted_sampling import Population

Init = Literal["k-means++", "k-means||", "random", "uniform"]
ROUNDS = 5  # of k-means||
OVERSAMPLING = 2  # expected candidates of a round of k-means||, for each requested seed


class Seeding(Protocol):
    """Sequential seeding: rows, their weights, and squared distances to the nearest seed so far."""

    X: Matrix
    weight: Array
    closest: Array

    def potentials(self, candidates: Array) -> Array:
        """For each candidate, the inertia with it as an additional seed."""

    def take(self, row: int) -> None:
        """Add a row to the seeds."""

    def draw(self, uniform: Array) -> Array:
        """Rows drawn in proportion to weight times squared distance, one for each uniform number."""


class DenseSeeding:
    """Seeding of a dense array; rows whose seed is nearer than any candidate can be are skipped. [Elkan, 2003]"""

    def __init__(self, X: Array, weight: Array) -> None:
        self.X, self.weight = X, weight
        self.closest = np.full(len(X), np.inf)
        self.seed = np.full(len(X), -1, dtype=np.int32)
        self.seeds: list[int] = []
        self.mass = np.zeros(0)

    def potentials(self, candidates: Array) -> Array:
        rows = np.ascontiguousarray(self.X[candidates], dtype=np.float64)
        found: Array = kernels.seed_potentials(self.X, self.weight, rows, self._to_seeds(rows), self.closest, self.seed)
        return found

    def take(self, row: int) -> None:
        centre = np.ascontiguousarray(self.X[row : row + 1], dtype=np.float64)
        apart = self._to_seeds(centre)[0]
        self.mass = kernels.take_seed(self.X, self.weight, centre[0], len(self.seeds), apart, self.closest, self.seed)
        self.seeds.append(row)

    def _to_seeds(self, rows: Array) -> Array:
        """Squared distances of rows to the seeds so far."""
        seeds = np.ascontiguousarray(self.X[self.seeds], dtype=np.float64)
        if not len(seeds):
            return np.zeros((len(rows), 0))
        found: Array = kernels.euclidean_distances(rows, seeds, True)
        return found

    def draw(self, uniform: Array) -> Array:
        ends = np.cumsum(self.mass)
        positions = uniform * ends[-1]
        blocks = np.minimum(np.searchsorted(ends, positions, side="right"), len(ends) - 1)
        inside = positions - (ends - self.mass)[blocks]
        return np.array([self._within(block, offset) for block, offset in zip(blocks, inside, strict=True)])

    def _within(self, block: int, offset: float) -> int:
        """The row of a block at which the cumulative mass exceeds `offset`."""
        part = slice(block * kernels.seed_block, (block + 1) * kernels.seed_block)
        mass = self.weight[part] * self.closest[part]
        inside = int(np.searchsorted(np.cumsum(mass), offset, side="right"))
        return part.start + min(inside, int(np.flatnonzero(mass)[-1]))


class SparseSeeding:
    """Seeding of a CSR matrix."""

    def __init__(self, X: Matrix, weight: Array) -> None:
        self.X, self.weight = X, weight
        self.norms = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
        self.closest = np.full(X.shape[0], np.inf)

    def _squares(self, candidates: Array) -> Array:
        """Squared distances (rows, candidates)."""
        centres = self.X[candidates].toarray().astype(np.float64)
        products = matrix_products.precise_products(self.X, centres.T, np.zeros(len(centres)))
        square = np.maximum(self.norms[:, None] - 2 * products + self.norms[candidates], 0.0)
        square[candidates, np.arange(len(candidates))] = 0.0
        return np.asarray(square)

    def potentials(self, candidates: Array) -> Array:
        closer = np.minimum(self._squares(candidates), self.closest[:, None])
        return np.asarray((self.weight[:, None] * closer).sum(axis=0))

    def take(self, row: int) -> None:
        self.closest = np.minimum(self.closest, self._squares(np.array([row]))[:, 0])

    def draw(self, uniform: Array) -> Array:
        mass = self.weight * self.closest
        ends = np.cumsum(mass)
        found = np.searchsorted(ends, uniform * ends[-1], side="right")
        return np.asarray(np.minimum(found, np.flatnonzero(mass)[-1]))


def seeding_of(X: Matrix, weight: Array) -> Seeding:
    """A seeding of the rows of a matrix, without seeds."""
    return SparseSeeding(X, weight) if matrix_products.is_sparse(X) else DenseSeeding(X, weight)


def seeds(
    X: Matrix, weight: Array | None, count: int, init: Init, draws: np.random.Generator, trials: int | None = None
) -> Array:
    """Indices of `count` rows of `X` as initial centroids.

    Equal rows are one row with the sum of their weights, and the order of drawing depends on their content alone:
    neither the order of the rows nor copies instead of weights change the result.
    """
    population = Population.of(Data(X, np.empty(0), weight, None))
    rows, weights = population.rows, population.weight
    weights = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
    methods: dict[str, Callable[..., Array]] = {
        "k-means++": plus_plus,
        "k-means||": parallel_plus_plus,
        "random": random_rows,
    }
    options: dict[str, Any] = {"trials": trials} if init != "random" else {}
    return np.asarray(rows[methods[init](X[rows], weights, count, draws, **options)])


def uniform_values(X: Matrix, count: int, draws: np.random.Generator) -> Array:
    """Points drawn uniformly from the box that the rows span."""
    if matrix_products.is_sparse(X):
        low, high = (np.asarray(end.todense(), dtype=np.float64).ravel() for end in (X.min(axis=0), X.max(axis=0)))
    else:
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    part = draws.random((count, X.shape[1]))
    return np.asarray((1 - part) * low + part * high)


def random_rows(X: Matrix, weight: Array, count: int, draws: np.random.Generator) -> Array:
    """Distinct rows drawn in proportion to their weights; repeated from the first if there are too few."""
    arrival = -np.log1p(-draws.random(len(weight))) / weight
    order = np.argsort(arrival, kind="stable")[:count]
    return np.resize(order, count)


def plus_plus(X: Matrix, weight: Array, count: int, draws: np.random.Generator, trials: int | None = None) -> Array:
    """k-means++: each seed is drawn by squared distance to the previous ones, the best of `trials` draws is taken.

    `trials` of None is 2 + log count (greedy k-means++); one trial is the original method, whose expected inertia is at
    most 8 (log k + 2) times the optimum. [Arthur and Vassilvitskii, 2007]
    """
    trials = 2 + int(np.log(count)) if trials is None else trials
    ends = np.cumsum(weight)
    seeding = seeding_of(X, weight)
    chosen = [int(min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(weight) - 1))]
    seeding.take(chosen[0])
    while len(chosen) < count:
        give_way()
        uniform = draws.random(trials)
        if not (seeding.closest > 0).any():  # all rows are seeds already
            chosen += [chosen[k % len(chosen)] for k in range(count - len(chosen))]
            break
        candidates = seeding.draw(uniform)
        best = int(np.argmin(seeding.potentials(candidates))) if trials > 1 else 0
        chosen.append(int(candidates[best]))
        seeding.take(chosen[-1])
    return np.array(chosen)


def parallel_plus_plus(
    X: Matrix, weight: Array, count: int, draws: np.random.Generator, trials: int | None = None
) -> Array:
    """k-means||: a few rounds sample many candidates, and k-means++ selects among them. [Bahmani et al., 2012]"""
    ends = np.cumsum(weight)
    seeding = seeding_of(X, weight)
    chosen = [int(min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(weight) - 1))]
    seeding.take(chosen[0])
    for _ in range(ROUNDS):
        mass = weight * seeding.closest
        probability = OVERSAMPLING * count * mass / (mass.sum() or 1.0)
        for row in np.flatnonzero(draws.random(len(weight)) < probability):
            seeding.take(int(row))
            chosen.append(int(row))
    if len(chosen) < count:
        return plus_plus(X, weight, count, draws, trials)
    candidates = np.array(chosen)
    return candidates[plus_plus(X[candidates], _candidate_weights(X, weight, candidates), count, draws, trials)]


def _candidate_weights(X: Matrix, weight: Array, candidates: Array) -> Array:
    """The weight of the rows nearest to each candidate."""
    centres = X[candidates]
    centres = centres.toarray() if matrix_products.is_sparse(X) else centres
    finder = kernels.NearestCentres(X, np.zeros(X.shape[1]), "none")
    label = np.full(X.shape[0], -1, dtype=np.int32)
    mass: Array = finder.assign(np.ascontiguousarray(centres, dtype=np.float64), weight, label)[1]
    return np.maximum(mass, np.finfo(float).tiny)
