"""Groups of rows in the order in which they hang together."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, estimator, learned, param
from ..engines.neighbours import Search
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import labels_of_known, settled
from ._checks import MEMORY, is_memory
from .optics_graph import SIZE, cluster_optics_dbscan, cluster_optics_xi, counted, is_size, visited


@estimator
class OPTICS(ByMetric, Clusterer):
    """Rows visited so that each is as near as can be to one before: groups are valleys of how near that is.

    reachability(b) = min over visited a of max(core(a), d(a, b)),    core(a) = distance to its min_samples-th row

    One visit serves every eps of DBSCAN; valleys with steep rims (xi) may differ in density. Who is in none has the
    label -1. A new row is in the group of the nearest training row if it is no farther from it than that one's core
    distance, else in none. [Ankerst, Breunig, Kriegel and Sander, 1999]

    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]]
    >>> OPTICS(min_samples=2).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    min_samples: float = param(
        5, "rows that make a row dense, itself with them, or their share of all", accepts=is_size, says=SIZE
    )
    max_eps: float = param(np.inf, "rows that are farther apart do not see each other", above=0, infinite=True)
    metric: Any = param("minkowski", "how far rows are apart", accepts=is_metric, says=SAYS)
    p: float = param(2, "power of the Minkowski metric, also inf", at_least=1, infinite=True)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis")
    cluster_method: Literal["xi", "dbscan"] = param("xi", "groups by valleys, or as those of DBSCAN")
    eps: float | None = param(None, "how far rows reach for cluster_method='dbscan'; max_eps if None", at_least=0)
    xi: float = param(0.05, "share by which the reachability changes at a rim", at_least=0, at_most=1)
    predecessor_correction: bool = param(True, "whether groups end where rows were reached from outside")
    min_cluster_size: float | None = param(
        None, "rows that make a group, or their share; as min_samples if None", accepts=is_size, says=SIZE
    )
    algorithm: Literal["auto", "brute", "ball_tree", "kd_tree"] = param(
        "auto", "accepted as in scikit-learn: the answer is exact by all"
    )
    leaf_size: int = param(30, "accepted as in scikit-learn", at_least=1)
    memory: Any = param(None, "accepted as in scikit-learn", accepts=is_memory, says=MEMORY)
    n_jobs: int | None = param(None, "accepted as in scikit-learn; learnable.threads says how many threads work")

    reachability_: Array = learned("how near each row was to those visited before it", shape="rows")
    ordering_: Array = learned("rows in the order of the visit", shape="rows", index="rows")
    core_distances_: Array = learned("distance at which each row is dense", shape="rows")
    predecessor_: Array = learned(
        "row from which each was reached; -1 if from none", shape="rows", index="rows", least=-1
    )
    cluster_hierarchy_: Array = learned("first and last place of every valley", shape="valleys 2", optional=True)
    rows_: Matrix = learned("the training rows, among which new ones are compared", shape="rows features", matrix=True)
    effective_metric_: tuple[Any, dict[str, Any]] = learned("the metric, and its options as the training rows set them")

    sparse = True
    storage = "csr"
    parametric = False
    reference = (
        "Ankerst, Breunig, Kriegel and Sander, OPTICS: ordering points to identify the clustering structure, 1999"
    )

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"OPTICS: distances of all rows to all are needed; X has the shape {data.X.shape}")
        if self.cluster_method == "dbscan" and self.eps is not None and self.eps > self.max_eps:
            raise ParameterError(f"OPTICS: eps={self.eps} must not be larger than max_eps={self.max_eps}")
        least = counted(self.min_samples, data.n, "min_samples", "OPTICS")
        metric, options = effective(self.metric, self.p, self.metric_params)
        self.rows_ = self._learn_categories(data.X, options)
        self.effective_metric_ = settled(metric, options, self.rows_, "OPTICS")
        how = comparison(*self.effective_metric_, self.rows_, "OPTICS")
        self.ordering_, self.core_distances_, self.reachability_, self.predecessor_ = visited(
            self.rows_, how, least, self.max_eps
        )
        self.labels_ = self._groups()
        near = self.reachability_[np.isfinite(self.reachability_)]
        trace.exact("every row was visited from the nearest of those before it", float(near.sum()))

    def _groups(self) -> Array:
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
        distances, rows = Search.of(self.rows_, how).nearest(X, 1)
        near = distances[:, 0] <= self.core_distances_[rows[:, 0]]
        found = np.where(near, self.labels_[rows[:, 0]], -1)
        return labels_of_known(X, self.rows_, self.labels_, found) if self.pairwise else found
