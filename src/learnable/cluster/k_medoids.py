"""k-medoids: groups of rows about one of them, by any dissimilarity."""

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
from ..engines.iterate import Progress, State, iterate
from ..engines.sampling.weighted_sampling import Population
from ..metrics.pairwise import pairwise_distances
from ..neighbors._metrics import column_ranges
from ..neighbors._mixed_features import ByMetric
from ._kmeans.base_centroid import AboutCentres, counted_rows

ROUNDING = 1e-12  # share of the sum of dissimilarities that a swap must bring
BLOCK = 256  # rows of the table of dissimilarities between two looks at the time


@estimator
class KMedoids(ByMetric, AboutCentres):
    """Groups of rows about one of their own, the medoid: only dissimilarities are needed, and odd rows move little.

    minimise over k of the rows as medoids    sum_i s_i min over medoids m of d(x_i, m)

    Swaps a medoid for another row as soon as that pays, all k swaps of a row weighed in one pass; ends where no single
    swap pays. Cost n^2 for the dissimilarities and for each sweep over all rows. [Schubert and Rousseeuw, 2021]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = KMedoids(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist()), model.inertia_
    ([[1.0, 2.0], [10.0, 2.0]], 8.0)
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    metric: str | Callable[..., Any] = param(
        "euclidean", 'a metric of pairwise_distances, "gower", "precomputed", or a function of two rows in any order'
    )
    metric_params: dict[str, Any] | None = param(None, "further arguments of the metric")
    method: Literal["fasterpam", "alternate"] = param(
        "fasterpam", "swaps of any medoid for any row, or medoids of groups and groups of medoids in turn"
    )
    init: Literal["k-medoids++", "build", "random"] | Array = param(
        "k-medoids++", "rows to begin with: far apart, one after the other as it pays most, any, or their numbers"
    )
    max_iter: int = param(300, "most sweeps over the rows", at_least=1)
    random_state: RandomState = param(None, "seed of the beginning")
    medoid_indices_: Array = learned("rows that are medoids", shape="groups", index="rows")
    cluster_centers_: Array | None = learned(
        "the medoids themselves, categories by their places in categories_; None if dissimilarities were given"
    )
    inertia_: float = learned("weighted sum of the dissimilarities of the training rows to their medoids")
    n_iter_: int = learned("sweeps over the rows")
    ranges_: Array = learned("range of each training column, for Gower's distance", shape="features", optional=True)

    reference = "Schubert and Rousseeuw, Fast and eager k-medoids clustering, 2021"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.pairwise and data.X.shape[0] != data.X.shape[1]:
            raise ParameterError(
                f'KMedoids: metric="precomputed" needs a square matrix; X has the shape {data.X.shape}'
            )
        self._check_metric()
        counted_rows(self, data)
        X = self._learn_categories(data.X, dict(self.metric_params or {}))
        if self._is_by("gower"):
            self.ranges_ = column_ranges(X)
        rows, weight = _different_rows(Data(X, data.y, data.weight, None), self.pairwise)
        far = self._dissimilarities(X, rows)
        if self.n_clusters == 1:
            medoids = self._alone(far, weight, trace)
        elif self.n_clusters >= len(rows):
            medoids = np.resize(np.arange(len(rows)), self.n_clusters)
            trace.exact("every row that differs is a medoid")
        else:
            medoids = self._swapped(far, weight, rows, trace)
        self.medoid_indices_ = rows[medoids]
        self.cluster_centers_ = None if self.pairwise else X[self.medoid_indices_]
        self.n_iter_ = trace.iterations
        nearest = self._distances(X)
        self.labels_ = nearest.argmin(axis=1)
        least = nearest.min(axis=1).astype(np.float64)
        self.inertia_ = float(least.sum() if data.weight is None else (least * data.weight).sum())

    def _check_metric(self) -> None:
        """A metric that would take its scale from whatever rows it sees would not know new rows by the old scale."""
        scale = {"seuclidean": "V", "mahalanobis": "VI"}.get(str(self.metric))
        if scale is not None and scale not in (self.metric_params or {}):
            raise ParameterError(f'KMedoids: metric="{self.metric}" needs its scale: metric_params={{"{scale}": ...}}')

    def _swapped(self, far: Array, weight: Array, rows: Array, trace: Trace) -> Array:
        method = _Swaps(far, weight, self._beginning(far, weight, rows))
        if self.method == "alternate":
            state = iterate(_Turns(far, weight, method.begin), self.max_iter, trace)
            trace.certify("change", trace.rows[-1]["criterion"], 0.0, "every medoid is the best row of its group")
        else:
            state = iterate(method, self.max_iter, trace)
            trace.certify(
                "swap gain", max(state["gain"] / (state["cost"] or 1.0), 0.0) if state["settled"] else 1.0, ROUNDING,
                "no swap of a medoid for another row would lower the sum by more than this share",
            )  # fmt: skip
        medoids: Array = state["medoids"]
        return medoids

    def _alone(self, far: Array, weight: Array, trace: Trace) -> Array:
        totals = far @ weight
        trace.exact("the row with the least sum of dissimilarities, of all rows", float(totals.min()))
        return np.array([int(totals.argmin())])

    def _beginning(self, far: Array, weight: Array, rows: Array) -> Array:
        draws, count = generator(seed_of(self.random_state)), self.n_clusters
        if not isinstance(self.init, str):
            return _given(self.init, rows, count)
        if self.init == "random":
            return np.argsort(-np.log1p(-draws.random(len(weight))) / weight, kind="stable")[:count].astype(np.int64)
        if self.init == "build":
            return _built(far, weight, count)
        return _far_apart(far, weight, count, draws)

    def _dissimilarities(self, X: Matrix, rows: Array) -> Array:
        """far[c, i]: that of row i to row c, among the given rows."""
        if self.pairwise:
            return _turned(X, rows)
        chosen = X[rows]
        found = np.ascontiguousarray(self._compare(chosen, chosen), dtype=np.float64)  # the same in both directions
        if np.isnan(found).any():
            row, other = rows[np.argwhere(np.isnan(found))[0]]
            raise DataError(
                f"KMedoids: rows {row} and {other} have no dissimilarity (NaN); fill the gaps, or leave them out"
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
        assert self.cluster_centers_ is not None, "medoids are kept wherever rows were given"
        return self._compare(X, self.cluster_centers_)


def _different_rows(data: Data, given: bool) -> tuple[Array, Array]:
    """The rows that differ, in an order that their content decides, and their weights; of dissimilarities all rows."""
    weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
    if given:
        rows = np.flatnonzero(weight)
        return rows, weight[rows]
    population = Population.of(data)
    heavy = weight[population.rows] if population.weight is None else population.weight
    return population.rows, np.ascontiguousarray(heavy, dtype=np.float64)


def _turned(table: Array, rows: Array) -> Array:
    """table[rows][:, rows]' as a table of its own."""
    found = np.empty((len(rows), len(rows)))
    for begin in range(0, len(rows), BLOCK):
        give_way()
        part = slice(begin, begin + BLOCK)
        found[:, part] = table[np.ix_(rows[part], rows)].T
    return found


