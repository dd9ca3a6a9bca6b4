"""K-means of rows in blocks: seeding by k-means||, then Lloyd's iterations, each a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.errors import DataError
from ..core.runtime.native import kernels
from ..core.validate.features import Array, Matrix
from . import matrix_products
from .columns.column_statistics import ColumnStatistics
from .iterate import Progress, State
from .kmeans import Stop
from .passes import RowBlock, TrainingRows
from .sampled_rows import SampledRows, hashes

ROUNDS = 5  # of k-means||
OVERSAMPLING = 2  # expected candidates of a round, for each requested centroid
WHOLE = 2.0**64


class LloydSums(NamedTuple):
    """Sums about the origin and weights of the rows of each cluster, and the inertia."""

    sums: Array
    mass: Array
    inertia: float


@dataclass(frozen=True)
class CandidateRows:
    """Rows chosen from several blocks."""

    rows: Array

    def __add__(self, other: CandidateRows) -> CandidateRows:
        return CandidateRows(np.concatenate([self.rows, other.rows]))


@dataclass(frozen=True)
class FarthestRows:
    """The rows farthest from their centroids, with their squared distances; the first of equals."""

    square: Array
    rows: Array
    label: Array
    weight: Array

    def __add__(self, other: FarthestRows) -> FarthestRows:
        square = np.concatenate([self.square, other.square])
        kept = np.argsort(-square, kind="stable")[: max(len(self.square), len(other.square))]
        pairs = ((self.rows, other.rows), (self.label, other.label), (self.weight, other.weight))
        return FarthestRows(square[kept], *(np.concatenate(pair)[kept] for pair in pairs))


def assigned(block: RowBlock, centres: Array, origin: Array) -> LloydSums:
    """Assign the rows of a block to the nearest centroids."""
    found = NearestRows.of(block, centres, origin)
    inertia = found.square.sum() if found.weight is None else found.weight @ found.square
    return LloydSums(found.sums, found.mass, float(inertia))


def candidates(block: RowBlock, centres: Array, origin: Array, expected: float, inertia: float, seed: int) -> object:
    """Rows of a block drawn with probabilities in proportion to their squared distance, by numbers of their own."""
    found = NearestRows.of(block, centres, origin)
    own = found.square if found.weight is None else found.weight * found.square
    chosen = uniform(block, seed) * inertia < expected * own
    return CandidateRows(_dense(found.X[np.flatnonzero(chosen)])) if chosen.any() else None


def farthest(block: RowBlock, centres: Array, origin: Array, count: int) -> FarthestRows:
    """The `count` rows of a block that are farthest from their centroids."""
    found = NearestRows.of(block, centres, origin)
    weight = np.ones(block.n) if found.weight is None else found.weight
    counted = np.where(weight > 0, found.square, 0.0)
    kept = np.argsort(-counted, kind="stable")[:count]
    return FarthestRows(counted[kept], _dense(found.X[kept]), found.labels[kept], weight[kept])


def uniform(block: RowBlock, seed: int) -> Array:
    """A uniform number for each row, by its number among all rows."""
    with np.errstate(over="ignore"):
        mixed = hashes(hashes(np.asarray(block.numbers)) + np.uint64(seed % 2**63))
    return np.asarray(mixed.astype(np.float64) / WHOLE)


class NearestRows(NamedTuple):
    """The rows of a block, the label and squared distance of each, and sums about the origin by cluster."""

    X: Matrix
    weight: Array | None
    labels: Array
    square: Array
    sums: Array
    mass: Array

    @classmethod
    def of(cls, block: RowBlock, centres: Array, origin: Array) -> NearestRows:
        """Assign the rows of a block."""
        X = block.X if matrix_products.is_sparse(block.X) else np.ascontiguousarray(block.X)
        weight = None if block.weight is None else np.ascontiguousarray(block.weight, dtype=np.float64)
        finder = kernels.NearestCentres(X, origin, "none")
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        sums, mass, *_ = finder.assign(centres, weight, labels)
        return cls(X, weight, labels, finder.squares(centres, labels), sums, mass)


def _dense(rows: Matrix) -> Array:
    return np.asarray(rows.toarray() if matrix_products.is_sparse(rows) else rows, dtype=np.float64)


def seed_centres(rows: TrainingRows, count: int, origin: Array, seed: int) -> tuple[Array, Array]:
    """Candidates for the centroids by k-means||, and the weight of the rows nearest to each. [Bahmani et al., 2012]"""
    sample: SampledRows = rows.total(SampledRows.of, 1)
    centres = _dense(sample.X)
    for round_ in range(ROUNDS):
        inertia = float(rows.total(assigned, centres, origin).inertia)
        if not inertia > 0:
            break
        found = rows.total(candidates, centres, origin, float(OVERSAMPLING * count), inertia, seed + round_)
        if found is not None:
            centres = np.ascontiguousarray(np.concatenate([centres, found.rows]))
    centres = np.unique(centres, axis=0)
    if len(centres) < count:
        more: SampledRows = rows.total(SampledRows.of, 10 * count)
        centres = np.unique(np.concatenate([centres, _dense(more.X)]), axis=0)
    return centres, np.asarray(rows.total(assigned, centres, origin).mass)


@dataclass(frozen=True)
class BlockLloyd:
    """Lloyd's iterations from given centroids; each is a pass."""

    rows: TrainingRows
    centres: Array
    origin: Array
    tolerance: float
    stop: Stop = "centres"

    def start(self) -> State:
        """The state before the first pass."""
        return {"centres": self.centres, "objective": np.inf, "criterion": 1e300}

    def step(self, state: State) -> State:
        """Assign all rows, and update the centroids as means."""
        centres = state["centres"]
        found: LloydSums = self.rows.total(assigned, centres, self.origin)
        sums, mass = found.sums.copy(), found.mass.copy()
        if (mass == 0).any():
            self._relocate(centres, sums, mass)
        weights = np.where(mass > 0, mass, 1.0)[:, None]
        means = np.where(mass[:, None] > 0, self.origin + sums / weights, centres)
        moved = ((means - centres) ** 2).sum(axis=1)
        objective = max(float(found.inertia) - float(mass @ moved), 0.0)
        criterion = float(moved.sum())
        if self.stop == "objective":
            before = state["objective"]
            criterion = (
                (before - objective) / objective if objective > 0 and before < np.inf else 1e300 * (objective > 0)
            )
        return {"centres": means, "objective": objective, "criterion": criterion}

    def progress(self, state: State) -> Progress:
        """Objective, and squared moves of the centroids."""
        return Progress(state["objective"], state["criterion"], self.tolerance)

    def _relocate(self, centres: Array, sums: Array, mass: Array) -> None:
        """Move the centroids of empty clusters to the rows farthest from their centroids."""
        empty = np.flatnonzero(mass == 0)
        far: FarthestRows = self.rows.total(farthest, centres, self.origin, len(empty))
        for i, cluster in enumerate(empty[: len(far.square)].tolist()):
            if far.square[i] > 0:
                moved = far.weight[i] * (far.rows[i] - self.origin)
                sums[far.label[i]] -= moved
                mass[far.label[i]] -= far.weight[i]
                sums[cluster], mass[cluster] = moved, far.weight[i]


def column_spread(found: ColumnStatistics) -> tuple[Array, float]:
    """The mean of each column, and the mean of their variances."""
    if not np.isfinite(found.spread).all():
        raise DataError("KMeans: squared distances overflow; scale the columns first")
    return found.mean, float((found.spread / np.maximum(found.weight, 1e-300)).mean())
