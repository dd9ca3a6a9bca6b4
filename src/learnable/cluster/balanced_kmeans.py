"""k-means with groups of about one size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Clusterer, Data, Matrix, ParameterError, RandomState, Trace, estimator, learned, param
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines import matrix_products
from ..engines.iterate import Progress, State
from ..engines.kmeans import Cloud, means_of_groups, squared_distances, squares_to_all
from ..engines.multi_start import best_run
from ._kmeans.base_centroid import counted_rows
from ._kmeans.init import Beginning, beginnings


@estimator
class BalancedKMeans(Clusterer):
    """Groups of rows about their means that have about as many rows each, or numbers of rows within bounds.

    minimise over centres c and labels that keep the sizes    sum_i |x_i - c_label(i)|^2

    Labels of least cost, a problem of transport that is solved exactly by chains of moves between groups, and means of
    the groups in turn; neither half of a step can raise the objective. Those labels are cells of a power diagram, by
    which new rows are told: the group of least |x - c|^2 - r^2, where groups that would be too small have large radii
    r. Equal rows may be in different groups, if sizes ask for it. Memory: rows times groups. [Bradley, Bennett and
    Demiriz, 2000; Aurenhammer, Hoffmann and Aronov, 1998]

    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [20.0]]
    >>> model = BalancedKMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [1.0, 9.0]
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    size_min: int | None = param(None, "fewest rows of a group", at_least=0)
    size_max: int | None = param(
        None, "most rows of a group; without both bounds sizes differ by at most 1", at_least=1
    )
    init: Beginning | Callable[..., Any] | Array = param("k-means++", "where runs begin, as in KMeans")
    n_init: int = param(1, "number of runs, of which the best is kept", at_least=1)
    max_iter: int = param(300, "most steps of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the beginnings")
    cluster_centers_: Array = learned("centre of each group", shape="groups features")
    radii_: Array = learned("radius of each group, by which new rows are told", shape="groups")
    inertia_: float = learned("sum of squared distances of the training rows to the centres of their groups")
    n_iter_: int = learned("steps of the best run")

    stochastic = True
    reference = "Bradley, Bennett and Demiriz, Constrained k-means clustering, 2000"

    def _fit(self, data: Data, trace: Trace) -> None:
        counted_rows(self, data)
        sizes, cloud = self._sizes(data.n), Cloud(data.X, None, bounds="none")
        starts = beginnings(self, cloud, data)
        best = best_run((_Turns(cloud, begin, *sizes) for begin in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / cloud.unit).astype(data.X.dtype)
        costs = squares_to_all(cloud.X, self.cluster_centers_.astype(np.float64) * cloud.unit)
        self.labels_, prices = _balanced(costs, *sizes)
        self.radii_ = np.sqrt(prices.max() - prices) / cloud.unit
        self.inertia_ = float(squared_distances(data.X, self.cluster_centers_, self.labels_).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances leave the range of floats")
        trace.certify(
            "labels", best.criterion, 0.0, "no labels of these sizes cost less; so many changed in the last step"
        )

    def _sizes(self, n: int) -> tuple[int, int]:
        """The fewest and the most rows of a group."""
        if self.size_min is None and self.size_max is None:
            return n // self.n_clusters, -(-n // self.n_clusters)
        fewest, most = self.size_min or 0, n if self.size_max is None else self.size_max
        if fewest > most or fewest * self.n_clusters > n or most * self.n_clusters < n:
            raise ParameterError(
                f"BalancedKMeans: {n} rows cannot be {self.n_clusters} groups of {fewest} to {most} rows; choose "
                f"size_min at most {n // self.n_clusters} and size_max at least {-(-n // self.n_clusters)}"
            )
        return fewest, min(most, n)

    def _assign(self, X: Matrix) -> Array:
        unit = matrix_products.unit_of(self.cluster_centers_)
        costs = squares_to_all(X * X.dtype.type(unit), self.cluster_centers_.astype(np.float64) * unit)
        return np.asarray((costs - (self.radii_ * unit) ** 2).argmin(axis=1), dtype=np.int32)


def _balanced(costs: Array, fewest: int, most: int) -> tuple[Array, Array]:
    """The labels of least cost that keep the sizes, and the price of each group that makes them everyone's choice."""
    labels = np.empty(len(costs), dtype=np.int32)
    return labels, kernels.balanced_labels(costs, fewest, most, labels)


@dataclass(frozen=True)
class _Turns:
    """Labels of least cost that keep the sizes, and means of the rows of each group, in turn."""

    cloud: Cloud
    begin: Array
    fewest: int
    most: int

    def start(self) -> State:
        count = self.cloud.X.shape[0]
        return {"centres": self.begin, "labels": np.full(count, -1), "objective": 0.0, "changed": count}

    def step(self, state: State) -> State:
        give_way()
        costs = squares_to_all(self.cloud.X, state["centres"])
        labels, _ = _balanced(costs, self.fewest, self.most)
        return {
            "centres": means_of_groups(self.cloud.X, labels, state["centres"]),
            "labels": labels,
            "objective": float(costs[np.arange(len(labels)), labels].sum()),
            "changed": int((labels != state["labels"]).sum()),
        }

    def progress(self, state: State) -> Progress:
        unit = self.cloud.unit
        return Progress(state["objective"] / unit / unit, float(state["changed"]), 0.0)
