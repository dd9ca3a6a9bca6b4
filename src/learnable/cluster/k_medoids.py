"""k-medoids clustering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.alternate import Alternation
from ..engines.iterate import Progress, State, iterate
from ..engines.sampling.weighted_sampling import Population
from ..metrics.pairwise import pairwise_distances
from ..neighbors._metrics import column_ranges
from ..neighbors._mixed_features import ByMetric
from ._kmeans.base_centroid import PrototypeClusterer, rows_with_weight

ROUNDING = 1e-12  # fraction of the sum of dissimilarities that a swap must gain
BLOCK = 256  # rows of the dissimilarity matrix between two checks of the time budget


@estimator
class KMedoids(ByMetric, PrototypeClusterer):
    """K-medoids clustering around representative rows by any dissimilarity; robust to outliers.

    minimise over k of the rows as medoids    sum_i s_i min over medoids m of d(x_i, m)

    FasterPAM swaps a medoid for another row as soon as that lowers the objective, evaluating all k swaps of a row in
    one pass; it ends where no single swap does. Cost n^2 for the dissimilarities and for each sweep over all rows.
    [Schubert and Rousseeuw, 2021]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMedoids(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist()), model.inertia_
    ([[1.0, 2.0], [10.0, 2.0]], 8.0)
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    metric: str | Callable[..., Any] = param(
        "euclidean", 'a metric of pairwise_distances, "gower", "precomputed", or a function of two rows in any order'
    )
    metric_params: dict[str, Any] | None = param(None, "options of the metric")
    method: Literal["fasterpam", "alternate"] = param(
        "fasterpam", "swaps of any medoid for any row, or alternating assignment and update of the medoids"
    )
    init: Literal["k-medoids++", "build", "random"] | Array = param(
        "k-medoids++", "initial medoids: k-means++ like, greedy (BUILD), random rows, or their row indices"
    )
    max_iter: int = param(300, "maximum number of sweeps over the rows", at_least=1)
    random_state: RandomState = param(None, "seed of the initial medoids")
    medoid_indices_: Array = learned("row indices of the medoids", shape="clusters", index="rows")
    cluster_centers_: Array | None = learned(
        "medoids; categories as their indices in categories_; None for precomputed dissimilarities"
    )
    inertia_: float = learned("weighted sum of the dissimilarities of the training rows to their medoids")
    n_iter_: int = learned("number of sweeps over the rows")
    ranges_: Array = learned("range of each training column, of Gower's distance", shape="features", optional=True)

    title = "k-medoids clustering"
    reference = "Schubert and Rousseeuw, Fast and eager k-medoids clustering, 2021"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.X.shape[0] != data.X.shape[1]:
            raise ParameterError(
                f'KMedoids: metric="precomputed" needs a square matrix; X has the shape {data.X.shape}'
            )
        self._check_metric()
        rows_with_weight(self, data)
        X = self._learn_categories(data.X, dict(self.metric_params or {}))
        if self._is_by("gower"):
            self.ranges_ = column_ranges(X)
        rows, weight = _distinct_rows(Data(X, data.y, data.weight, None), self.pairwise)
        far = self._dissimilarities(X, rows)
        if self.n_clusters == 1:
            medoids = self._single_medoid(far, weight, trace)
        elif self.n_clusters >= len(rows):
            medoids = np.resize(np.arange(len(rows)), self.n_clusters)
            trace.exact("every distinct row is a medoid")
        else:
            medoids = self._search(far, weight, rows, trace)
        self.medoid_indices_ = rows[medoids]
        self.cluster_centers_ = None if self.pairwise else X[self.medoid_indices_]
        self.n_iter_ = trace.iterations
        nearest = self._distances(X)
        self.labels_ = nearest.argmin(axis=1)
        least = nearest.min(axis=1).astype(np.float64)
        self.inertia_ = float(least.sum() if data.weight is None else (least * data.weight).sum())

    def _check_metric(self) -> None:
        """Refuse metrics that take their scale from the compared rows, as new rows would have another scale."""
        scale = {"seuclidean": "V", "mahalanobis": "VI"}.get(str(self.metric))
        if scale is not None and scale not in (self.metric_params or {}):
            raise ParameterError(f'KMedoids: metric="{self.metric}" needs its scale: metric_params={{"{scale}": ...}}')

    def _search(self, far: Array, weight: Array, rows: Array, trace: Trace) -> Array:
        method = _Swaps(far, weight, self._initial_medoids(far, weight, rows))
        if self.method == "alternate":
            state = iterate(_alternation(far, weight, method.initial), self.max_iter, trace)
            trace.certify("change", trace.rows[-1]["criterion"], 0.0, "every medoid is the best row of its cluster")
        else:
            state = iterate(method, self.max_iter, trace)
            trace.certify(
                "swap gain", max(state["gain"] / (state["cost"] or 1.0), 0.0) if state["settled"] else 1.0, ROUNDING,
                "no swap of a medoid for another row would lower the objective by more than this fraction",
            )  # fmt: skip
        medoids: Array = state["medoids"]
        return medoids

    def _single_medoid(self, far: Array, weight: Array, trace: Trace) -> Array:
        totals = far @ weight
        trace.exact("the row with the smallest sum of dissimilarities to all rows", float(totals.min()))
        return np.array([int(totals.argmin())])

    def _initial_medoids(self, far: Array, weight: Array, rows: Array) -> Array:
        draws, count = generator(seed_of(self.random_state)), self.n_clusters
        if not isinstance(self.init, str):
            return _check_medoids(self.init, rows, count)
        if self.init == "random":
            return np.argsort(-np.log1p(-draws.random(len(weight))) / weight, kind="stable")[:count].astype(np.int64)
        if self.init == "build":
            return _greedy_build(far, weight, count)
        return _plus_plus_rows(far, weight, count, draws)

    def _dissimilarities(self, X: Matrix, rows: Array) -> Array:
        """far[c, i]: dissimilarity of row i to row c, among the given rows."""
        if self.pairwise:
            return _transposed_submatrix(X, rows)
        chosen = X[rows]
        found = np.ascontiguousarray(self._compare(chosen, chosen), dtype=np.float64)  # the same in both directions
        if np.isnan(found).any():
            row, other = rows[np.argwhere(np.isnan(found))[0]]
            raise DataError(
                f"KMedoids: rows {row} and {other} have no dissimilarity (NaN); impute missing values or drop the rows"
            )
        return found

    def _compare(self, X: Matrix, Y: Matrix) -> Array:
        if self._is_by("gower"):
            from ..metrics import gower_distances

            options = {"ranges": self.ranges_, **(self.metric_params or {}), **self._marks}
            return np.asarray(gower_distances(X, Y, **options))
        return np.asarray(pairwise_distances(X, Y, metric=self.metric, **(self.metric_params or {})))

    def _distances(self, X: Matrix) -> Array:
        """Dissimilarities of rows to the medoids."""
        if self.pairwise:
            return np.asarray(X[:, self.medoid_indices_])
        assert self.cluster_centers_ is not None, "medoids are stored unless dissimilarities are precomputed"
        return self._compare(X, self.cluster_centers_)