def _given(init: Any, rows: Array, count: int) -> Array:
    """Numbers of rows that somebody gave, as places among those that count."""
    requested = np.asarray(init)
    place = {int(row): k for k, row in enumerate(rows)}
    if requested.shape != (count,) or requested.dtype.kind not in "iu" or len(set(requested.tolist())) < count:
        raise ParameterError(f"KMedoids: init must be the numbers of {count} different rows; got {init!r:.60}")
    if not all(int(row) in place for row in requested):
        raise ParameterError("KMedoids: init must name rows that exist, have weight and differ from each other")
    return np.array([place[int(row)] for row in requested], dtype=np.int64)


def _far_apart(far: Array, weight: Array, count: int, draws: np.random.Generator) -> Array:
    """Rows drawn by their dissimilarity to those before."""
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


def _built(far: Array, weight: Array, count: int) -> Array:
    """The row that lowers the sum most, one after the other."""
    chosen = [int((far @ weight).argmin())]
    closest = far[chosen[0]]
    while len(chosen) < count:
        gains = np.empty(len(far))
        for begin in range(0, len(far), BLOCK):
            give_way()
            part = slice(begin, begin + BLOCK)
            gains[part] = np.maximum(closest - far[part], 0.0) @ weight
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        closest = np.minimum(closest, far[chosen[-1]])
    return np.array(chosen, dtype=np.int64)


@dataclass(frozen=True)
class _Swaps:
    """Sweeps over all rows that swap medoids wherever it pays. [FasterPAM]"""

    far: Array
    weight: Array
    begin: Array

    def start(self) -> State:
        return {"medoids": self.begin, "gain": 0.0, "cost": 0.0, "settled": False}

    def step(self, state: State) -> State:
        give_way()
        medoids = state["medoids"].copy()
        finder = kernels.MedoidSwaps(self.far, self.weight, medoids)
        least = ROUNDING * float((self.weight * self.far[medoids].min(axis=0)).sum())
        _, gain, cost, settled = finder.sweep(least)
        return {"medoids": medoids, "gain": gain, "cost": cost, "settled": settled}

    def progress(self, state: State) -> Progress:
        return Progress(state["cost"], 0.0 if state["settled"] else 1.0, 0.0)


@dataclass(frozen=True)
class _Turns:
    """Groups of the nearest medoid, and the best row of each group, in turn."""

    far: Array
    weight: Array
    begin: Array

    def start(self) -> State:
        return {"medoids": self.begin, "cost": 0.0, "changed": len(self.begin)}

    def step(self, state: State) -> State:
        before, medoids = state["medoids"], state["medoids"].copy()
        labels = self.far[before].argmin(axis=0)
        for group in range(len(medoids)):
            give_way()
            members = np.flatnonzero(labels == group)
            totals = self.far[np.ix_(members, members)] @ self.weight[members]
            if len(members) and totals.min() < totals[members == before[group]].min(initial=np.inf):
                medoids[group] = members[totals.argmin()]
        cost = float((self.weight * self.far[medoids].min(axis=0)).sum())
        return {"medoids": medoids, "cost": cost, "changed": int((medoids != before).sum())}

    def progress(self, state: State) -> Progress:
        return Progress(state["cost"], float(state["changed"]), 0.0)
