"""Lloyd's algorithm for k-means: assign rows to the nearest centroid, update the centroids as means, repeat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import scaling
from ..core.errors import DataError
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.runtime.trace import Trace
from ..core.validate.features import Array, Matrix
from . import matrix_products
from .iterate import Progress, State, iterate
from .kmeans_init import seeds

Stop = Literal["centres", "labels", "objective"]
Empty = Literal["relocate", "keep", "drop", "error"]
Bounds = Literal["none", "one", "groups", "each"]
ORDINARY = (1e-20, 1e20)  # mean squares of rows for which single precision can find the nearest centroid


class Partition(NamedTuple):
    """The result of k-means: label of each row, centroids and inertia."""

    labels: Array
    centres: Array
    inertia: float


class ScaledData:
    """Rows scaled by a power of two, `unit`, so that squares do not overflow, with weights, mean and spread.

    `bounds` on the distances of each row to the other centroids save computing most of them: "one" for all centroids,
    one for each of several "groups" of centroids, one for "each" centroid, or "none".
    """

    def __init__(self, X: Matrix, weight: Array | None, bounds: Bounds = "groups") -> None:
        self.X = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        self.weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        self.total = float(self.X.shape[0] if self.weight is None else self.weight.sum())
        self.unit, self.bounds = 1.0, bounds
        self._measure()
        if not ORDINARY[0] < self.square / self.total < ORDINARY[1]:
            self.unit = scaling.power_of_two_scale(self.X)
            self.X = self.X * self.X.dtype.type(self.unit)
            self._measure()

    def _measure(self) -> None:
        """Compute the mean and the spread of the rows."""
        mean = matrix_products.column_means(self.X, self.weight)
        self.origin = np.zeros(self.X.shape[1]) if matrix_products.is_sparse(self.X) else mean
        self.finder: Any = kernels.NearestCentres(self.X, self.origin, self.bounds)
        self.square: float = self.weighted(self.squares(mean[None], np.zeros(self.X.shape[0], dtype=np.int32)))
        self.offset = float(self.total * ((mean - self.origin) ** 2).sum())

    @property
    def spread(self) -> float:
        """Mean variance of the columns."""
        return float(self.square / self.total / self.X.shape[1])

    def weighted(self, values: Array) -> float:
        """The weighted sum of a value for each row."""
        return float(values.sum() if self.weight is None else (values * self.weight).sum())

    def squares(self, centres: Array, labels: Array) -> Array:
        """Squared distance of each row to its centre."""
        found: Array = self.finder.squares(np.ascontiguousarray(centres), labels)
        return found

    def assign(self, centres: Array, labels: Array) -> tuple[Array, Array, int, int]:
        """Assign rows to centroids; returns sums about the origin, masses, numbers of changes and of distances."""
        sums, mass, changed, distances = self.finder.assign(np.ascontiguousarray(centres), self.weight, labels)
        return sums, mass, changed, distances


@dataclass(frozen=True)
class Lloyd:
    """Lloyd's iterations from given centroids; bounds skip rows whose label cannot change, with the same result.

    Converged when no label changes or, by `stop`, when the squared moves of the centroids sum to at most `tolerance`,
    or when the objective decreases by at most this fraction of itself.
    """

    scaled: ScaledData
    centres: Array
    tolerance: float
    stop: Stop = "centres"
    empty: Empty = "relocate"

    def start(self) -> State:
        labels = np.full(self.scaled.X.shape[0], -1, dtype=np.int32)
        return {"centres": self.centres, "labels": labels, "objective": np.inf, "criterion": 1e300, "distances": 0}

    def step(self, state: State) -> State:
        give_way()
        labels, centres = state["labels"].copy(), state["centres"]
        sums, mass, changed, distances = self.scaled.assign(centres, labels)
        if (mass == 0).any():
            centres, sums, mass = self._handle_empty(centres, sums, mass, labels)
        weights = np.where(mass > 0, mass, 1.0)[:, None]
        means = np.where(mass[:, None] > 0, self.scaled.origin + sums / weights, centres)
        objective = self._objective(means, mass)
        return {
            "centres": means,
            "labels": labels,
            "objective": objective,
            "criterion": self._criterion(state["objective"], objective, centres, means, changed),
            "distances": distances,
        }

    def progress(self, state: State) -> Progress:
        unit = self.scaled.unit
        more = {"distances": float(state["distances"])}
        return Progress(state["objective"] / unit / unit, state["criterion"], self.tolerance, more)

    def _objective(self, means: Array, mass: Array) -> float:
        """The within-cluster sum of squares: the total one less the one between clusters."""
        between = float((mass * ((means - self.scaled.origin) ** 2).sum(axis=1)).sum()) - self.scaled.offset
        return max(self.scaled.square - between, 0.0)

    def _criterion(self, before: float, after: float, centres: Array, means: Array, changed: int) -> float:
        if changed == 0:
            return 0.0
        if self.stop == "labels":
            return float(changed)
        if self.stop == "objective":
            return (before - after) / after if after > 0 and before < np.inf else 1e300 * (after > 0)
        return float(((means - centres) ** 2).sum()) if len(means) == len(centres) else 1e300

    def _handle_empty(self, centres: Array, sums: Array, mass: Array, labels: Array) -> tuple[Array, Array, Array]:
        """Handle empty clusters as `empty` says."""
        if self.empty == "error":
            raise DataError(
                f"cluster {int(np.argmin(mass))} has no rows; reduce n_clusters, change the initialisation, or set "
                'empty_cluster="relocate", "keep" or "drop"'
            )
        if self.empty == "drop":
            kept = mass > 0
            return centres[kept], sums[kept], mass[kept]
        if self.empty == "relocate":
            self._relocate(centres, sums, mass, labels)
        return centres, sums, mass

    def _relocate(self, centres: Array, sums: Array, mass: Array, labels: Array) -> None:
        """Move the centroids of empty clusters to the rows farthest from their centroids, as scikit-learn does."""
        square = self.scaled.squares(centres, labels)
        weights = self.scaled.weight
        far = np.argsort(-square, kind="stable")
        far = far[(square[far] > 0) & (True if weights is None else weights[far] > 0)]
        for cluster, row in zip(np.flatnonzero(mass == 0), far, strict=False):  # there may be too few
            values: Matrix = self.scaled.X[[row]]
            values = values.toarray() if matrix_products.is_sparse(values) else values
            weight = 1.0 if weights is None else float(weights[row])
            moved = weight * (values[0].astype(np.float64) - self.scaled.origin)
            sums[labels[row]] -= moved
            mass[labels[row]] -= weight
            sums[cluster], mass[cluster] = moved, weight


def nearest_centres(X: Matrix, centres: Array) -> Array:
    """The label of each row: the nearest centroid by distances in double precision; ties go to the first."""
    rows, wide, _ = _in_range(X, centres)
    labels = np.full(rows.shape[0], -1, dtype=np.int32)
    kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none").assign(wide, None, labels)
    return labels


def squared_distances(X: Matrix, centres: Array, labels: Array, unit: float | None = None) -> Array:
    """Squared distance of each row to the centroid of its label, computed in a `unit` that is known to be safe."""
    rows, wide, unit = _in_range(X, centres, unit)
    found: Array = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none").squares(wide, labels)
    return found / unit / unit


def squares_to_all(X: Array, centres: Array) -> Array:
    """Squared distance of each row to each centre, in double precision."""
    return np.stack([((X.astype(np.float64) - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def cluster_means(X: Array, labels: Array, centres: Array) -> Array:
    """The mean of the rows of each cluster; an empty cluster keeps its centre."""
    members = [X[labels == k] for k in range(len(centres))]
    return np.array(
        [rows.mean(axis=0, dtype=np.float64) if len(rows) else old for rows, old in zip(members, centres, strict=True)]
    )


def _in_range(X: Matrix, centres: Array, unit: float | None = None) -> tuple[Matrix, Array, float]:
    """Rows and centroids scaled by a power of two so that squares do not overflow; the order of distances is kept."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    wide = np.ascontiguousarray(centres, dtype=np.float64)
    unit = scaling.unit_of(wide) if unit is None else unit
    return (rows, wide, 1.0) if unit == 1 else (rows * rows.dtype.type(unit), wide * unit, unit)


def kmeans(
    X: Array, count: int, weight: Array | None, draws: np.random.Generator, limit: int = 300, tolerance: float = 1e-4
) -> Partition:
    """k-means from a k-means++ initialisation; `tolerance` is relative to the mean variance of the columns."""
    scaled = ScaledData(X, weight)
    initial = np.asarray(scaled.X[seeds(scaled.X, scaled.weight, count, "k-means++", draws)], dtype=np.float64)
    centres = iterate(Lloyd(scaled, initial, tolerance * scaled.spread), limit, Trace())["centres"]
    labels = np.full(len(X), -1, dtype=np.int32)
    scaled.assign(centres, labels)
    inertia = scaled.weighted(scaled.squares(centres, labels)) / scaled.unit / scaled.unit
    return Partition(labels, centres / scaled.unit, inertia)