def _distinct_rows(data: Data, precomputed: bool) -> tuple[Array, Array]:
    """Distinct rows, ordered by their content, and their weights; all rows for precomputed dissimilarities."""
    weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
    if precomputed:
        rows = np.flatnonzero(weight)
        return rows, weight[rows]
    population = Population.of(data)
    weights = weight[population.rows] if population.weight is None else population.weight
    return population.rows, np.ascontiguousarray(weights, dtype=np.float64)


def _transposed_submatrix(table: Array, rows: Array) -> Array:
    """table[rows][:, rows]' as a contiguous matrix."""
    found = np.empty((len(rows), len(rows)))
    for start in range(0, len(rows), BLOCK):
        give_way()
        block = slice(start, start + BLOCK)
        found[:, block] = table[np.ix_(rows[block], rows)].T
    return found


def _check_medoids(init: Any, rows: Array, count: int) -> Array:
    """Given row indices of medoids, checked, as indices into the distinct rows."""
    requested = np.asarray(init)
    index = {int(row): k for k, row in enumerate(rows)}
    if requested.shape != (count,) or requested.dtype.kind not in "iu" or len(set(requested.tolist())) < count:
        raise ParameterError(f"KMedoids: init must be the indices of {count} different rows; got {init!r:.60}")
    if not all(int(row) in index for row in requested):
        raise ParameterError("KMedoids: init must contain indices of existing, distinct rows with weight")
    return np.array([index[int(row)] for row in requested], dtype=np.int64)


