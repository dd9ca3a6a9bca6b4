"""Agglomeration of features."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Invertible,
    Matrix,
    ParameterError,
    Trace,
    UnweightedTransformer,
    estimator,
    learned,
    param,
)
from ..neighbors._metrics import is_metric
from ._checks import GRAPH, MEMORY, is_graph, is_memory
from ._linkage.agglomerate import Method
from .agglomerative_clustering import AgglomerativeClustering

POOLS: dict[str, Any] = {"mean": np.mean, "median": np.median, "min": np.min, "max": np.max}


@estimator
class FeatureAgglomeration(UnweightedTransformer, Invertible):
    """Feature agglomeration: columns that are alike are merged, and each cluster of columns becomes their mean.

    choose the clusters of columns A, B with minimal d(A, B) and merge them, as AgglomerativeClustering does rows

    `pooling_func` makes one column of those of a cluster; `inverse_transform` gives each column the value of its
    cluster. With `connectivity`, such as the graph of neighbouring pixels, clusters are connected regions. [Ward, 1963]

    >>> X = [[1.0, 2.0, 10.0], [2.0, 3.0, 20.0], [3.0, 4.0, 15.0]]
    >>> model = FeatureAgglomeration(n_clusters=2).fit(X)
    >>> model.labels_, model.transform(X)[0]
    (array([0, 0, 1]), array([ 1.5, 10. ]))
    """

    n_clusters: int | None = param(
        2, "number of clusters; None if distance_threshold is given", at_least=1, kw_only=False, tune=(2, 5, 10, 20)
    )
    metric: Any = param(
        "euclidean",
        "distance metric of columns",
        accepts=is_metric,
        says="the name of a metric, precomputed, or a function of the table that returns all distances",
    )
    memory: Any = param(None, "accepted as in scikit-learn", accepts=is_memory, says=MEMORY)
    connectivity: Any = param(None, "connectivity graph: which columns may merge", accepts=is_graph, says=GRAPH)
    compute_full_tree: bool | Literal["auto"] = param(
        "auto", "accepted as in scikit-learn; the full tree is always computed"
    )
    linkage: Method = param("ward", "linkage criterion: distance between clusters")
    pooling_func: Any = param(
        "mean", "how the columns of a cluster become one: by name, or by a function of them and axis=1",
        accepts=lambda value: callable(value) or value in POOLS, says=f"one of {', '.join(POOLS)}, or a function",
    )  # fmt: skip
    distance_threshold: float | None = param(None, "linkage distance from which on clusters are not merged", at_least=0)
    compute_distances: bool = param(False, "whether distances_ is stored also without distance_threshold")
    n_clusters_: int = learned("number of clusters", least=1)
    labels_: Array = learned("cluster of each column", shape="features", least=0)
    n_leaves_: int = learned("number of leaves: columns", counts="features")
    n_connected_components_: int = learned("number of connected components of the graph")
    children_: Array = learned("the two clusters of every merge", shape="merges 2", least=0)
    distances_: Array = learned("distances between these", shape="merges", optional=True)

    title = "feature agglomeration"
    reference = "Ward, Hierarchical grouping to optimize an objective function, JASA 1963"

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.p < 2:
            raise DataError(
                f"FeatureAgglomeration: Found array with {data.p} feature(s) (shape={data.X.shape}) while a minimum "
                "of 2 is required to merge any"
            )
        if self.n_clusters is not None and self.n_clusters > data.p:
            raise ParameterError(
                f"FeatureAgglomeration: n_clusters={self.n_clusters} is above the number of columns, {data.p}"
            )
        found = AgglomerativeClustering(
            self.n_clusters, metric=self.metric, connectivity=self.connectivity, linkage=self.linkage,
            distance_threshold=self.distance_threshold, compute_distances=self.compute_distances,
        ).fit(np.ascontiguousarray(data.X.T))  # fmt: skip
        for name in ("n_clusters_", "labels_", "n_leaves_", "n_connected_components_", "children_", "distances_"):
            if hasattr(found, name):
                setattr(self, name, getattr(found, name))
        trace.exact("every merge joins the two nearest clusters of columns")

    def _transform(self, X: Matrix) -> Array:
        if self.pooling_func in ("mean", np.mean):
            member = self.labels_[:, None] == np.arange(self.n_clusters_)
            return np.asarray(X.astype(np.float64) @ (member / member.sum(axis=0))).astype(X.dtype, copy=False)
        pool = self.pooling_func if callable(self.pooling_func) else POOLS[self.pooling_func]
        pooled = [pool(X[:, self.labels_ == k], axis=1) for k in range(self.n_clusters_)]
        return np.column_stack(pooled).astype(X.dtype, copy=False)

    def _inverse(self, X: Matrix) -> Array:
        return np.asarray(X[:, self.labels_])

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"featureagglomeration{k}" for k in range(self.n_clusters_)]
