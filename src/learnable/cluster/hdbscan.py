"""HDBSCAN: hierarchical density-based clustering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, Traits, estimator, learned, param
from ..core.runtime.native import kernels
from ..core.scaling import unit_of
from ..engines.neighbours import NeighbourSearch, RowComparison
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import core_distances, labels_of_known, resolve_metric
from ._density.condensed_tree import ClusterSelection, Selection, condense_tree, label_rows
from .flat_clusters import cut_tree

INFINITE, MISSING = -2, -3  # labels of rows with infinite and with missing values, as in scikit-learn


@estimator
class HDBSCAN(ByMetric, Clusterer):
    """HDBSCAN: hierarchical density-based clustering; the most stable clusters over all distance thresholds.

    maximise over disjoint clusters    sum over rows of 1 / (distance when it leaves) - 1 / (distance at birth)

    Single linkage by the mutual reachability distance max(d(a, b), core(a), core(b)), where core is the distance to the
    min_samples-th neighbour; clusters of less than min_cluster_size rows are dropped. Equal distances merge at once, so
    that clusters do not depend on the order of rows. Labels: noise -1, rows with infinite values -2, rows with missing
    values -3. A new row gets the label of the nearest training row if it is not farther from it than the distance at
    which that row leaves its cluster, otherwise -1. [Campello, Moulavi and Sander, 2013]

    >>> X = [[0.0], [0.2], [0.5], [5.0], [5.2], [5.4], [20.0]]
    >>> HDBSCAN(min_cluster_size=3, copy=True).fit_predict(X)
    array([ 1,  1,  1,  0,  0,  0, -1])
    """

    min_cluster_size: int = param(5, "minimum number of rows of a cluster", at_least=2, kw_only=False)
    min_samples: int | None = param(
        None,
        "number of neighbours of the core distance, the row itself included; None: min_cluster_size",
        at_least=1,
        kw_only=False,
    )
    cluster_selection_epsilon: float = param(
        0.0, "distance threshold below which clusters are not split", at_least=0, kw_only=False
    )
    max_cluster_size: int | None = param(None, "maximum number of rows of a cluster", at_least=1, kw_only=False)
    metric: Any = param("euclidean", "distance metric", accepts=is_metric, says=SAYS, kw_only=False)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis", kw_only=False)
    alpha: float = param(1.0, "distance scaling: distances are divided by it", above=0, kw_only=False)
    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = param(
        "auto", "accepted for compatibility; all algorithms are exact", kw_only=False
    )
    leaf_size: int = param(40, "accepted for compatibility", at_least=1, kw_only=False)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)", kw_only=False)
    cluster_selection_method: Selection = param(
        "eom", "selection by excess of mass (most stable clusters), or leaves of the tree", kw_only=False
    )
    allow_single_cluster: bool = param(False, "whether all rows may be one cluster", kw_only=False)
    store_centers: Literal["centroid", "medoid", "both"] | None = param(
        None, "cluster centres to compute", kw_only=False
    )
    copy: bool | Literal["warn"] = param(
        "warn", "accepted for compatibility; the data are never changed", kw_only=False
    )

    labels_: Array = learned(
        "cluster of each training row, from 0; -1 noise, -2 infinite values, -3 missing values", shape="rows", least=-3
    )
    probabilities_: Array = learned("membership strength of each row in its cluster, from 0 to 1", shape="rows")
    centroids_: Array = learned(
        "centroids of the clusters, weighted by probabilities", shape="clusters features", optional=True
    )
    medoids_: Array = learned(
        "medoids of the clusters; categories as indices", shape="clusters features", optional=True
    )
    merges_: Array = learned("single-linkage merges by mutual reachability distances", shape="merges 4")
    leaves_at_: Array = learned("distance at which each complete row leaves its cluster", shape="complete")
    rows_: Matrix = learned("training rows without missing and infinite values", shape="complete features", matrix=True)
    effective_metric_: tuple[Any, dict[str, Any]] = learned(
        "metric, and its options with those taken from the training rows"
    )

    traits = Traits(sparse=True, storage="csr", missing="native", infinite=True, parametric=False)
    below_zero = True
    title = "HDBSCAN"
    reference = "Campello, Moulavi and Sander, Density-based clustering based on hierarchical density estimates, 2013"

    def _unsound(self) -> str:
        """Every merge joins two clusters that were made before, of as many rows as the labels have."""
        rows = int((self.labels_ > INFINITE).sum())
        if self.merges_.shape[1:] != (4,):
            return "merges_ must hold two clusters, a distance and a size for each merge"
        children, made = self.merges_[:, :2], rows + np.arange(len(self.merges_))
        joined = len(made) == max(rows - 1, 0) and ((children >= 0) & (children < made[:, None])).all()
        once = joined and len(np.unique(children)) == children.size and np.array_equal(children, np.floor(children))
        return "" if once else "merges_ must join clusters that were made before, each once"

    def _fit(self, data: Data, trace: Trace) -> None:
        metric, options = effective(self.metric, 2.0, self.metric_params)
        X = self._learn_categories(data.X, options)
        self.labels_ = self._special_labels(X)
        complete = np.flatnonzero(self.labels_ == 0)
        self._check(data, len(complete))
        self.rows_ = X[complete]
        self.effective_metric_ = resolve_metric(metric, options, self.rows_, "HDBSCAN")
        self.merges_ = self._merges(self.rows_)
        tree = condense_tree(self.merges_, self.min_cluster_size)
        most = self.max_cluster_size or data.n + 1
        choice = ClusterSelection(
            self.cluster_selection_method, self.allow_single_cluster, most, self.cluster_selection_epsilon
        )
        labels, membership = label_rows(tree, choice)
        self.leaves_at_ = 1 / np.maximum(tree.leave, 1e-300)
        self.probabilities_ = np.where(self.labels_ == MISSING, np.nan, 0.0)
        self.labels_[complete], self.probabilities_[complete] = labels, membership
        self._keep_centres(labels, membership)
        trace.exact("selected clusters maximise the total stability over the tree", float(membership.sum()))

    def _check(self, data: Data, rows: int) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"HDBSCAN: a square distance matrix of the rows is needed; X has the shape {data.X.shape}")
        if self.pairwise and self.store_centers:
            raise ParameterError(
                "HDBSCAN: Cannot store centers when using a precomputed distance matrix; set store_centers=None"
            )
        if self.pairwise and not _is_symmetric(data.X):
            raise DataError("HDBSCAN: the distance matrix X is not symmetric; pass (X + X.T) / 2")
        if self._core_neighbours > rows or rows < 2:
            note = "; min_samples defaults to min_cluster_size" if self.min_samples is None else ""
            raise ParameterError(
                f"HDBSCAN: min_samples={self._core_neighbours} must not be larger than the number of "
                f"rows, and two rows are needed; n_samples = {rows}{note}"
            )

    def _special_labels(self, X: Matrix) -> Array:
        """The label of each row without defined distances, 0 for all others."""
        if not self.pairwise:
            return _labels_of_unusable(X)
        if np.isnan(X.data if hasattr(X, "indptr") else X).any():
            raise DataError("HDBSCAN: X holds NaN among the distances; remove rows with unknown distances")
        return np.zeros(X.shape[0], dtype=np.int64)

    @property
    def _core_neighbours(self) -> int:
        return self.min_cluster_size if self.min_samples is None else self.min_samples

    def _comparison(self) -> RowComparison:
        return comparison(*self.effective_metric_, self.rows_, "HDBSCAN")

    def _merges(self, X: Matrix) -> Array:
        how, rows = self._comparison(), X.shape[0]
        core, merges = np.zeros(rows), np.empty((rows - 1, 4))
        if self._core_neighbours > 1:
            core = core_distances(X, how, self._core_neighbours - 1)
        if how.power is not None:
            table = how.among(X).rows(X) / self.alpha
            unit = unit_of(table)
            kernels.link_single(np.ascontiguousarray(table * unit), how.power, core * unit, merges)
            merges[:, 2] /= unit
            return merges
        assert how.table is not None
        table = np.require(how.table(X, X), np.float64, "C") / self.alpha
        kernels.link_single_table(table, core, merges)
        if np.isinf(merges[:, 2]).any():
            raise DataError("HDBSCAN: the graph of finite distances is not connected")
        return merges

    def _keep_centres(self, labels: Array, membership: Array) -> None:
        if self.store_centers is None:
            return
        if self.store_centers != "medoid" and "categories_" in self.__dict__:
            raise ParameterError('HDBSCAN: categories have no mean; use store_centers="medoid"')
        X = self.rows_.toarray() if hasattr(self.rows_, "toarray") else self.rows_
        members = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
        if self.store_centers in ("centroid", "both"):
            means = [np.average(X[rows], axis=0, weights=membership[rows]) for rows in members]
            self.centroids_ = np.array(means).reshape(-1, X.shape[1])
        if self.store_centers in ("medoid", "both"):
            how = RowComparison(table=self._comparison().table) if self.pairwise else self._comparison()
            medoids = [X[rows[_medoid(X[rows], membership[rows], how)]] for rows in members]
            self.medoids_ = np.array(medoids).reshape(-1, X.shape[1])

    def _assign(self, X: Matrix) -> Array:
        labels = self._special_labels(X)
        complete, known = labels == 0, self.labels_[self.labels_ > INFINITE]
        if complete.any():
            distances, rows = NeighbourSearch.of(self.rows_, self._comparison()).nearest(X[np.flatnonzero(complete)], 1)
            near = distances[:, 0] <= self.leaves_at_[rows[:, 0]]
            labels[complete] = np.where(near, known[rows[:, 0]], -1)
        return labels_of_known(X, self.rows_, known, labels) if self.pairwise else labels

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Array:
        """The clusters connected below a distance, -1 for rows in clusters of fewer than min_cluster_size rows."""
        count = int((self.merges_[:, 2] >= cut_distance).sum()) + 1
        clusters = cut_tree(self.merges_[:, :2].astype(np.int64), count)
        enough = np.bincount(clusters) >= min_cluster_size
        labels = self.labels_.copy()
        labels[labels > INFINITE] = np.where(enough, np.cumsum(enough) - 1, -1)[clusters]
        return labels


def _labels_of_unusable(X: Matrix) -> Array:
    """-3 for rows with missing values, -2 for others with infinite values, 0 for all others."""
    missing, infinite = (_rows_with(X, kind) for kind in (np.isnan, np.isinf))
    return np.where(missing, MISSING, np.where(infinite, INFINITE, 0))


def _is_symmetric(table: Matrix) -> bool:
    """Whether a square matrix equals its transpose, up to rounding."""
    if not hasattr(table, "indptr"):
        return np.allclose(table, table.T)
    apart = abs(table - table.T)
    return bool(apart.max() <= 1e-8 + 1e-5 * abs(table).max())


def _rows_with(X: Matrix, kind: Callable[[Array], Array]) -> Array:
    """Mask of the rows with an entry for which `kind` is true."""
    if not hasattr(X, "indptr"):
        return np.asarray(kind(X).any(axis=1))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.asarray(np.bincount(rows, kind(X.data), X.shape[0]) > 0)


def _medoid(X: Array, membership: Array, how: RowComparison) -> int:
    """The index of the medoid: the row with the smallest weighted sum of distances to the others."""
    table = NeighbourSearch.of(X, how).nearest(X, len(X))
    sums = np.array([distances @ membership[rows] for distances, rows in zip(*table, strict=True)])
    return int(sums.argmin())
