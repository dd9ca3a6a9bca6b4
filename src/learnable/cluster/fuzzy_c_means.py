"""Fuzzy c-means: rows that belong to several groups at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, learned, param
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines import matrix_products
from ..engines.iterate import Progress, State
from ..engines.kmeans import Cloud
from ..engines.multi_start import best_run
from ._kmeans.base_centroid import Centred, counted_rows
from ._kmeans.init import Beginning, beginnings


@estimator
class FuzzyCMeans(Centred):
    """Groups to which rows belong more or less: the shares of a row in all groups add up to one.

    minimise over centres c and shares r    sum_i s_i sum_k r_ik^m |x_i - c_k|^2,    sum_k r_ik = 1

    Shares r_ik = 1 / sum_j (d_ik / d_ij)^(1 / (m - 1)) of squared distances d, centres as means weighted by r^m, in
    turn; a row at a centre is its own. For m near 1 it is k-means. Cost of a step: rows times groups times columns, one
    compiled pass that keeps no table of shares. [Bezdek, 1981]

    >>> X = [[0.0], [1.0], [5.0], [9.0], [10.0]]
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit(X)
    >>> model.predict_proba([[5.0]]).round(2)
    array([[0.5, 0.5]])
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    m: float = param(2.0, "how much groups overlap: near 1 hardly, above 2 widely", above=1)
    init: Beginning | Callable[..., Any] | Array = param(
        "k-means++", "where it begins: a way to draw rows, the centres, or a function (X, n_clusters, random_state)"
    )
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(1000, "most steps of a run", at_least=1)
    tol: float = param(1e-6, "squared move of all centres, the mean variance being one, that ends a run", at_least=0)
    random_state: RandomState = param(None, "seed of the beginnings")
    inertia_: float = learned("sum over rows and groups of weight times share^m times squared distance")
    memberships_: Array = learned("share of each group in each training row", shape="rows groups")

    sparse = False
    reference = "Bezdek, Pattern recognition with fuzzy objective function algorithms, 1981"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = counted_rows(self, data)
        cloud = Cloud(rows.X, rows.weight, bounds="none")
        starts, tolerance = beginnings(self, cloud, rows), self.tol * cloud.spread
        best = best_run((_Turns(cloud, begin, self.m, tolerance) for begin in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / cloud.unit).astype(data.X.dtype)
        self.memberships_ = self._shares(data.X)
        self.labels_ = self._assign(data.X)
        self.inertia_ = best.objective / cloud.unit / cloud.unit
        unit = cloud.spread if cloud.spread > 0 else 1.0
        trace.certify(
            "centres", best.criterion / unit, self.tol,
            "shares are the best for the centres, which the last step moved by this squared distance, in units of the "
            "mean variance",
        )  # fmt: skip

    def predict_proba(self, X: Any) -> Array:
        """The share of each group in each row."""
        return self._shares(self._read(X))

    def _shares(self, X: Matrix) -> Array:
        centres = np.ascontiguousarray(self.cluster_centers_, dtype=np.float64)
        unit, shares = matrix_products.unit_of(centres), np.empty((X.shape[0], len(centres)))
        kernels.fuzzy_shares(np.ascontiguousarray(X * X.dtype.type(unit)), centres * unit, self.m, shares)
        return shares.astype(X.dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum over rows and groups of weight times share^m times squared distance."""
        rows = self._read(X)
        weight = self._validator.weights(sample_weight, rows.shape[0])
        cost = (self._shares(rows).astype(np.float64) ** self.m * self._distances(rows).astype(np.float64) ** 2).sum(1)
        return -float(cost.sum() if weight is None else (cost * weight).sum())


@dataclass(frozen=True)
class _Turns:
    """Shares and centres in turn."""

    cloud: Cloud
    centres: Array
    power: float
    tolerance: float

    def start(self) -> State:
        return {"centres": self.centres, "objective": 0.0, "moved": 1e300}

    def step(self, state: State) -> State:
        give_way()
        cloud, centres = self.cloud, np.ascontiguousarray(state["centres"])
        sums, mass, cost = kernels.fuzzy_pass(cloud.X, cloud.weight, centres, cloud.origin, self.power)
        heavy = np.where(mass > 0, mass, 1.0)[:, None]
        means = np.where(mass[:, None] > 0, cloud.origin + sums / heavy, centres)
        return {"centres": means, "objective": cost, "moved": float(((means - centres) ** 2).sum())}

    def progress(self, state: State) -> Progress:
        unit = self.cloud.unit
        return Progress(state["objective"] / unit / unit, state["moved"], self.tolerance)
