"""Agglomerative clustering: hierarchical merging of the two nearest clusters."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, Traits, estimator, learned, param
from ..neighbors._metrics import comparison, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import label_of_nearest
from ._checks import GRAPH, MEMORY, is_graph, is_memory
from ._linkage.agglomerate import Method, merges_along, merges_by_metric, table_between
from .flat_clusters import cut_tree, make_monotone


@estimator
class AgglomerativeClustering(ByMetric, Clusterer):
    """Agglomerative clustering: every row starts as a cluster, and the two nearest clusters merge repeatedly.

    merge the clusters A, B with minimal d(A, B);  ward: d^2 = 2 |A| |B| / (|A| + |B|) |mean A - mean B|^2

    Single linkage by a minimum spanning tree, Ward linkage by nearest-neighbour chains: both without a distance matrix.
    The others use one; all take time of n^2. Of a precomputed matrix the upper triangle is read. With `connectivity`,
    only clusters with an edge between them merge. A new row gets the label of the nearest training row, ties go to the
    first: equal rows may be in different clusters, if the number of clusters or the graph separates them.
    [Lance and Williams, 1967]

    >>> AgglomerativeClustering(n_clusters=2).fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([1, 1, 0, 0])
    """

    n_clusters: int | None = param(
        2, "number of clusters; None if distance_threshold is given", at_least=1, kw_only=False, tune=(2, 3, 5, 8)
    )
    metric: Any = param(
        "euclidean",
        "distance metric",
        accepts=is_metric,
        says="the name of a metric, precomputed, or a function of the table that returns all distances",
    )
    memory: Any = param(None, "accepted for compatibility", accepts=is_memory, says=MEMORY)
    connectivity: Any = param(None, "connectivity graph: which rows may merge", accepts=is_graph, says=GRAPH)
    compute_full_tree: bool | Literal["auto"] = param(
        "auto", "accepted for compatibility; the full tree is always computed"
    )
    linkage: Method = param("ward", "linkage criterion: distance between clusters")
    distance_threshold: float | None = param(None, "linkage distance from which on clusters are not merged", at_least=0)
    compute_distances: bool = param(False, "whether distances_ is stored also without distance_threshold")

    n_clusters_: int = learned("number of clusters", least=1)
    n_leaves_: int = learned("number of leaves: rows", counts="rows")
    n_connected_components_: int = learned("number of connected components of the graph")
    children_: Array = learned(
        "the two clusters of every merge; merge k of n rows creates cluster n + k", shape="merges 2", least=0
    )
    distances_: Array = learned("distances between these", shape="merges", optional=True)
    rows_: Matrix = learned("training rows, which predict compares new rows with", shape="rows features", matrix=True)

    traits = Traits(parametric=False)
    below_zero = True
    title = "agglomerative clustering"
    reference = "Lance and Williams, A general theory of classificatory sorting strategies, 1967"

    def _unsound(self) -> str:
        """Every merge joins two existing clusters."""
        made = self.n_leaves_ + np.arange(len(self.children_))
        sound = self.children_.dtype == np.int64 and self.children_.shape[1] == 2
        return "" if sound and (self.children_ < made[:, None]).all() else "children_ must name clusters created before"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check(data.n)
        self.rows_ = self._learn_categories(data.X, {})
        merges, n_components = self._merges(self.rows_)
        children, heights = merges[:, :2].astype(np.int64), merges[:, 2]
        self.n_leaves_, self.n_connected_components_, self.children_ = data.n, n_components, children
        tree, count = children, self.n_clusters
        if self.distance_threshold is not None:
            tree, highest = make_monotone(children, heights)
            count = int((highest >= self.distance_threshold).sum()) + 1
        self.n_clusters_ = int(count or 1)
        self.labels_ = cut_tree(tree, self.n_clusters_)
        if self.compute_distances or self.distance_threshold is not None:
            self.distances_ = heights
        trace.exact("every merge joins the two nearest clusters", float(heights.sum()))

    def _check(self, rows: int) -> None:
        owner = type(self).__name__
        if rows < 2:
            raise DataError(f"{owner}: a minimum of 2 rows is required to merge any; n_samples = {rows}")
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ParameterError(f"{owner}: exactly one of n_clusters and distance_threshold must be None")
        if self.n_clusters is not None and self.n_clusters > rows:
            raise ParameterError(
                f"{owner}: n_clusters={self.n_clusters} is larger than the number of rows, n_samples = {rows}"
            )
        if self.distance_threshold is not None and self.compute_full_tree is False:
            raise ParameterError(f"{owner}: compute_full_tree must not be False if distance_threshold is given")
        if self.linkage == "ward" and self.metric not in ("euclidean", "l2"):
            raise ParameterError(f"{owner}: linkage='ward' needs metric='euclidean'; got {self.metric!r}")

    def _merges(self, X: Array) -> tuple[Array, int]:
        owner = type(self).__name__
        if self.connectivity is not None:
            graph = self.connectivity(X) if callable(self.connectivity) else self.connectivity
            return merges_along(X, graph, self.linkage, self._measure, owner)
        return merges_by_metric(X, self.linkage, self._measure, owner), 1

    @property
    def _measure(self) -> Any:
        """The metric; Gower's as a function of the table, with the ranges and categories of the training rows."""
        if not self._is_by("gower"):
            return self.metric
        how = comparison("gower", self._marks, self.rows_, type(self).__name__)
        return partial(table_between, how)

    def _assign(self, X: Matrix) -> Array:
        return label_of_nearest(X, self.rows_, self.labels_, self.metric, type(self).__name__, self._marks)
