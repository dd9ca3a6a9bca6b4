"""Groups that last through many densities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Clusterer, Data, DataError, Matrix, ParameterError, Trace, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines.matrix_products import unit_of
from ..engines.neighbours import Comparison, Search
from ..neighbors._metrics import SAYS, comparison, effective, is_metric
from ..neighbors._mixed_features import ByMetric
from ._assign_new import labels_of_known, reach_of, settled
from ._density.condensed_tree import Choice, Selection, condensed, labelled
from .flat_clusters import groups_below

INFINITE, GAPS = -2, -3  # labels of rows with infinite numbers, and of those with gaps, as in scikit-learn


@estimator
class HDBSCAN(ByMetric, Clusterer):
    """DBSCAN for all distances at once: groups are those that last longest while the distance grows.

    maximise over disjoint groups of the tree    sum over rows of 1 / (distance at which it leaves) - 1 / (group begins)

    Single linkage by the distance max(d(a, b), reach of a, reach of b), where a row reaches to its min_samples-th
    neighbour; groups of less than min_cluster_size rows do not count. Equal distances merge at once, so that groups do
    not depend on the order of rows. Rows in no group have the label -1, those with
    infinite numbers -2, those with gaps -3. A new row is in the group of the nearest training row if it is no farther
    from it than the distance at which that one leaves the group, else in none. [Campello, Moulavi and Sander, 2013]

    >>> X = [[0.0], [0.2], [0.5], [5.0], [5.2], [5.4], [20.0]]
    >>> HDBSCAN(min_cluster_size=3, copy=True).fit_predict(X)
    array([ 1,  1,  1,  0,  0,  0, -1])
    """

    min_cluster_size: int = param(5, "rows that make a group", at_least=2, kw_only=False)
    min_samples: int | None = param(
        None,
        "neighbours that a row reaches to, itself with them; as min_cluster_size if None",
        at_least=1,
        kw_only=False,
    )
    cluster_selection_epsilon: float = param(
        0.0, "groups that begin at less distance are not parted", at_least=0, kw_only=False
    )
    max_cluster_size: int | None = param(None, "most rows of a group", at_least=1, kw_only=False)
    metric: Any = param("euclidean", "how far rows are apart", accepts=is_metric, says=SAYS, kw_only=False)
    metric_params: dict[str, Any] | None = param(None, "options of the metric, such as V of mahalanobis", kw_only=False)
    alpha: float = param(1.0, "distances between rows are divided by it", above=0, kw_only=False)
    algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = param(
        "auto", "accepted as in scikit-learn: the answer is exact by all", kw_only=False
    )
    leaf_size: int = param(40, "accepted as in scikit-learn", at_least=1, kw_only=False)
    n_jobs: int | None = param(None, "accepted as in scikit-learn; learnable.threads says how many work", kw_only=False)
    cluster_selection_method: Selection = param(
        "eom", "the most stable groups, or those that part no more", kw_only=False
    )
    allow_single_cluster: bool = param(False, "whether all rows may be one group", kw_only=False)
    store_centers: Literal["centroid", "medoid", "both"] | None = param(None, "centres to keep", kw_only=False)
    copy: bool | Literal["warn"] = param(
        "warn", "accepted as in scikit-learn: data are left as they are", kw_only=False
    )

    probabilities_: Array = learned("how firmly each row is in its group, from 0 to 1", shape="rows")
    centroids_: Array = learned(
        "means of the groups, weighted by probabilities", shape="groups features", optional=True
    )
    medoids_: Array = learned(
        "rows in the middle of the groups, categories as places", shape="groups features", optional=True
    )
    merges_: Array = learned("merges of single linkage by lengthened distances", shape="merges 4")
    leaves_at_: Array = learned("distance at which each sound row leaves its group", shape="sound")
    rows_: Matrix = learned("the training rows without gaps and infinite numbers", shape="sound features", matrix=True)
    effective_metric_: tuple[Any, dict[str, Any]] = learned("the metric, and its options as the training rows set them")

    sparse = True
    storage = "csr"
    missing = "native"
    infinite = True
    parametric = False
    below_zero = True
    reference = "Campello, Moulavi and Sander, Density-based clustering based on hierarchical density estimates, 2013"

    def _fit(self, data: Data, trace: Trace) -> None:
        metric, options = effective(self.metric, 2.0, self.metric_params)
        X = self._learn_categories(data.X, options)
        self.labels_ = self._outside(X)
        sound = np.flatnonzero(self.labels_ == 0)
        self._check(data, len(sound))
        self.rows_ = X[sound]
        self.effective_metric_ = settled(metric, options, self.rows_, "HDBSCAN")
        self.merges_ = self._merges(self.rows_)
        tree = condensed(self.merges_, self.min_cluster_size)
        most = self.max_cluster_size or data.n + 1
        choice = Choice(self.cluster_selection_method, self.allow_single_cluster, most, self.cluster_selection_epsilon)
        labels, firm = labelled(tree, choice)
        self.leaves_at_ = 1 / np.maximum(tree.leave, 1e-300)
        self.probabilities_ = np.where(self.labels_ == GAPS, np.nan, 0.0)
        self.labels_[sound], self.probabilities_[sound] = labels, firm
        self._keep_centres(labels, firm)
        trace.exact("groups are those of the tree whose rows last longest", float(firm.sum()))

    def _check(self, data: Data, rows: int) -> None:
        if self.pairwise and data.n != data.p:
            raise DataError(f"HDBSCAN: distances of all rows to all are needed; X has the shape {data.X.shape}")
        if self.pairwise and not _is_symmetric(data.X):
            raise DataError("HDBSCAN: distances are as long there as back, and X is not symmetric; give (X + X.T) / 2")
        if self._reach_to > rows or rows < 2:
            taken = "; min_samples is min_cluster_size where none is given" if self.min_samples is None else ""
            raise ParameterError(
                f"HDBSCAN: min_samples={self._reach_to} must not be more than the rows, and two are needed; "
                f"n_samples = {rows}{taken}"
            )

    def _outside(self, X: Matrix) -> Array:
        """The label of each row that no distance can be told of; 0 for all others."""
        if not self.pairwise:
            return _labels_outside(X)
        if np.isnan(X.data if hasattr(X, "indptr") else X).any():
            raise DataError("HDBSCAN: X holds NaN among the distances; leave out rows of which some are not known")
        return np.zeros(X.shape[0], dtype=np.int64)

    @property
    def _reach_to(self) -> int:
        return self.min_cluster_size if self.min_samples is None else self.min_samples

    def _comparison(self) -> Comparison:
        return comparison(*self.effective_metric_, self.rows_, "HDBSCAN")

    def _merges(self, X: Matrix) -> Array:
        how, rows = self._comparison(), X.shape[0]
        reach, merges = np.zeros(rows), np.empty((rows - 1, 4))
        if self._reach_to > 1:
            reach = reach_of(X, how, self._reach_to - 1)
        if how.power is not None:
            table = how.among(X).rows(X) / self.alpha
            unit = unit_of(table)
            kernels.link_single(np.ascontiguousarray(table * unit), how.power, reach * unit, merges)
            merges[:, 2] /= unit
            return merges
        assert how.table is not None
        table = np.require(how.table(X, X), np.float64, "C") / self.alpha
        kernels.link_single_table(table, reach, merges)
        if np.isinf(merges[:, 2]).any():
            raise DataError("HDBSCAN: the distances given leave parts of the rows without any connection")
        return merges

    def _keep_centres(self, labels: Array, firm: Array) -> None:
        if self.store_centers is None:
            return
        if self.store_centers != "medoid" and "categories_" in self.__dict__:
            raise ParameterError('HDBSCAN: categories have no mean; take store_centers="medoid"')
        X = self.rows_.toarray() if hasattr(self.rows_, "toarray") else self.rows_
        members = [np.flatnonzero(labels == k) for k in range(labels.max() + 1)]
        if self.store_centers in ("centroid", "both"):
            means = [np.average(X[rows], axis=0, weights=firm[rows]) for rows in members]
            self.centroids_ = np.array(means).reshape(-1, X.shape[1])
        if self.store_centers in ("medoid", "both"):
            how = Comparison(table=self._comparison().table) if self.pairwise else self._comparison()
            middles = [X[rows[_middle(X[rows], firm[rows], how)]] for rows in members]
            self.medoids_ = np.array(middles).reshape(-1, X.shape[1])

    def _assign(self, X: Matrix) -> Array:
        labels = self._outside(X)
        sound, known = labels == 0, self.labels_[self.labels_ > INFINITE]
        if sound.any():
            distances, rows = Search.of(self.rows_, self._comparison()).nearest(X[np.flatnonzero(sound)], 1)
            near = distances[:, 0] <= self.leaves_at_[rows[:, 0]]
            labels[sound] = np.where(near, known[rows[:, 0]], -1)
        return labels_of_known(X, self.rows_, known, labels) if self.pairwise else labels

    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Array:
        """The groups that hang together below a distance, -1 for rows in groups of fewer than min_cluster_size."""
        count = int((self.merges_[:, 2] >= cut_distance).sum()) + 1
        groups = groups_below(self.merges_[:, :2].astype(np.int64), count)
        enough = np.bincount(groups) >= min_cluster_size
        labels = self.labels_.copy()
        labels[labels > INFINITE] = np.where(enough, np.cumsum(enough) - 1, -1)[groups]
        return labels


def _labels_outside(X: Matrix) -> Array:
    """-3 for rows with gaps, -2 for others with infinite numbers, 0 for all others."""
    gaps, infinite = (_rows_with(X, kind) for kind in (np.isnan, np.isinf))
    return np.where(gaps, GAPS, np.where(infinite, INFINITE, 0))


def _is_symmetric(table: Matrix) -> bool:
    """Whether a square table equals its transpose, but for rounding."""
    if not hasattr(table, "indptr"):
        return np.allclose(table, table.T)
    apart = abs(table - table.T)
    return bool(apart.max() <= 1e-8 + 1e-5 * abs(table).max())


def _rows_with(X: Matrix, kind: Callable[[Array], Array]) -> Array:
    """Whether each row has entries of a kind."""
    if not hasattr(X, "indptr"):
        return np.asarray(kind(X).any(axis=1))
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.asarray(np.bincount(rows, kind(X.data), X.shape[0]) > 0)


def _middle(X: Array, firm: Array, how: Comparison) -> int:
    """The row with the least sum of distances to the others, weighted."""
    table = Search.of(X, how).nearest(X, len(X))
    sums = np.array([distances @ firm[rows] for distances, rows in zip(*table, strict=True)])
    return int(sums.argmin())
