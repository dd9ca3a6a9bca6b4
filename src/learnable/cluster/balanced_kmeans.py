"""Balanced k-means: k-means with cluster sizes within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import (
    Array,
    Clusterer,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    scaling,
)
from ..core.runtime.native import kernels
from ..engines.alternate import Alternation, labels_and_centres
from ..engines.iterate import State, best_run
from ..engines.kmeans import ScaledData, cluster_means, squared_distances, squares_to_all
from ..engines.kmeans_init import Init
from ._kmeans.base_centroid import initial_centres, rows_with_weight


@estimator
class BalancedKMeans(Clusterer):
    """Balanced k-means clustering: k-means with equal cluster sizes, or sizes within bounds.

    minimise over centroids c and labels within the size bounds    sum_i |x_i - c_label(i)|^2

    Alternates the labels of minimum cost, a transport problem solved exactly by augmenting paths between clusters, and
    the means of the clusters; neither can raise the objective. The labels are the cells of a power diagram, which also
    assigns new rows: to the cluster with minimal |x - c|^2 - r^2, where clusters that would be too small have large
    radii r. Equal rows may be in different clusters, if the sizes require it. Memory: rows times clusters. [Bradley,
    Bennett and Demiriz, 2000; Aurenhammer, Hoffmann and Aronov, 1998]

    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [20.0]]
    >>> model = BalancedKMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [1.0, 9.0]
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8))
    size_min: int | None = param(None, "minimum number of rows of a cluster", at_least=0)
    size_max: int | None = param(
        None, "maximum number of rows of a cluster; without both bounds, sizes differ by at most 1", at_least=1
    )
    init: Init | Callable[..., Any] | Array = param("k-means++", "initialisation, as in KMeans")
    n_init: int = param(1, "number of initialisations, of which the best result is kept", at_least=1)
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    cluster_centers_: Array = learned("cluster centroids", shape="clusters features")
    radii_: Array = learned("radius of each cluster in the power diagram that assigns new rows", shape="clusters")
    inertia_: float = learned("sum of squared distances of the training rows to the centroids of their clusters")
    n_iter_: int = learned("number of iterations of the best run")

    traits = Traits(stochastic=True)
    title = "balanced k-means clustering"
    reference = "Bradley, Bennett and Demiriz, Constrained k-means clustering, 2000"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows_with_weight(self, data)
        sizes, scaled = self._sizes(data.n), ScaledData(data.X, None, bounds="none")
        starts = initial_centres(self, scaled, data)
        best = best_run((_alternation(scaled, start, *sizes) for start in starts), self.max_iter, trace)
        self.n_iter_ = best.steps
        self.cluster_centers_ = (best.state["centres"] / scaled.unit).astype(data.X.dtype)
        costs = squares_to_all(scaled.X, self.cluster_centers_.astype(np.float64) * scaled.unit)
        self.labels_, dual = _balanced_labels(costs, *sizes)
        self.radii_ = np.sqrt(dual.max() - dual) / scaled.unit
        self.inertia_ = float(squared_distances(data.X, self.cluster_centers_, self.labels_).sum())
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances overflow")
        trace.certify(
            "labels",
            best.criterion,
            0.0,
            "the labels have minimum cost for these sizes; number of labels changed in the last iteration",
        )

    def _sizes(self, n: int) -> tuple[int, int]:
        """Minimum and maximum number of rows of a cluster."""
        if self.size_min is None and self.size_max is None:
            return n // self.n_clusters, -(-n // self.n_clusters)
        smallest, largest = self.size_min or 0, n if self.size_max is None else self.size_max
        if smallest > largest or smallest * self.n_clusters > n or largest * self.n_clusters < n:
            raise ParameterError(
                f"BalancedKMeans: {n} rows cannot be {self.n_clusters} clusters of {smallest} to {largest} rows; "
                f"choose size_min at most {n // self.n_clusters} and size_max at least {-(-n // self.n_clusters)}"
            )
        return smallest, min(largest, n)

    def _assign(self, X: Matrix) -> Array:
        unit = scaling.unit_of(self.cluster_centers_)
        costs = squares_to_all(X * X.dtype.type(unit), self.cluster_centers_.astype(np.float64) * unit)
        return np.asarray((costs - (self.radii_ * unit) ** 2).argmin(axis=1), dtype=np.int32)


def _balanced_labels(costs: Array, smallest: int, largest: int) -> tuple[Array, Array]:
    """The labels of minimum cost within the size bounds, and the dual variable of each cluster."""
    labels = np.empty(len(costs), dtype=np.int32)
    return labels, kernels.balanced_labels(costs, smallest, largest, labels)


def _alternation(scaled: ScaledData, centres: Array, smallest: int, largest: int) -> Alternation:
    """Labels of minimum cost within the size bounds, and means of the clusters."""

    def assign(state: State) -> State:
        costs = squares_to_all(scaled.X, state["centres"])
        labels, _ = _balanced_labels(costs, smallest, largest)
        return {"labels": labels, "objective": float(costs[np.arange(len(labels)), labels].sum())}

    def update(state: State) -> State:
        return {"centres": cluster_means(scaled.X, state["labels"], state["centres"])}

    return Alternation(labels_and_centres(centres, scaled.X.shape[0]), assign, update, unit=scaled.unit)
