"""Lloyd's algorithm for k-means: assign rows to their nearest means and move the means, until nothing changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

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
ORDINARY = (1e-20, 1e20)  # mean squares of rows within which single precision can look for the nearest


class Groups(NamedTuple):
    """The group of each row, the mean of each group, and the weighted sum of squared distances to the means."""

    labels: Array
    centres: Array
    inertia: float


class Cloud:
    """The rows to be grouped, scaled by `unit` into a range in which squares are safe, with weights, mean and spread.

    Each row keeps `bounds` on its distances to the centres other than its own, which save computing most of them: "one"
    for all of these, one for each of several "groups" of centres, one for "each" centre, or "none".
    """

    def __init__(self, X: Matrix, weight: Array | None, bounds: Bounds = "groups") -> None:
        self.X = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        self.weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        self.total = float(self.X.shape[0] if self.weight is None else self.weight.sum())
        self.unit, self.bounds = 1.0, bounds
        self._look()
        if not ORDINARY[0] < self.square / self.total < ORDINARY[1]:
            self.unit = matrix_products.power_of_two_scale(self.X)
            self.X = self.X * self.X.dtype.type(self.unit)
            self._look()

    def _look(self) -> None:
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
        """The weighted sum of a number for each row."""
        return float(values.sum() if self.weight is None else (values * self.weight).sum())

    def squares(self, centres: Array, labels: Array) -> Array:
        """Squared distance of each row to its centre."""
        found: Array = self.finder.squares(np.ascontiguousarray(centres), labels)
        return found

    def assign(self, centres: Array, labels: Array) -> tuple[Array, Array, int, int]:
        """Label rows by their nearest centres; by centre, sums about the origin and weights; changed labels; work."""
        sums, mass, changed, distances = self.finder.assign(np.ascontiguousarray(centres), self.weight, labels)
        return sums, mass, changed, distances


@dataclass(frozen=True)
class Lloyd:
    """Lloyd's steps from given centres; bounds on distances skip rows whose label cannot change, with the same result.

    They end when no label changes, or as `stop` says: when the squared moves of the centres sum to at most `tolerance`,
    or when the objective falls by at most this share of itself.
    """

    cloud: Cloud
    centres: Array
    tolerance: float
    stop: Stop = "centres"
    empty: Empty = "relocate"

    def start(self) -> State:
        labels = np.full(self.cloud.X.shape[0], -1, dtype=np.int32)
        return {"centres": self.centres, "labels": labels, "objective": np.inf, "criterion": 1e300, "distances": 0}

    def step(self, state: State) -> State:
        give_way()
        labels, centres = state["labels"].copy(), state["centres"]
        sums, mass, changed, distances = self.cloud.assign(centres, labels)
        if (mass == 0).any():
            centres, sums, mass = self._without_empty(centres, sums, mass, labels)
        heavy = np.where(mass > 0, mass, 1.0)[:, None]
        means = np.where(mass[:, None] > 0, self.cloud.origin + sums / heavy, centres)
        objective = self._objective(means, mass)
        return {
            "centres": means,
            "labels": labels,
            "objective": objective,
            "criterion": self._criterion(state["objective"], objective, centres, means, changed),
            "distances": distances,
        }

    def progress(self, state: State) -> Progress:
        unit = self.cloud.unit
        more = {"distances": float(state["distances"])}
        return Progress(state["objective"] / unit / unit, state["criterion"], self.tolerance, more)

    def _objective(self, means: Array, mass: Array) -> float:
        """Squared distances of the rows to the means of their groups: those to the mean of all, less those between."""
        between = float((mass * ((means - self.cloud.origin) ** 2).sum(axis=1)).sum()) - self.cloud.offset
        return max(self.cloud.square - between, 0.0)

    def _criterion(self, before: float, after: float, centres: Array, means: Array, changed: int) -> float:
        if changed == 0:
            return 0.0
        if self.stop == "labels":
            return float(changed)
        if self.stop == "objective":
            return (before - after) / after if after > 0 and before < np.inf else 1e300 * (after > 0)
        return float(((means - centres) ** 2).sum()) if len(means) == len(centres) else 1e300

    def _without_empty(self, centres: Array, sums: Array, mass: Array, labels: Array) -> tuple[Array, Array, Array]:
        """What becomes of centres that no row is nearest to."""
        if self.empty == "error":
            raise DataError(
                f"group {int(np.argmin(mass))} lost all its rows; ask for fewer groups, begin elsewhere, or choose "
                'empty_cluster="relocate", "keep" or "drop"'
            )
        if self.empty == "drop":
            kept = mass > 0
            return centres[kept], sums[kept], mass[kept]
        if self.empty == "relocate":
            self._relocate(centres, sums, mass, labels)
        return centres, sums, mass

    def _relocate(self, centres: Array, sums: Array, mass: Array, labels: Array) -> None:
        """Begin empty groups anew with the rows that are farthest from their centres, as scikit-learn does."""
        square = self.cloud.squares(centres, labels)
        heavy = self.cloud.weight
        far = np.argsort(-square, kind="stable")
        far = far[(square[far] > 0) & (True if heavy is None else heavy[far] > 0)]
        for group, row in zip(np.flatnonzero(mass == 0), far, strict=False):  # there may be too few
            values: Matrix = self.cloud.X[[row]]
            values = values.toarray() if matrix_products.is_sparse(values) else values
            weight = 1.0 if heavy is None else float(heavy[row])
            moved = weight * (values[0].astype(np.float64) - self.cloud.origin)
            sums[labels[row]] -= moved
            mass[labels[row]] -= weight
            sums[group], mass[group] = moved, weight


def nearest_centres(X: Matrix, centres: Array) -> Array:
    """The nearest centre of each row, the first of equals, by distances in double precision."""
    rows, wide, _ = _in_range(X, centres)
    labels = np.full(rows.shape[0], -1, dtype=np.int32)
    kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none").assign(wide, None, labels)
    return labels


def squared_distances(X: Matrix, centres: Array, labels: Array) -> Array:
    """Squared distance of each row to the centre that its label names."""
    rows, wide, unit = _in_range(X, centres)
    found: Array = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none").squares(wide, labels)
    return found / unit / unit


def squares_to_all(X: Array, centres: Array) -> Array:
    """Squared distance of each row to each centre, in double precision."""
    return np.stack([((X.astype(np.float64) - centre) ** 2).sum(axis=1) for centre in centres], axis=1)


def means_of_groups(X: Array, labels: Array, centres: Array) -> Array:
    """The mean of the rows of each group; a group without rows keeps its centre."""
    rows = [X[labels == group] for group in range(len(centres))]
    return np.array(
        [mine.mean(axis=0, dtype=np.float64) if len(mine) else old for mine, old in zip(rows, centres, strict=True)]
    )


def _in_range(X: Matrix, centres: Array) -> tuple[Matrix, Array, float]:
    """Rows and centres times a power of two with which squares are safe, which changes no order of distances."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    wide = np.ascontiguousarray(centres, dtype=np.float64)
    unit = matrix_products.unit_of(wide)
    return (rows, wide, 1.0) if unit == 1 else (rows * rows.dtype.type(unit), wide * unit, unit)


def kmeans(
    X: Array, count: int, weight: Array | None, draws: np.random.Generator, limit: int = 300, tolerance: float = 1e-4
) -> Groups:
    """Lloyd's steps from seeds far apart, until the means move by at most `tolerance` of the spread of the columns."""
    cloud = Cloud(X, weight)
    begin = np.asarray(cloud.X[seeds(cloud.X, cloud.weight, count, "k-means++", draws)], dtype=np.float64)
    centres = iterate(Lloyd(cloud, begin, tolerance * cloud.spread), limit, Trace())["centres"]
    labels = np.full(len(X), -1, dtype=np.int32)
    cloud.assign(centres, labels)
    inertia = cloud.weighted(cloud.squares(centres, labels)) / cloud.unit / cloud.unit
    return Groups(labels, centres / cloud.unit, inertia)
