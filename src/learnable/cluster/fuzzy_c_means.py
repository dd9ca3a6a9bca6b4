"""Fuzzy c-means: clustering with memberships in all clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, Traits, estimator, learned, param, scaling
from ..core.runtime.native import kernels
from ..engines.alternate import Alternation
from ..engines.iterate import State, best_run
from ..engines.kmeans import ScaledData
from ..engines.kmeans_init import Init
from ._kmeans.base_centroid import CentroidClusterer, initial_centres, rows_with_weight


@estimator
class FuzzyCMeans(CentroidClusterer):
    """Fuzzy c-means clustering: every row has a degree of membership in each cluster; its memberships sum to one.

    minimise over centroids c and memberships r    sum_i s_i sum_k r_ik^m |x_i - c_k|^2,    sum_k r_ik = 1

    Alternates memberships r_ik = 1 / sum_j (d_ik / d_ij)^(1 / (m - 1)) of squared distances d, and centroids as means
    weighted by r^m; a row at a centroid is its only member. The limit m -> 1 is k-means. Cost of an iteration: rows
    times clusters times columns, in one compiled pass that does not store the memberships. [Bezdek, 1981]

    >>> X = [[0.0], [1.0], [5.0], [9.0], [10.0]]
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.predict_proba([[5.0]]).round(2)
    array([[0.5, 0.5]])
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    m: float = param(2.0, "fuzzifier: near 1 hard assignment, larger values more overlap", above=1)
    init: Init | Callable[..., Any] | Array = param(
        "k-means++", "initialisation: a method, initial centroids, or a function (X, n_clusters, random_state)"
    )
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(1000, "maximum number of iterations of a run", at_least=1)
    tol: float = param(
        1e-6, "tolerance of the squared move of the centroids, relative to the mean variance", at_least=0
    )
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    inertia_: float = learned("sum over rows and clusters of weight times membership^m times squared distance")
    memberships_: Array = learned("membership of each training row in each cluster", shape="rows clusters")

    traits = Traits(sparse=False)
    title = "fuzzy c-means clustering"
    reference = "Bezdek, Pattern recognition with fuzzy objective function algorithms, 1981"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = rows_with_weight(self, data)
        scaled = ScaledData(rows.X, rows.weight, bounds="none")
        starts, tolerance = initial_centres(self, scaled, rows), self.tol * scaled.spread
        best = best_run((_alternation(scaled, start, self.m, tolerance) for start in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / scaled.unit).astype(data.X.dtype)
        self.memberships_ = self._memberships(data.X)
        self.labels_ = self._assign(data.X)
        self.inertia_ = best.objective / scaled.unit / scaled.unit
        unit = scaled.spread if scaled.spread > 0 else 1.0
        trace.certify(
            "centres", best.criterion / unit, self.tol,
            "the memberships are optimal for the centroids, which the last iteration moved by this squared distance "
            "relative to the mean variance",
        )  # fmt: skip

    def predict_proba(self, X: Any) -> Array:
        """The membership of each row in each cluster."""
        return self._memberships(self._read(X))

    def _memberships(self, X: Matrix) -> Array:
        centres = np.ascontiguousarray(self.cluster_centers_, dtype=np.float64)
        unit, found = scaling.unit_of(centres), np.empty((X.shape[0], len(centres)))
        kernels.fuzzy_memberships(np.ascontiguousarray(X * X.dtype.type(unit)), centres * unit, self.m, found)
        return found.astype(X.dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum over rows and clusters of weight times membership^m times squared distance."""
        rows = self._read(X)
        weight = self._validator.weights(sample_weight, rows.shape[0])
        cost = (
            self._memberships(rows).astype(np.float64) ** self.m * self._distances(rows).astype(np.float64) ** 2
        ).sum(1)
        return -float(cost.sum() if weight is None else (cost * weight).sum())


def _alternation(scaled: ScaledData, centres: Array, power: float, tolerance: float) -> Alternation:
    """Memberships, of which one pass keeps only the weighted sums of rows, and weighted means."""

    def assign(state: State) -> State:
        now = np.ascontiguousarray(state["centres"])
        sums, mass, cost = kernels.fuzzy_pass(scaled.X, scaled.weight, now, scaled.origin, power)
        return {"sums": sums, "mass": mass, "objective": cost}

    def update(state: State) -> State:
        mass = state["mass"][:, None]
        means = scaled.origin + state["sums"] / np.where(mass > 0, mass, 1.0)
        return {"centres": np.where(mass > 0, means, state["centres"])}

    initial = {"centres": np.ascontiguousarray(centres), "objective": 0.0, "moved": 1e300}
    return Alternation(initial, assign, update, "centres", scaled.unit, tolerance, change="moved")
