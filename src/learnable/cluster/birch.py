"""BIRCH: one pass over the rows sums them up as subclusters, which are then clustered."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Clusterer,
    ConvergenceWarning,
    Data,
    Matrix,
    Trace,
    Traits,
    cloned,
    estimator,
    learned,
    param,
    scaling,
)
from ..core.declare import params
from ..core.errors import warn
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines import matrix_products
from ..engines.kmeans import nearest_centres
from ..metrics.distance_functions import euclidean_distances
from ._kmeans.base_centroid import CentreDistances
from .agglomerative_clustering import AgglomerativeClustering

BLOCK = 2**18  # entries of X that are inserted between two checks of budgets and interrupts
ROUNDING = 1e-9  # of a radius, relative to the threshold


def _is_final_step(value: Any) -> bool:
    """Whether it says how subclusters are clustered: not, to a number of clusters, or by a clusterer."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return value is None or (value >= 1 if whole else hasattr(value, "fit_predict"))


@estimator
class Birch(CentreDistances, Clusterer):
    """BIRCH clustering: rows are summed up as subclusters by a clustering feature tree, and subclusters are clustered.

    a row joins the nearest subcluster if then    sum of |x_i - mean|^2 over its n rows  <=  n threshold^2

    One pass over the rows, each of which descends the tree to a leaf; a node with more than `branching_factor` entries
    is split. The means of the subclusters are then merged to `n_clusters` by Ward's linkage, or clustered by another
    clusterer. The result depends on the order of the rows. An entry stores number, mean and squared deviations, which
    do not cancel far from the origin. [Zhang, Ramakrishnan and Livny, 1996; Lang and Schubert, 2020]

    >>> X = [[0.0, 1.0], [0.3, 1.0], [-0.3, 1.0], [0.0, -1.0], [0.3, -1.0], [-0.3, -1.0]]
    >>> Birch(n_clusters=None).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    threshold: float = param(0.5, "largest radius of a subcluster: root mean squared distance to its mean", above=0)
    branching_factor: int = param(50, "maximum number of entries of a node of the tree", at_least=2)
    n_clusters: Any = param(
        3, "number of clusters, a clusterer of the subclusters, or None: subclusters are the clusters",
        accepts=_is_final_step, says="None, an integer of at least 1 or a clusterer", tune=(2, 3, 5, 8),
    )  # fmt: skip
    compute_labels: bool = param(True, "whether to compute labels of the training rows")

    labels_: Array = learned("cluster of each training row", shape="rows", least=0, optional=True)
    subcluster_centers_: Array = learned("means of the subclusters", shape="subclusters features")
    subcluster_labels_: Array = learned("cluster of each subcluster", shape="subclusters", least=0)
    subcluster_sizes_: Array = learned("number of rows of each subcluster", shape="subclusters", least=1)
    node_sizes_: Array = learned("number of entries of each node of the tree, the root first", shape="nodes", least=0)
    children_: Array = learned("child node of each entry, -1 for a subcluster", shape="entries", least=-1)
    sums_: Array = learned("number of rows of each entry, and their squared deviations", shape="entries 2", least=0)
    means_: Array = learned("mean of each entry, in the unit of the tree", shape="entries features")
    leaves_: Array = learned("leaves of the tree in the order of the subclusters", shape="leaves", least=0)
    unit_: float = learned("power of two by which the tree multiplies the rows, so that squares do not overflow")

    traits = Traits(sparse=True, storage="csr")
    title = "BIRCH clustering"
    reference = (
        "Zhang, Ramakrishnan and Livny, BIRCH: an efficient data clustering method for very large databases, 1996"
    )

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """`fit(X).transform(X)`."""
        return self.fit(X, y).transform(X)

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Add more rows to the tree, and cluster the subclusters again; without X only the latter."""
        params.check(self)
        if X is None:
            self._require_fit()
            self._cluster_subclusters()
            return self
        matrix, names = self._enter(X)
        fitted = self.__sklearn_is_fitted__()
        if fitted:
            self._check_columns(matrix, names)
        data = Data(matrix, np.empty(0), None, names)
        with self._fitting(data.X, None, None, going_on=True) as trace:
            if not fitted:
                self._remember_columns(matrix, names)
            self._add_rows(data, trace, self._tree() if fitted else None)
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        self._add_rows(data, trace, None)

    def _add_rows(self, data: Data, trace: Trace, tree: Any) -> None:
        if tree is None:
            self.unit_ = scaling.unit_of(data.X)
            tree = self._empty_tree(data.p)
        block = max(BLOCK // data.p, 1)
        for start in range(0, data.n, block):
            give_way()
            tree.insert(self._in_unit(data.X[start : start + block]))
        self._store(tree, data.X.dtype)
        self._cluster_subclusters()
        if self.compute_labels:
            self.labels_ = self._assign(data.X)
        self._certify(trace)

    def _in_unit(self, rows: Matrix) -> Array:
        dense = rows.toarray() if matrix_products.is_sparse(rows) else rows
        return np.ascontiguousarray(dense, dtype=np.float64) * self.unit_

    def _empty_tree(self, features: int) -> Any:
        return kernels.CfTree(features, self.threshold * self.unit_, self.branching_factor)

    def _tree(self) -> Any:
        """The tree, to go on with."""
        tree = self._empty_tree(self.means_.shape[1])
        tree.restore(self.node_sizes_, self.children_, self.sums_, self.means_, self.leaves_)
        return tree

    def _store(self, tree: Any, dtype: Any) -> None:
        self.node_sizes_, self.children_, self.sums_, self.means_, self.leaves_ = tree.arrays()
        if not np.isfinite(self.sums_).all():
            raise ArithmeticError("squared distances overflow")
        start = np.cumsum(self.node_sizes_) - self.node_sizes_
        entries = np.concatenate(
            [np.arange(start[leaf], start[leaf] + self.node_sizes_[leaf]) for leaf in self.leaves_]
        )
        self.subcluster_sizes_ = self.sums_[entries, 0]
        self.subcluster_centers_ = (self.means_[entries] / self.unit_).astype(dtype, copy=False)

    def _cluster_subclusters(self) -> None:
        count = len(self.subcluster_centers_)
        step = self.n_clusters
        if not hasattr(step, "fit_predict"):
            if step is not None and count < step:
                warn(
                    f"Birch: only {count} subclusters were found, fewer than n_clusters={step}; decrease threshold",
                    ConvergenceWarning,
                )
            if step is None or count <= step:
                self.subcluster_labels_ = np.arange(count)
                return
            step = AgglomerativeClustering(n_clusters=step)
        self.subcluster_labels_ = np.asarray(cloned(step).fit_predict(self.subcluster_centers_))

    def _certify(self, trace: Trace) -> None:
        """The largest radius of the subclusters, computed from their sums."""
        inner = self.children_ < 0
        radius = float(np.sqrt((self.sums_[inner, 1] / self.sums_[inner, 0]).max(initial=0.0)) / self.unit_)
        trace.record(float(self.sums_[inner, 1].sum() / self.unit_ / self.unit_))
        trace.stopped = "exact"
        claim = "no subcluster has a larger root mean squared distance of its rows to their mean"
        trace.certify("radius", radius, self.threshold * (1 + ROUNDING), claim)

    def _unsound(self) -> str:
        """Every node but the root is the child of one entry of an earlier node, and leaves are listed once."""
        sizes, children, leaves = self.node_sizes_, self.children_, self.leaves_
        if any(array.dtype != np.int64 for array in (sizes, children, leaves)) or sizes.sum() != len(children):
            return "node_sizes_ must count the entries"
        if any(array.dtype != np.float64 for array in (self.sums_, self.means_)) or not np.isfinite(self.sums_).all():
            return "sums_ and means_ must hold finite float64 numbers"
        owner = np.repeat(np.arange(len(sizes)), sizes)
        made = children[children >= 0]
        if (made <= owner[children >= 0]).any() or not np.array_equal(np.sort(made), np.arange(1, len(sizes))):
            return "every node but the first must be the child of one earlier node"
        above = np.zeros(len(sizes), dtype=bool)
        above[owner[children >= 0]] = True
        if (above[owner] != (children >= 0)).any() or not np.array_equal(np.sort(leaves), np.flatnonzero(~above)):
            return "leaves_ must list the nodes without children"
        kept = sizes[leaves].sum()
        if not (self.sums_[:, 0] > 0).all() or not np.isfinite(self.unit_) or self.unit_ <= 0:
            return "numbers of rows and the unit must be positive"
        return "" if len(self.subcluster_centers_) == kept else "every subcluster needs a mean"

    def _assign(self, X: Matrix) -> Array:
        return np.asarray(self.subcluster_labels_[nearest_centres(X, self.subcluster_centers_)])

    def _distances(self, X: Matrix) -> Array:
        return euclidean_distances(X, self.subcluster_centers_)

    def _count_clusters(self) -> int:
        return len(self.subcluster_centers_)
