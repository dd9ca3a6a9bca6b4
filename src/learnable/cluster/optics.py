"""OPTICS: ordering points to identify the clustering structure."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..engines.neighbours import NeighbourSearch
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import labels_of_known, resolve_metric
from ._checks import MEMORY, is_memory
from .optics_graph import SIZE, cluster_optics_dbscan, cluster_optics_xi, is_size, optics_order, row_count


@estimator
class OPTICS(ByMetric, Clusterer):
    """OPTICS clustering: orders samples by reachability distance; clusters are the valleys of the reachability plot.

    reachability(b) = min over visited a of max(core(a), d(a, b)),    core(a) = distance to its min_samples-th row

    One ordering gives the DBSCAN clusters for every eps; valleys with steep ends (xi) may differ in density. Noise has
    the label -1. A new row gets the label of the nearest training row if it is not farther from it than the core
    distance of that row, otherwise -1. [Ankerst, Breunig, Kriegel and Sander, 1999]

    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]]
    >>> OPTICS(min_samples=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    min_samples: float = param(
        5,
        "number of rows of the core distance, itself included, or their fraction of all rows",
        accepts=is_size,
        says=SIZE,
    )
    max_eps: float = param(np.inf, "maximum neighbourhood radius", above=0, infinite=True)
    metric: Any = param("minkowski", "distance metric", accepts=is_metric, says=SAYS)
    p: float = param(2, "power of the Minkowski metric, also inf", at_least=1, infinite=True)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis")
    cluster_method: Literal["xi", "dbscan"] = param(
        "xi", "extraction of clusters: by valleys of the plot, or by the DBSCAN threshold eps"
    )
    eps: float | None = param(None, "neighbourhood radius of cluster_method='dbscan'; None: max_eps", at_least=0)
    xi: float = param(
        0.05, "minimum relative change of the reachability at the ends of a valley", at_least=0, at_most=1
    )
    predecessor_correction: bool = param(True, "whether clusters are cut where rows were reached from outside")
    min_cluster_size: float | None = param(
        None,
        "minimum number of rows of a cluster, or their fraction of all rows; None: min_samples",
        accepts=is_size,
        says=SIZE,
    )
    algorithm: Literal["auto", "brute", "ball_tree", "kd_tree"] = param(
        "auto", "accepted for compatibility; all algorithms are exact"
    )
    leaf_size: int = param(30, "accepted for compatibility", at_least=1)
    memory: Any = param(None, "accepted for compatibility", accepts=is_memory, says=MEMORY)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")

    reachability_: Array = learned("reachability distance of each row", shape="rows")
    ordering_: Array = learned("cluster ordering of the rows", shape="rows", index="rows")
    core_distances_: Array = learned("core distance of each row", shape="rows")
    predecessor_: Array = learned(
        "index of the row from which each row was reached; -1 if none", shape="rows", index="rows", least=-1
    )
    cluster_hierarchy_: Array = learned(
        "first and last index of every valley in the ordering", shape="valleys 2", optional=True
    )
    rows_: Matrix = learned("training rows, which predict compares new rows with", shape="rows features", matrix=True)
    effective_metric_: tuple[Any, dict[str, Any]] = learned(
        "metric, and its options with those taken from the training rows"
    )

    traits = Traits(sparse=True, storage="csr", parametric=False)
    title = "OPTICS clustering"
    reference = (
        "Ankerst, Breunig, Kriegel and Sander, OPTICS: ordering points to identify the clustering structure, 1999"
    )

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"OPTICS: a square distance matrix of the rows is needed; X has the shape {data.X.shape}")
        if self.cluster_method == "dbscan" and self.eps is not None and self.eps > self.max_eps:
            raise ParameterError(f"OPTICS: eps={self.eps} must not be larger than max_eps={self.max_eps}")
        least = row_count(self.min_samples, data.n, "min_samples", "OPTICS")
        metric, options = effective(self.metric, self.p, self.metric_params)
        self.rows_ = self._learn_categories(data.X, options)
        self.effective_metric_ = resolve_metric(metric, options, self.rows_, "OPTICS")
        how = comparison(*self.effective_metric_, self.rows_, "OPTICS")
        self.ordering_, self.core_distances_, self.reachability_, self.predecessor_ = optics_order(
            self.rows_, how, least, self.max_eps
        )
        self.labels_ = self._find_clusters()
        if np.isinf(self.reachability_).all():
            warn("OPTICS: All reachability values are inf. Set a larger max_eps.", UserWarning)
        near = self.reachability_[np.isfinite(self.reachability_)]
        trace.exact("every row was visited in the order of minimal reachability distance", float(near.sum()))

    def _find_clusters(self) -> Array:
        known = {"reachability": self.reachability_, "ordering": self.ordering_}
        if self.cluster_method == "dbscan":
            eps = self.max_eps if self.eps is None else self.eps
            return cluster_optics_dbscan(core_distances=self.core_distances_, eps=eps, **known)
        labels, self.cluster_hierarchy_ = cluster_optics_xi(
            predecessor=self.predecessor_,
            min_samples=self.min_samples,
            min_cluster_size=self.min_cluster_size,
            xi=self.xi,
            predecessor_correction=self.predecessor_correction,
            **known,
        )
        return labels

    def _assign(self, X: Matrix) -> Array:
        how = comparison(*self.effective_metric_, self.rows_, "OPTICS")
        distances, rows = NeighbourSearch.of(self.rows_, how).nearest(X, 1)
        near = distances[:, 0] <= self.core_distances_[rows[:, 0]]
        found = np.where(near, self.labels_[rows[:, 0]], -1)
        return labels_of_known(X, self.rows_, self.labels_, found) if self.pairwise else found
