"""k-means that divides one group in two, again and again."""

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
from ..engines.kmeans import Cloud, Lloyd, nearest_centres
from ..engines.multi_start import best_run
from ._kmeans.base_centroid import Centred, counted_rows, inertia
from ._kmeans.init import Beginning, drawn_centres


@estimator
class BisectingKMeans(Centred):
    """Groups about their means, found by dividing one group in two until there are enough.

    minimise over the two centres of one group at a time    sum_i s_i |x_i - c_label(i)|^2

    The group with the largest sum of squares, or with the most rows, is divided next. Every division looks at the rows
    of one group only, so that many groups cost about rows times the logarithm of their number. New rows go down the
    same divisions, each time to the nearer of two centres. [Steinbach et al., 2000]

    >>> X = [[1.0, 1.0], [10.0, 1.0], [3.0, 1.0], [10.0, 0.0], [2.0, 1.0], [10.0, 2.0], [10.0, 8.0], [10.0, 9.0]]
    >>> BisectingKMeans(n_clusters=3, random_state=0).fit(X).inertia_
    4.5
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Beginning | Callable[..., Any] = param(
        "random", "where divisions begin: a way to draw rows, or a function (X, n_clusters, random_state)"
    )
    n_init: int = param(1, "number of runs for each division, of which the best is kept", at_least=1)
    random_state: RandomState = param(None, "seed of the beginnings")
    max_iter: int = param(300, "most steps of a run", at_least=1)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress", at_least=0)
    tol: float = param(1e-4, "squared move of all centres in units of the mean variance that ends a run", at_least=0)
    copy_x: bool = param(True, "accepted for compatibility; X is never changed")
    algorithm: Literal["lloyd", "elkan"] = param("lloyd", "accepted for compatibility; both give the same result")
    bisecting_strategy: Literal["biggest_inertia", "largest_cluster"] = param(
        "biggest_inertia", "which group is divided: that with the largest sum of squares, or with the most rows"
    )
    n_iter_: int = learned("number of divisions")
    node_centers_: Array = learned(
        "centre of each group that was ever made, the first of all rows", shape="nodes features"
    )
    children_: Array = learned("the two groups that a group was divided into, -1 if it was not", shape="nodes two")

    reference = "Steinbach, Karypis and Kumar, A comparison of document clustering techniques, 2000"

    def _unsound(self) -> str:
        """Groups come after the one that they were made of, each is made of one, and those not divided have centres."""
        children, nodes = self.children_, np.arange(len(self.children_))
        if (
            children.dtype != np.int64
            or children.shape[1] != 2
            or not len(nodes)
            or len(self.node_centers_) != len(nodes)
        ):
            return "children_ must hold two whole numbers for each node"
        divided = children[:, 0] >= 0
        made = children[divided]
        if (children[~divided] != -1).any() or (made <= nodes[divided, None]).any() or (made >= len(nodes)).any():
            return "children_ must come after the node that they are made of"
        if len(np.unique(made)) != made.size or made.size != len(nodes) - 1:
            return "every node but the first must be made of one other"
        return "" if len(self.cluster_centers_) == (~divided).sum() else "every group needs a centre"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = counted_rows(self, data)
        seed, dtype = seed_of(self.random_state), data.X.dtype
        whole = np.asarray(matrix_products.column_means(rows.X, rows.weight)).astype(dtype)
        nodes = [
            _Node(np.arange(rows.n), whole, _squares(rows, np.arange(rows.n), whole), _mass(rows, np.arange(rows.n)))
        ]
        while sum(node.children is None for node in nodes) < self.n_clusters:
            place, reason = self._next(nodes), reason_to_stop()
            if reason and len(nodes) > 1:
                trace.stopped = reason
                break
            if place is None:
                warn(
                    f"BisectingKMeans: only {sum(node.children is None for node in nodes)} of "
                    f"n_clusters={self.n_clusters} groups have different rows",
                    ConvergenceWarning,
                )
                break
            self._divide(rows, nodes, place, seed, trace)
        if not trace.rows:
            trace.record(nodes[0].square)
        trace.stopped = trace.stopped or "exact"
        self._keep(nodes, data, trace)

    def _next(self, nodes: list[_Node]) -> int | None:
        """The group to divide, if any has rows that differ."""
        sizes = [node.square if self.bisecting_strategy == "biggest_inertia" else node.mass for node in nodes]
        open_ = [k for k, node in enumerate(nodes) if node.children is None and node.divisible]
        return max(open_, key=sizes.__getitem__) if open_ else None

    def _divide(self, rows: Data, nodes: list[_Node], place: int, seed: int, trace: Trace) -> None:
        node = nodes[place]
        X = rows.X[node.rows]
        weight = None if rows.weight is None else rows.weight[node.rows]
        cloud, division = Cloud(X, weight), len(nodes)
        begin = (self._begin(cloud, X, seed, division, run) for run in range(self.n_init))
        course = Trace()
        found = best_run((Lloyd(cloud, two, self.tol * cloud.spread) for two in begin), self.max_iter, course)
        centres = (found.state["centres"] / cloud.unit).astype(rows.X.dtype)
        labels = nearest_centres(X, centres)
        halves = [node.rows[labels == side] for side in (0, 1)]
        if not all(map(len, halves)):
            node.divisible = False
            return
        node.children = (len(nodes), len(nodes) + 1)
        for side, half in enumerate(halves):
            nodes.append(_Node(half, centres[side], _squares(rows, half, centres[side]), _mass(rows, half)))
        trace.record(sum(leaf.square for leaf in nodes if leaf.children is None), steps=found.steps)

    def _begin(self, cloud: Cloud, X: Matrix, seed: int, division: int, run: int) -> Array:
        if isinstance(self.init, str):
            return drawn_centres(cloud, 2, self.init, seed, division * self.n_init + run)
        made = self.init(X, 2, random_state=stream(generator(seed, division, run)))
        return np.asarray(made, dtype=np.float64) * cloud.unit

    def _keep(self, nodes: list[_Node], data: Data, trace: Trace) -> None:
        self.node_centers_ = np.stack([node.centre for node in nodes])
        self.children_ = np.array([node.children or (-1, -1) for node in nodes], dtype=np.int64)
        self.cluster_centers_ = self.node_centers_[self._leaves()]
        self.n_iter_ = int((self.children_[:, 0] >= 0).sum())
        self.labels_ = self._assign(data.X)
        self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_)
        if not np.isfinite(self.inertia_):
            raise ArithmeticError("squared distances leave the range of floats")
        trace.certify("assignment", 0.0, 0.0, "at every division each row went to the nearer of the two centres")

    def _leaves(self) -> Array:
        """The groups that were not divided, from left to right."""
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
        for node in range(len(self.children_)):  # those that were made of a group come after it
            inside = np.flatnonzero(at == node)
            if self.children_[node, 0] >= 0 and len(inside):
                both = self.children_[node]
                at[inside] = both[nearest_centres(X[inside], self.node_centers_[both])]
        number = np.full(len(self.children_), -1, dtype=np.int32)
        number[self._leaves()] = np.arange(len(self.cluster_centers_))
        return number[at]


@dataclass
class _Node:
    """A group: its rows, centre, weighted sum of squares and weight, and the two it was divided into."""

    rows: Array
    centre: Array
    square: float
    mass: float
    children: tuple[int, int] | None = None
    divisible: bool = True

    def __post_init__(self) -> None:
        self.divisible = self.square > 0 and len(self.rows) > 1


def _squares(data: Data, rows: Array, centre: Array) -> float:
    weight = None if data.weight is None else data.weight[rows]
    return inertia(data.X[rows], weight, centre[None], np.zeros(len(rows), dtype=np.int32))


def _mass(data: Data, rows: Array) -> float:
    return float(len(rows) if data.weight is None else data.weight[rows].sum())
