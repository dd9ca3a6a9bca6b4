"""Groups that merge, the nearest first, until as many are left as are wanted."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, estimator, learned, param
from ..neighbors._metrics import comparison, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import group_of_nearest
from ._checks import GRAPH, MEMORY, is_graph, is_memory
from ._linkage.agglomerate import Method, merges_along, merges_by_metric, table_between
from .flat_clusters import groups_below, rising


@estimator
class AgglomerativeClustering(ByMetric, Clusterer):
    """Every row begins as a group of its own, and the two groups that are nearest merge, until few are left.

    choose the groups A, B with the least d(A, B);  ward: d^2 = 2 |A| |B| / (|A| + |B|) |mean A - mean B|^2

    Single linkage by the shortest tree that spans all rows, ward by chains of nearest means: both without a table of
    distances. The others by such a table, all in time of n^2; of one that is given, what is above the diagonal counts.
    With `connectivity`, only groups with an edge between them merge. A new row is in the group of the training row that
    is nearest to it, the first of equals: equal rows may be in different groups, if the number of groups or the graph
    parts them. [Lance and Williams, 1967]

    >>> AgglomerativeClustering(n_clusters=2).fit_predict([[0.0], [1.0], [5.0], [6.0]])
    array([1, 1, 0, 0])
    """

    n_clusters: int | None = param(
        2, "number of groups; None if distance_threshold says it", at_least=1, kw_only=False, tune=(2, 3, 5, 8)
    )
    metric: Any = param(
        "euclidean",
        "how far rows are apart",
        accepts=is_metric,
        says="the name of a metric, precomputed, or a function of the table that returns all distances",
    )
    memory: Any = param(None, "accepted as in scikit-learn", accepts=is_memory, says=MEMORY)
    connectivity: Any = param(None, "which rows may merge", accepts=is_graph, says=GRAPH)
    compute_full_tree: bool | Literal["auto"] = param("auto", "accepted as in scikit-learn: all merges are kept")
    linkage: Method = param("ward", "how far groups are apart")
    distance_threshold: float | None = param(None, "groups that are so far apart stay apart", at_least=0)
    compute_distances: bool = param(False, "whether distances_ is kept also without distance_threshold")

    n_clusters_: int = learned("number of groups", least=1)
    n_leaves_: int = learned("number of rows", counts="rows")
    n_connected_components_: int = learned("parts of the graph that no edge connects")
    children_: Array = learned(
        "the two groups of every merge; merge k of n rows makes group n + k", shape="merges 2", least=0
    )
    distances_: Array = learned("how far these were apart", shape="merges", optional=True)
    rows_: Matrix = learned("the training rows, among which new ones are compared", shape="rows features", matrix=True)

    parametric = False
    below_zero = True
    reference = "Lance and Williams, A general theory of classificatory sorting strategies, 1967"

    def _unsound(self) -> str:
        """Every merge joins two groups that are there."""
        made = self.n_leaves_ + np.arange(len(self.children_))
        sound = self.children_.dtype == np.int64 and self.children_.shape[1] == 2
        return "" if sound and (self.children_ < made[:, None]).all() else "children_ must name groups made before"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check(data.n)
        self.rows_ = self._learn_categories(data.X, {})
        merges, parts = self._merges(self.rows_)
        children, heights = merges[:, :2].astype(np.int64), merges[:, 2]
        self.n_leaves_, self.n_connected_components_, self.children_ = data.n, parts, children
        tree, count = children, self.n_clusters
        if self.distance_threshold is not None:
            tree, highest = rising(children, heights)
            count = int((highest >= self.distance_threshold).sum()) + 1
        self.n_clusters_ = int(count or 1)
        self.labels_ = groups_below(tree, self.n_clusters_)
        if self.compute_distances or self.distance_threshold is not None:
            self.distances_ = heights
        trace.exact("every merge joins two groups that are nearest to each other", float(heights.sum()))

    def _check(self, rows: int) -> None:
        owner = type(self).__name__
        if rows < 2:
            raise DataError(f"{owner}: a minimum of 2 rows is required to merge any; n_samples = {rows}")
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ParameterError(f"{owner}: exactly one of n_clusters and distance_threshold must be None")
        if self.n_clusters is not None and self.n_clusters > rows:
            raise ParameterError(f"{owner}: n_clusters={self.n_clusters} are more groups than rows, n_samples = {rows}")
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
        """The metric; Gower's as a function of the table, whose ranges and categories are those of training."""
        if not self._is_by("gower"):
            return self.metric
        how = comparison("gower", self._marks, self.rows_, type(self).__name__)
        return partial(table_between, how)

    def _assign(self, X: Matrix) -> Array:
        return group_of_nearest(X, self.rows_, self.labels_, self.metric, type(self).__name__, self._marks)
