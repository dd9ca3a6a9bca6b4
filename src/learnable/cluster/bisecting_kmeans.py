"""Bisecting k-means: divisive clustering by repeated 2-means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    ConvergenceWarning,
    Data,
    Matrix,
    RandomState,
    Trace,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.errors import warn
from ..core.runtime.context import reason_to_stop
from ..core.runtime.random import stream
from ..engines import matrix_products
from ..engines.iterate import best_run
from ..engines.kmeans import Lloyd, ScaledData, nearest_centres
from ..engines.kmeans_init import Init
from ._kmeans.base_centroid import CentroidClusterer, draw_centres, inertia, rows_with_weight


@estimator
class BisectingKMeans(CentroidClusterer):
    """Bisecting k-means: divisive clustering that splits one cluster by 2-means until there are n_clusters.

    minimise over the two centroids of one cluster at a time    sum_i s_i |x_i - c_label(i)|^2

    The cluster with the largest inertia, or with the most rows, is split next. Every split uses the rows of one cluster
    only, so that the cost is about rows times the logarithm of n_clusters. New rows descend the tree of splits, at
    every node to the nearer of two centroids. [Steinbach et al., 2000]

    >>> X = [[1.0, 1.0], [10.0, 1.0], [3.0, 1.0], [10.0, 0.0], [2.0, 1.0], [10.0, 2.0], [10.0, 8.0], [10.0, 9.0]]
    >>> BisectingKMeans(n_clusters=3, random_state=0).fit(X).inertia_
    4.5
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Init | Callable[..., Any] = param(
        "random", "initialisation of the centroids of a split: a method, or a function (X, n_clusters, random_state)"
    )
    n_init: int = param(1, "number of initialisations of each split, of which the best result is kept", at_least=1)
    random_state: RandomState = param(None, "seed of the centroid initialisation")
    max_iter: int = param(300, "maximum number of iterations of a run", at_least=1)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    tol: float = param(
        1e-4, "tolerance of the squared move of the centroids, relative to the mean variance", at_least=0
    )
    copy_x: bool = param(True, "accepted for compatibility; X is never changed")
    algorithm: Literal["lloyd", "elkan"] = param("lloyd", "accepted for compatibility; both give the same result")
    bisecting_strategy: Literal["biggest_inertia", "largest_cluster"] = param(
        "biggest_inertia", "cluster that is split next: that with the largest inertia, or with the most rows"
    )
    n_iter_: int = learned("number of splits")
    node_centers_: Array = learned(
        "centroid of every node of the tree of splits, the root first", shape="nodes features"
    )
    children_: Array = learned("child nodes of every node, -1 for leaves", shape="nodes two")

    title = "bisecting k-means"
    reference = "Steinbach, Karypis and Kumar, A comparison of document clustering techniques, 2000"

    def _unsound(self) -> str:
        """Children come after their parent, every node but the root has one parent, and leaves have centroids."""
        children, nodes = self.children_, np.arange(len(self.children_))
        if (
            children.dtype != np.int64
            or children.shape[1] != 2
            or not len(nodes)
            or len(self.node_centers_) != len(nodes)
        ):
            return "children_ must hold two integers for each node"
        inner = children[:, 0] >= 0
        made = children[inner]
        if (children[~inner] != -1).any() or (made <= nodes[inner, None]).any() or (made >= len(nodes)).any():
            return "children_ must come after their parent node"
        if len(np.unique(made)) != made.size or made.size != len(nodes) - 1:
            return "every node but the first must have one parent"
        return "" if len(self.cluster_centers_) == (~inner).sum() else "every cluster needs a centroid"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = rows_with_weight(self, data)
        seed, dtype = seed_of(self.random_state), data.X.dtype
        whole = np.asarray(matrix_products.column_means(rows.X, rows.weight)).astype(dtype)
        nodes = [
            _Node(np.arange(rows.n), whole, _squares(rows, np.arange(rows.n), whole), _mass(rows, np.arange(rows.n)))
        ]
        while sum(node.children is None for node in nodes) < self.n_clusters:
            chosen, reason = self._next(nodes), reason_to_stop()
            if reason and len(nodes) > 1:
                trace.stopped = reason
                break
            if chosen is None:
                warn(
                    f"BisectingKMeans: only {sum(node.children is None for node in nodes)} of "
                    f"n_clusters={self.n_clusters} clusters have rows that differ",
                    ConvergenceWarning,
                )
                break
            self._split(rows, nodes, chosen, seed, trace)
        if not trace.rows:
            trace.record(nodes[0].square)
        trace.stopped = trace.stopped or "exact"
        self._keep(nodes, data, trace)

    def _next(self, nodes: list[_Node]) -> int | None:
        """The cluster to split; None if no leaf has rows that differ."""
        sizes = [node.square if self.bisecting_strategy == "biggest_inertia" else node.mass for node in nodes]
        leaves = [k for k, node in enumerate(nodes) if node.children is None and node.splittable]
        return max(leaves, key=sizes.__getitem__) if leaves else None

    def _split(self, rows: Data, nodes: list[_Node], chosen: int, seed: int, trace: Trace) -> None:
        node = nodes[chosen]
        X = rows.X[node.rows]
        weight = None if rows.weight is None else rows.weight[node.rows]
        scaled, split = ScaledData(X, weight), len(nodes)
        starts = (self._init_pair(scaled, X, seed, split, run) for run in range(self.n_init))
        inner_trace = Trace()
        found = best_run((Lloyd(scaled, two, self.tol * scaled.spread) for two in starts), self.max_iter, inner_trace)
        centres = (found.state["centres"] / scaled.unit).astype(rows.X.dtype)
        labels = nearest_centres(X, centres)
        halves = [node.rows[labels == side] for side in (0, 1)]
        if not all(map(len, halves)):
            node.splittable = False
            return
        node.children = (len(nodes), len(nodes) + 1)
        for side, half in enumerate(halves):
            nodes.append(_Node(half, centres[side], _squares(rows, half, centres[side]), _mass(rows, half)))
        trace.record(sum(leaf.square for leaf in nodes if leaf.children is None), steps=found.steps)

    def _init_pair(self, scaled: ScaledData, X: Matrix, seed: int, split: int, run: int) -> Array:
        if isinstance(self.init, str):
            return draw_centres(scaled, 2, self.init, seed, split * self.n_init + run)
        made = self.init(X, 2, random_state=stream(generator(seed, split, run)))
        return np.asarray(made, dtype=np.float64) * scaled.unit

    def _keep(self, nodes: list[_Node], data: Data, trace: Trace) -> None:
        self.node_centers_ = np.stack([node.centre for node in nodes])
        self.children_ = np.array([node.children or (-1, -1) for node in nodes], dtype=np.int64)
        self.cluster_centers_ = self.node_centers_[self._leaves()]
        self.n_iter_ = int((self.children_[:, 0] >= 0).sum())
        self.labels_ = self._assign(data.X)
        self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_)
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances overflow")
        trace.certify("assignment", 0.0, 0.0, "at every split each row was assigned to the nearer of the two centroids")

    def _leaves(self) -> Array:
        """The leaves of the tree of splits, from left to right."""
        found, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            left, right = self.children_[node]
            if left < 0:
                found.append(node)
            else:
                waiting += [right, left]
        return np.array(found)

    def _assign(self, X: Matrix) -> Array:
        at = np.zeros(X.shape[0], dtype=np.int64)
        for node in range(len(self.children_)):  # children come after their parent
            inside = np.flatnonzero(at == node)
            if self.children_[node, 0] >= 0 and len(inside):
                both = self.children_[node]
                at[inside] = both[nearest_centres(X[inside], self.node_centers_[both])]
        number = np.full(len(self.children_), -1, dtype=np.int32)
        number[self._leaves()] = np.arange(len(self.cluster_centers_))
        return number[at]


@dataclass
class _Node:
    """A node of the tree of splits: rows, centroid, weighted sum of squares, weight and children."""

    rows: Array
    centre: Array
    square: float
    mass: float
    children: tuple[int, int] | None = None
    splittable: bool = True

    def __post_init__(self) -> None:
        self.splittable = self.square > 0 and len(self.rows) > 1


def _squares(data: Data, rows: Array, centre: Array) -> float:
    weight = None if data.weight is None else data.weight[rows]
    return inertia(data.X[rows], weight, centre[None], np.zeros(len(rows), dtype=np.int32))


def _mass(data: Data, rows: Array) -> float:
    return float(len(rows) if data.weight is None else data.weight[rows].sum())
