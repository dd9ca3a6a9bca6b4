"""DBSCAN: density-based clustering."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, WeightedClusterer, estimator, learned, param
from ..engines.neighbours import RowComparison
from ..neighbors._metrics import SAYS, comparison, effective, is_metric, warn_of_power
from ..neighbors._mixed_features import ByMetric
from ._assign_new import labels_of_known, resolve_metric
from ._density.dbscan_core import CoreRule, DensityClusters, lowest_near, near_in_graph


@estimator
class DBSCAN(ByMetric, WeightedClusterer):
    """DBSCAN: density-based clustering into connected regions of high density; rows elsewhere are noise (-1).

    core samples = rows with at least min_samples rows within eps, themselves included;  clusters = chains of them

    A row within eps of a core sample is a border point of its cluster and does not extend it. A border point of several
    clusters belongs to the first; new rows are assigned by the same rule. Computed by a grid in two dimensions, by a
    k-d tree or ball tree without storing neighbour lists, or by blocks of the distance matrix. Exact.
    [Ester, Kriegel, Sander and Xu, 1996]

    >>> DBSCAN(eps=1.0, min_samples=2).fit_predict([[0.0], [0.9], [1.8], [8.0], [8.5], [20.0]])
    array([ 0,  0,  0,  1,  1, -1])
    """

    eps: float = param(0.5, "neighbourhood radius", above=0, kw_only=False)
    min_samples: int = param(5, "number of rows within eps that make a row a core sample, itself included", at_least=1)
    metric: Any = param("euclidean", "distance metric", accepts=is_metric, says=SAYS)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis")
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = param(
        "auto", "accepted for compatibility; all algorithms are exact"
    )
    leaf_size: int = param(30, "accepted for compatibility", at_least=1)
    p: float | None = param(None, "power of the Minkowski metric, also inf", above=0, infinite=True)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")

    core_sample_indices_: Array = learned("indices of the core samples", shape="core", index="rows")
    components_: Matrix = learned("core samples; categories as their indices in categories_", shape="core features")
    effective_metric_: tuple[Any, dict[str, Any]] = learned(
        "metric, and its options with those taken from the training rows"
    )
    labels_: Array = learned("cluster of each training row, from 0; -1 for noise", shape="rows")

    traits = Traits(sparse=True, storage="csr", parametric=False)
    title = "DBSCAN"
    reference = "Ester, Kriegel, Sander and Xu, A density-based algorithm for discovering clusters, 1996"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"DBSCAN: a square distance matrix of the rows is needed; X has the shape {data.X.shape}")
        warn_of_power("DBSCAN", self.p, self.metric_params)
        metric, options = effective(self.metric, 2.0 if self.p is None else self.p, self.metric_params)
        X = self._learn_categories(data.X, options)
        self.effective_metric_ = resolve_metric(metric, options, X, "DBSCAN")
        found = self._find_clusters(X, data.weight)
        self.core_sample_indices_, self.labels_ = np.flatnonzero(found.core), found.labels
        self.components_ = X[self.core_sample_indices_]
        trace.exact("clusters are exactly the chains of core samples and their border points", float(found.core.sum()))

    def _find_clusters(self, X: Matrix, weight: Array | None) -> DensityClusters:
        rule = CoreRule(self.eps, self.min_samples, weight)
        if self.pairwise and hasattr(X, "indptr"):
            return rule.clusters_of_pairs(lambda: near_in_graph(X, self.eps), X.shape[0])
        return rule.clusters(X, self._comparison(X))

    def _comparison(self, X: Matrix) -> RowComparison:
        return comparison(*self.effective_metric_, X, "DBSCAN")

    def _assign(self, X: Matrix) -> Array:
        labels = self.labels_[self.core_sample_indices_]
        if len(labels) == 0:
            return np.full(X.shape[0], -1)
        rows = X[:, self.core_sample_indices_] if self.pairwise else X
        found = lowest_near(rows, self.components_, labels, self._comparison(self.components_), self.eps)
        return labels_of_known(X, self.components_, labels, found) if self.pairwise else found


def dbscan(
    X: Any,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: Literal["auto", "ball_tree", "kd_tree", "brute"] = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> tuple[Array, Array]:
    """DBSCAN as a function: indices of the core samples and cluster of each row, -1 for noise.

    core samples: at least min_samples rows within eps;  clusters: chains of core samples, and rows within eps of these

    >>> [found.tolist() for found in dbscan([[0.0], [0.9], [1.8], [9.0]], eps=1.0, min_samples=3)]
    [[1], [0, 0, 0, -1]]
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
