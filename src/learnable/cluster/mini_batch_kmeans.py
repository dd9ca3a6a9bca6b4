"""k-means from small samples of the rows, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, generator, learned, param, seed_of
from ..core.declare import params
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..engines import matrix_products
from ..engines.iterate import Progress, State, iterate
from ..engines.kmeans import Cloud
from ..engines.sampling.weighted_sampling import Population
from ._kmeans.base_centroid import Centred, counted_rows, inertia
from ._kmeans.init import Beginning, checked_centres, drawn_centres, number_of_runs

RUNS_FROM_ANYWHERE = 3
PASSES_OF_BATCHES = 3  # rows that beginnings are drawn from and compared on, in batches
BEGINNINGS, BATCHES, RENEWALS = 1, 2, 3  # keys of what is drawn


@estimator
class MiniBatchKMeans(Centred):
    """Groups of rows about their means, from small samples: each centre is the mean of all rows that ever came to it.

    of each batch, for each group k    c_k <- (n_k c_k + sum of its rows) / (n_k + their number),   n_k += their number

    A step costs rows of a batch times groups times columns, whatever the number of rows in all. Rows are drawn like
    their weights, so that a weight of 3 is drawn like three copies. Groups that few rows come to are begun anew with
    rows of a batch. [Sculley, 2010]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = MiniBatchKMeans(n_clusters=2, batch_size=6, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_[:, 0].tolist())
    [1.0, 10.0]
    """

    n_clusters: int = param(8, "number of groups", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Beginning | Callable[..., Any] | Array = param(
        "k-means++", "where it begins: a way to draw rows, the centres, or a function (X, n_clusters, random_state)"
    )
    max_iter: int = param(100, "most passes over as many rows as there are", at_least=1)
    batch_size: int = param(1024, "rows of a batch; all rows if there are fewer", at_least=1)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress", at_least=0)
    compute_labels: bool = param(True, "whether to label all training rows at the end")
    random_state: RandomState = param(None, "seed of beginnings and batches")
    tol: float = param(
        0.0, "squared move of all centres in units of the mean variance that ends it; 0 never", at_least=0
    )
    max_no_improvement: int | None = param(
        10, "batches in a row, smoothed, without improvement that end it; None never", at_least=0
    )
    init_size: int | None = param(None, "rows that the beginning is drawn from; None is three batches", at_least=1)
    n_init: int | Literal["auto"] = param("auto", "number of beginnings of which the best is taken", at_least=1)
    reassignment_ratio: float = param(0.01, "groups with less than this share of the largest begin anew", at_least=0)
    labels_: Array = learned("group of each training row", shape="rows", optional=True)
    inertia_: float = learned("weighted sum of squared distances of the training rows to their centres", optional=True)
    n_steps_: int = learned("number of batches")
    counts_: Array = learned("rows that came to each group", shape="groups", least=0)
    since_renewal_: int = learned("rows since groups were last begun anew")

    reference = "Sculley, Web-scale k-means clustering, 2010"

    def _unsound(self) -> str:
        sound = self.counts_.dtype == np.float64 and np.isfinite(self.counts_).all()
        return "" if sound else "counts_ must hold finite numbers of double precision"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = counted_rows(self, data)
        cloud, seed = Cloud(rows.X, rows.weight, bounds="none"), seed_of(self.random_state)
        options = self._options(cloud)
        sample = _Sample.of(rows, min(self.batch_size, int(options.total)), seed)
        batches = _Batches(
            cloud.X,
            sample,
            self._beginning(cloud, rows, sample, seed),
            self.tol * cloud.spread,
            options,
            seed,
        )
        most = max(int(self.max_iter * options.total) // sample.size, 1)
        state = iterate(batches, most, trace)
        self.cluster_centers_ = (state["centres"] / cloud.unit).astype(data.X.dtype)
        self.counts_, self.since_renewal_ = state["counts"], state["since"]
        self.n_steps_ = trace.iterations
        self.n_iter_ = int(np.ceil(trace.iterations * sample.size / options.total))
        self._label(data, trace)

    def _label(self, data: Data, trace: Trace) -> None:
        if self.compute_labels:
            self.labels_ = self._assign(data.X)
            self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_)
            if not np.isfinite(self.inertia_):
                raise ArithmeticError("squared distances leave the range of floats")
        trace.certify(
            "assignment", 0.0, 0.0, "no row is nearer to another centre than to its own; centres are means of samples"
        )

    def _options(self, cloud: Cloud) -> _Options:
        return _Options(self.max_no_improvement, self.reassignment_ratio, max(cloud.total, cloud.X.shape[0]))

    def _beginning(self, cloud: Cloud, data: Data, sample: _Sample, seed: int) -> Array:
        """The centres of the beginning that is best on a sample."""
        enough = PASSES_OF_BATCHES * int(self._options(cloud).total)
        requested = min(self.init_size or PASSES_OF_BATCHES * sample.size, enough)
        size = max(requested, PASSES_OF_BATCHES * self.n_clusters)
        if not isinstance(self.init, str):
            draws = stream(generator(seed, BEGINNINGS))
            made = self.init(data.X, self.n_clusters, random_state=draws) if callable(self.init) else self.init
            return checked_centres(self, made, data) * cloud.unit
        ground = cloud.X[sample.rows(BEGINNINGS, 0, size)]
        begin = []
        for run in range(number_of_runs(self.init, self.n_init, RUNS_FROM_ANYWHERE)):
            part = Cloud(cloud.X[sample.rows(BEGINNINGS, run + 1, size)], None, bounds="none")
            begin.append(drawn_centres(part, self.n_clusters, self.init, seed, run) / part.unit)
        costs = [_cost(ground, centres) for centres in begin]
        return begin[int(np.argmin(costs))]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Find groups among the rows of `X`, and return the group of each."""
        return self.fit(X, y, sample_weight).predict(X)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take one more batch into account: the rows of `X`."""
        params.check(self)
        matrix, names = self._enter(X)
        begun = self.__sklearn_is_fitted__()
        if begun:
            self._check_columns(matrix, names)
        data = Data(matrix, np.empty(0), self._validator.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, None, data.weight, going_on=True) as trace:
            if not begun:
                self._remember_columns(matrix, names)
                self._begin(data)
            self._take(data, trace)
        return self

    def _begin(self, data: Data) -> None:
        """The state before the first batch, whose rows the beginning is drawn from."""
        rows, seed = counted_rows(self, data), seed_of(self.random_state)
        cloud = Cloud(rows.X, rows.weight, bounds="none")
        sample = _Sample.of(rows, rows.n, seed)
        self.cluster_centers_ = (self._beginning(cloud, rows, sample, seed) / cloud.unit).astype(data.X.dtype)
        self.counts_, self.since_renewal_ = np.zeros(self.n_clusters), 0
        self.n_steps_ = self.n_iter_ = 0

    def _take(self, data: Data, trace: Trace) -> None:
        seed = seed_of(self.random_state)
        weight = None if data.weight is None else data.weight.astype(np.float64)
        options = _Options(None, self.reassignment_ratio, float(data.n))
        centres = self.cluster_centers_.astype(np.float64)
        state = {"centres": centres, "counts": self.counts_, "since": self.since_renewal_, "step": self.n_steps_}
        after, cost = _after_batch(state, data.X, weight, options, seed)
        self.cluster_centers_ = after["centres"].astype(data.X.dtype)
        self.counts_, self.since_renewal_ = after["counts"], after["since"]
        self.n_steps_ = self.n_iter_ = self.n_steps_ + 1
        trace.record(cost)
        trace.stopped = "exact"
        self._label(data, trace)


@dataclass(frozen=True)
class _Sample:
    """Rows drawn like their weights, with replacement, whatever their order and copies."""

    population: Population
    ends: Array | None  # running sums of the weights
    size: int
    seed: int

    @classmethod
    def of(cls, data: Data, size: int, seed: int) -> _Sample:
        population = Population.of(data)
        return cls(population, None if population.weight is None else np.cumsum(population.weight), size, seed)

    def rows(self, *key: int) -> Array:
        """The rows of one unit of work, as many as its last key says."""
        draws, count = generator(self.seed, *key[:-1]).random(key[-1]), len(self.population.rows)
        if self.ends is None:
            return np.asarray(self.population.rows[(draws * count).astype(np.intp)])
        found = np.searchsorted(self.ends, draws * self.ends[-1], side="right")
        return np.asarray(self.population.rows[np.minimum(found, count - 1)])


@dataclass(frozen=True)
class _Options:
    patience: int | None
    least: float  # share of the largest group below which a group begins anew
    total: float  # number of rows, each as often as its weight says


@dataclass(frozen=True)
class _Batches:
    """Steps of one batch each; they end when centres rest, or when the smoothed cost of batches no longer falls."""

    X: Matrix
    sample: _Sample
    centres: Array
    tolerance: float
    options: _Options
    seed: int

    def start(self) -> State:
        nothing = {"cost": 0.0, "smooth": -1.0, "best": -1.0, "worse": 0, "moved": 1e300}
        counts = np.zeros(len(self.centres))
        return {"centres": self.centres, "counts": counts, "since": 0, "step": 0, **nothing}

    def step(self, state: State) -> State:
        batch = matrix_products.taken(self.X, self.sample.rows(BATCHES, state["step"], self.sample.size))
        after, cost = _after_batch(state, batch, None, self.options, self.seed)
        moved = float(((after["centres"] - state["centres"]) ** 2).sum())
        return {**after, **self._smoothed(state, cost / self.sample.size), "cost": cost, "moved": moved}

    def _smoothed(self, state: State, cost: float) -> State:
        """The running mean of costs; that of the first batch, which the centres were made for, is left out."""
        if state["step"] == 0:
            return {"smooth": -1.0, "best": -1.0, "worse": 0}
        share = min(2 * self.sample.size / (self.options.total + 1), 1.0)
        smooth = cost if state["smooth"] < 0 else state["smooth"] * (1 - share) + cost * share
        better = state["best"] < 0 or smooth < state["best"]
        return {
            "smooth": smooth,
            "best": smooth if better else state["best"],
            "worse": 0 if better else state["worse"] + 1,
        }

    def progress(self, state: State) -> Progress:
        patience = self.options.patience
        still = self.tolerance > 0 and state["step"] > 1 and state["moved"] <= self.tolerance
        done = still or (patience is not None and state["step"] > 1 and state["worse"] >= max(patience, 1))
        return Progress(state["cost"], 0.0 if done else max(state["moved"], 1e-300), 0.0)


def _after_batch(state: State, X: Matrix, weight: Array | None, options: _Options, seed: int) -> tuple[State, float]:
    """Centres and counts after a batch, and the cost of the batch before it."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    finder = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none")
    means, counts, cost = finder.take_batch(np.ascontiguousarray(state["centres"]), state["counts"], weight)
    since = state["since"] + rows.shape[0]
    if options.least > 0 and (since >= 10 * len(means) or (counts == 0).any()):
        means, counts, since = *_renewed(means, counts, rows, options.least, (seed, RENEWALS, state["step"])), 0
    return {"centres": means, "counts": counts, "since": since, "step": state["step"] + 1}, cost


def _renewed(centres: Array, counts: Array, X: Matrix, least: float, key: tuple[int, ...]) -> tuple[Array, Array]:
    """Centres of groups that few rows came to replaced by rows of the batch, drawn by the generator of `key`."""
    few = np.flatnonzero(counts < least * counts.max())[: X.shape[0] // 2]
    if not len(few):
        return centres, counts
    kept = np.ones(len(counts), dtype=bool)
    kept[few] = False
    chosen = X[np.sort(generator(*key).choice(X.shape[0], len(few), replace=False))]
    centres, counts = centres.copy(), counts.copy()
    centres[few] = chosen.toarray() if matrix_products.is_sparse(chosen) else chosen
    counts[few] = counts[kept].min()
    return centres, counts


def _cost(X: Matrix, centres: Array) -> float:
    """Squared distances of rows to the nearest centre, in sum."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    finder, labels = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none"), np.full(rows.shape[0], -1, np.int32)
    finder.assign(centres, None, labels)
    return float(finder.squares(centres, labels).sum())
