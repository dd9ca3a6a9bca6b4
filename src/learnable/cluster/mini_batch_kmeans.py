"""Mini-batch k-means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, generator, learned, param, seed_of
from ..core.declare import params
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..engines import matrix_products
from ..engines.iterate import Progress, State, iterate
from ..engines.kmeans import ScaledData
from ..engines.kmeans_init import Init
from ..engines.sampling.weighted_sampling import Population
from ._kmeans.base_centroid import (
    CentroidClusterer,
    check_centres,
    draw_centres,
    inertia,
    number_of_runs,
    rows_with_weight,
    warn_of_runs,
)

RUNS_IF_RANDOM = 3
PASSES_OF_BATCHES = 3  # sample size of the initialisation, in batches
INITS, BATCHES, REASSIGNMENTS = 1, 2, 3  # keys of the random streams


@estimator
class MiniBatchKMeans(CentroidClusterer):
    """Mini-batch k-means clustering: each centroid is the running mean of the batch rows assigned to it.

    for each batch and cluster k    c_k <- (n_k c_k + sum of its rows) / (n_k + their number),   n_k += their number

    The cost of an iteration, batch size times clusters times columns, is independent of the number of rows. Rows are
    sampled in proportion to their weights, so that a weight of 3 equals three copies. Clusters with few rows are
    reassigned to rows of a batch. [Sculley, 2010]

    >>> X = [[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [10.0, 2.0], [10.0, 4.0], [10.0, 0.0]]
    >>> model = MiniBatchKMeans(n_clusters=2, batch_size=6, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_[:, 0].tolist())
    [1.0, 10.0]
    """

    n_clusters: int = param(8, "number of clusters", kw_only=False, at_least=1, tune=(2, 3, 5, 8, 13))
    init: Init | Callable[..., Any] | Array = param(
        "k-means++", "initialisation: a method, initial centroids, or a function (X, n_clusters, random_state)"
    )
    max_iter: int = param(100, "maximum number of epochs: passes over n_samples rows", at_least=1)
    batch_size: int = param(1024, "number of rows of a batch; all rows if there are fewer", at_least=1)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    compute_labels: bool = param(True, "whether to compute labels of all training rows at the end")
    random_state: RandomState = param(None, "seed of the centroid initialisation and the batches")
    tol: float = param(
        0.0,
        "tolerance of the squared move of the centroids, relative to the mean variance; 0: no such test",
        at_least=0,
    )
    max_no_improvement: int | None = param(
        10,
        "number of consecutive batches without improvement of the smoothed inertia that ends the fit; None: no limit",
        at_least=0,
    )
    init_size: int | None = param(
        None, "number of rows sampled for the initialisation; None: three batches", at_least=1
    )
    n_init: int | Literal["auto"] = param("auto", "number of initialisations, of which the best is used", at_least=1)
    reassignment_ratio: float = param(
        0.01, "clusters with less than this fraction of the rows of the largest are reassigned", at_least=0
    )
    labels_: Array = learned("cluster of each training row", shape="rows", optional=True)
    inertia_: float = learned("weighted sum of squared distances of the training rows to their centres", optional=True)
    n_steps_: int = learned("number of batches")
    counts_: Array = learned("number of rows assigned to each cluster so far", shape="clusters", least=0)
    since_renewal_: int = learned("number of rows since the last reassignment")

    title = "mini-batch k-means clustering"
    reference = "Sculley, Web-scale k-means clustering, 2010"

    def _unsound(self) -> str:
        sound = self.counts_.dtype == np.float64 and np.isfinite(self.counts_).all()
        return "" if sound else "counts_ must hold finite float64 numbers"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = rows_with_weight(self, data)
        scaled, seed = ScaledData(rows.X, rows.weight, bounds="none"), seed_of(self.random_state)
        options = self._options(scaled)
        sample = _Sample.of(rows, min(self.batch_size, int(options.total)), seed)
        batches = _MiniBatchSteps(
            scaled.X,
            sample,
            self._initial_centroids(scaled, rows, sample, seed),
            self.tol * scaled.spread,
            options,
            seed,
        )
        limit = max(int(self.max_iter * options.total) // sample.size, 1)
        state = iterate(batches, limit, trace)
        self.cluster_centers_ = (state["centres"] / scaled.unit).astype(data.X.dtype)
        self.counts_, self.since_renewal_ = state["counts"], state["since"]
        self.n_steps_ = trace.iterations
        self.n_iter_ = int(np.ceil(trace.iterations * sample.size / options.total))
        self._label(data, trace)

    def _label(self, data: Data, trace: Trace) -> None:
        if self.compute_labels:
            self.labels_ = self._assign(data.X)
            self.inertia_ = inertia(data.X, data.weight, self.cluster_centers_, self.labels_)
            if not np.isfinite(self.inertia_):
                raise ArithmeticError("squared distances overflow")
        trace.certify(
            "assignment", 0.0, 0.0, "every row is assigned to its nearest centroid; centroids are means of samples"
        )

    def _options(self, scaled: ScaledData) -> _Options:
        return _Options(self.max_no_improvement, self.reassignment_ratio, max(scaled.total, scaled.X.shape[0]))

    def _initial_centroids(self, scaled: ScaledData, data: Data, sample: _Sample, seed: int) -> Array:
        """The initial centroids with the lowest inertia on a sample."""
        enough = PASSES_OF_BATCHES * int(self._options(scaled).total)
        if self.init_size is not None and self.init_size < self.n_clusters:
            warn(
                f"MiniBatchKMeans: init_size={self.init_size} should be larger than n_clusters={self.n_clusters}; "
                f"{PASSES_OF_BATCHES * self.n_clusters} rows are drawn",
                RuntimeWarning,
            )
        size = min(self.init_size or PASSES_OF_BATCHES * sample.size, enough)
        size = max(size, PASSES_OF_BATCHES * self.n_clusters)
        if not isinstance(self.init, str):
            draws = stream(generator(seed, INITS))
            if not callable(self.init):
                warn_of_runs(self, number_of_runs(self.init, self.n_init))
            given = self.init(data.X, self.n_clusters, random_state=draws) if callable(self.init) else self.init
            return check_centres(self, given, data) * scaled.unit
        validation = scaled.X[sample.rows(INITS, 0, size)]
        candidates = []
        for run in range(number_of_runs(self.init, self.n_init, RUNS_IF_RANDOM)):
            sample_data = ScaledData(scaled.X[sample.rows(INITS, run + 1, size)], None, bounds="none")
            candidates.append(draw_centres(sample_data, self.n_clusters, self.init, seed, run) / sample_data.unit)
        costs = [_cost(validation, centres) for centres in candidates]
        return candidates[int(np.argmin(costs))]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit to the rows of `X`, and return the cluster of each."""
        return self.fit(X, y, sample_weight).predict(X)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Update the centroids with one more batch: the rows of `X`."""
        params.check(self)
        matrix, names = self._enter(X)
        fitted = self.__sklearn_is_fitted__()
        if fitted:
            self._check_columns(matrix, names)
        data = Data(matrix, np.empty(0), self._validator.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, None, data.weight, going_on=True) as trace:
            if not fitted:
                self._remember_columns(matrix, names)
                self._start(data)
            self._take_batch(data, trace)
        return self

    def _start(self, data: Data) -> None:
        """The state before the first batch, from which the initial centroids are drawn."""
        rows, seed = rows_with_weight(self, data), seed_of(self.random_state)
        scaled = ScaledData(rows.X, rows.weight, bounds="none")
        sample = _Sample.of(rows, rows.n, seed)
        self.cluster_centers_ = (self._initial_centroids(scaled, rows, sample, seed) / scaled.unit).astype(data.X.dtype)
        self.counts_, self.since_renewal_ = np.zeros(self.n_clusters), 0
        self.n_steps_ = self.n_iter_ = 0

    def _take_batch(self, data: Data, trace: Trace) -> None:
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
    """Sampling of rows with replacement in proportion to their weights, invariant to order and copies."""

    population: Population
    ends: Array | None  # running sums of the weights
    size: int
    seed: int

    @classmethod
    def of(cls, data: Data, size: int, seed: int) -> _Sample:
        population = Population.of(data)
        return cls(population, None if population.weight is None else np.cumsum(population.weight), size, seed)

    def rows(self, *key: int) -> Array:
        """The indices of a sample; the last key is its size."""
        draws, count = generator(self.seed, *key[:-1]).random(key[-1]), len(self.population.rows)
        if self.ends is None:
            return np.asarray(self.population.rows[(draws * count).astype(np.intp)])
        found = np.searchsorted(self.ends, draws * self.ends[-1], side="right")
        return np.asarray(self.population.rows[np.minimum(found, count - 1)])


@dataclass(frozen=True)
class _Options:
    patience: int | None
    least: float  # fraction of the largest cluster below which a cluster is reassigned
    total: float  # sum of the weights of the rows


@dataclass(frozen=True)
class _MiniBatchSteps:
    """Iterations of one batch each, until the centroids are stable or the smoothed inertia no longer decreases."""

    X: Matrix
    sample: _Sample
    centres: Array
    tolerance: float
    options: _Options
    seed: int

    def start(self) -> State:
        fresh = {"cost": 0.0, "smooth": -1.0, "best": -1.0, "worse": 0, "moved": 1e300}
        counts = np.zeros(len(self.centres))
        return {"centres": self.centres, "counts": counts, "since": 0, "step": 0, **fresh}

    def step(self, state: State) -> State:
        batch = matrix_products.taken(self.X, self.sample.rows(BATCHES, state["step"], self.sample.size))
        after, cost = _after_batch(state, batch, None, self.options, self.seed)
        moved = float(((after["centres"] - state["centres"]) ** 2).sum())
        return {**after, **self._smoothed(state, cost / self.sample.size), "cost": cost, "moved": moved}

    def _smoothed(self, state: State, cost: float) -> State:
        """The exponentially weighted mean of the batch inertia; the first batch is skipped, as in scikit-learn."""
        if state["step"] == 0:
            return {"smooth": -1.0, "best": -1.0, "worse": 0}
        alpha = min(2 * self.sample.size / (self.options.total + 1), 1.0)
        smooth = cost if state["smooth"] < 0 else state["smooth"] * (1 - alpha) + cost * alpha
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
    """Centroids and counts after a batch, and the inertia of the batch before the update."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    finder = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none")
    means, counts, cost = finder.take_batch(np.ascontiguousarray(state["centres"]), state["counts"], weight)
    since = state["since"] + rows.shape[0]
    if options.least > 0 and (since >= 10 * len(means) or (counts == 0).any()):
        means, counts, since = *_reassign(means, counts, rows, options.least, (seed, REASSIGNMENTS, state["step"])), 0
    return {"centres": means, "counts": counts, "since": since, "step": state["step"] + 1}, cost


def _reassign(centres: Array, counts: Array, X: Matrix, least: float, key: tuple[int, ...]) -> tuple[Array, Array]:
    """Centroids of clusters with few rows replaced by rows of the batch, drawn by the generator of `key`."""
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
    """The inertia: sum of squared distances of rows to the nearest centroid."""
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    finder, labels = kernels.NearestCentres(rows, np.zeros(rows.shape[1]), "none"), np.full(rows.shape[0], -1, np.int32)
    finder.assign(centres, None, labels)
    return float(finder.squares(centres, labels).sum())