def _plus_plus_rows(far: Array, weight: Array, count: int, draws: np.random.Generator) -> Array:
    """K-means++ seeding: rows drawn by their dissimilarity to the previous ones."""
    ends = np.cumsum(weight)
    chosen = [int(min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(ends) - 1))]
    closest = far[chosen[0]]
    while len(chosen) < count:
        give_way()
        closest = np.minimum(closest, far[chosen[-1]])
        mass = weight * np.maximum(closest, 0.0)
        mass[chosen] = 0.0
        mass = mass if mass.any() else np.where(np.isin(np.arange(len(mass)), chosen), 0.0, weight)
        ends = np.cumsum(mass)
        found = int(np.searchsorted(ends, draws.random() * ends[-1], side="right"))
        chosen.append(min(found, int(np.flatnonzero(mass)[-1])))
    return np.array(chosen, dtype=np.int64)


def _greedy_build(far: Array, weight: Array, count: int) -> Array:
    """Greedy (BUILD) initialisation: repeatedly the row that lowers the objective most."""
    chosen = [int((far @ weight).argmin())]
    closest = far[chosen[0]]
    while len(chosen) < count:
        gains = np.empty(len(far))
        for start in range(0, len(far), BLOCK):
            give_way()
            block = slice(start, start + BLOCK)
            gains[block] = np.maximum(closest - far[block], 0.0) @ weight
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        closest = np.minimum(closest, far[chosen[-1]])
    return np.array(chosen, dtype=np.int64)


@dataclass(frozen=True)
class _Swaps:
    """Sweeps over all rows with swaps of medoids that lower the objective (FasterPAM)."""

    far: Array
    weight: Array
    initial: Array

    def start(self) -> State:
        return {"medoids": self.initial, "gain": 0.0, "cost": 0.0, "settled": False}

    def step(self, state: State) -> State:
        give_way()
        medoids = state["medoids"].copy()
        finder = kernels.MedoidSwaps(self.far, self.weight, medoids)
        least = ROUNDING * float((self.weight * self.far[medoids].min(axis=0)).sum())
        _, gain, cost, settled = finder.sweep(least)
        return {"medoids": medoids, "gain": gain, "cost": cost, "settled": settled}

    def progress(self, state: State) -> Progress:
        return Progress(state["cost"], 0.0 if state["settled"] else 1.0, 0.0)


def _alternation(far: Array, weight: Array, medoids: Array) -> Alternation:
    """Clusters of the nearest medoid, and the best row of each cluster."""

    def assign(state: State) -> State:
        return {"labels": far[state["medoids"]].argmin(axis=0)}

    def update(state: State) -> State:
        before, after = state["medoids"], state["medoids"].copy()
        for cluster in range(len(after)):
            give_way()
            members = np.flatnonzero(state["labels"] == cluster)
            totals = far[np.ix_(members, members)] @ weight[members]
            if len(members) and totals.min() < totals[members == before[cluster]].min(initial=np.inf):
                after[cluster] = members[totals.argmin()]
        return {"medoids": after, "cost": float((weight * far[after].min(axis=0)).sum())}

    initial = {"medoids": medoids, "cost": 0.0, "changed": len(medoids)}
    return Alternation(initial, assign, update, "medoids", objective="cost")
