"""Robust principal component analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    ParameterError,
    RandomState,
    Trace,
    estimator,
    generator,
    learned,
    param,
    scaling,
    seed_of,
)
from ..core.runtime.context import give_way
from ..engines.algebra.singular_vectors import CentredRows, whole_spectrum
from ..engines.columns.quantiles import column_quantiles, quantiles
from ..engines.iterate import Progress, State, iterate
from ..parts.ransac_trials import probability_of_no_clean_sample
from ._principal_component_pursuit import principal_component_pursuit
from ._projection_base import LinearProjection

NORMAL = 1.4826  # standard deviation of a normal variable over its median absolute value
OUTLIER_CUTOFF = 2.5  # scaled median distances from which a row is an outlier
ROUNDS, STEPS = 20, 5  # number of updates of the scale, and iterations between them
MIN_DISTANCE = 1e-9  # smallest distance relative to the largest entry


@estimator
class RobustPCA(LinearProjection):
    """Robust principal component analysis (robust PCA): components that outliers cannot affect.

    minimise over m, V, V'V = I    sum_i s_i scale^2 log(1 + e_i^2 / scale^2) / 2,    e_i = |(I - VV')(x_i - m)|

    "irls" weights each row by scale^2 / (scale^2 + e^2), from a robust initialisation; "ransac" takes the components of
    the random subset with most inliers; "pursuit" decomposes X into a low-rank and a sparse matrix. [De la Torre and
    Black, 2003; Fischler and Bolles, 1981; Candès et al., 2011]

    >>> X = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [0.0, 90.0]]
    >>> RobustPCA(n_components=1).fit(X).components_.round(2)
    array([[0.71, 0.71]])
    """

    n_components: int = param(
        1, "number of components", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    method: Literal["irls", "ransac", "pursuit"] = param(
        "irls", "algorithm: reweighting or random samples for outlying rows, pursuit for outlying entries"
    )
    scale: float | None = param(
        None, "distance from the components beyond which a row is an outlier; None: by the median distance", above=0
    )
    strength: float | None = param(None, "penalty of the sparse entries (pursuit); None: 1 / sqrt(max(n, p))", above=0)
    confidence: float = param(0.99, "probability of at least one outlier-free sample (ransac)", above=0, below=1)
    max_trials: int = param(1000, "maximum number of random samples (ransac)", at_least=1)
    sample_size: int | None = param(
        None, "number of rows of a random sample (ransac); None: one more than components", at_least=1
    )
    min_inliers: float | None = param(
        None, "weight or number of inliers that ends the draws (ransac); None: enough draws for `confidence`", above=0
    )
    refit: bool = param(True, "whether the components are fitted again to all inliers (ransac)")
    tol: float = param(1e-9, "convergence threshold: relative change of the reconstruction", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    random_state: RandomState = param(None, "seed of the random samples (ransac)")
    mean_: Array = learned("robust centre of the rows", shape="features")
    explained_variance_: Array = learned("robust variance along each component", shape="components")
    weights_: Array = learned("weight of each training row, between 0 and 1", shape="samples")
    scale_: float = learned("distance beyond which a row is an outlier")
    low_rank_: Array = learned("low-rank component of the training table", shape="samples features", optional=True)
    sparse_: Array = learned("sparse component of the training table", shape="samples features", optional=True)
    n_iter_: int = learned("number of iterations or random samples")

    title = "robust principal component analysis"
    reference = "De la Torre and Black, A framework for robust subspace learning, 2003"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.n_components > min(data.n, data.p):
            raise ParameterError(
                f"RobustPCA: n_components must be at most the number of rows and of columns, {min(data.n, data.p)}; "
                f"got {self.n_components}"
            )
        unit = scaling.unit_of(data.X)
        X = data.X.astype(np.float64) * unit
        weight = np.ones(data.n) if data.weight is None else data.weight
        fit = {"irls": self._fit_irls, "ransac": self._fit_ransac, "pursuit": self._fit_pursuit}[self.method]
        middle = np.zeros(data.p) if self.method == "pursuit" else column_quantiles(X, np.array([0.5]), weight)[0]
        X = X - middle  # reduces rounding errors of large means
        mean, axes, self.weights_ = fit(X, weight, unit, trace)
        weights = weight * self.weights_
        along = (X - mean) @ axes.T
        variance = weights @ along**2 / max(float(weights.sum()), 1e-300)
        dtype = data.X.dtype
        self.mean_, self.components_ = ((middle + mean) / unit).astype(dtype), axes.astype(dtype)
        self.explained_variance_ = (variance / unit / unit).astype(dtype)
        self.scale_ = float(self.scale_ / unit)
        self.n_iter_ = trace.iterations

    def _fit_irls(self, X: Array, weight: Array, unit: float, trace: Trace) -> tuple[Array, Array, Array]:
        start, scale = _robust_start(X, weight, self.n_components), None if self.scale is None else self.scale * unit
        if scale is None:
            start, scale = _estimate_scale(X, weight, self.n_components, start)
        self.scale_ = scale
        method = _Reweighting(X, weight, scale, self.n_components, start, self.tol)
        state = iterate(method, self.max_iter, trace)
        last = trace.rows[-1]["criterion"]
        trace.certify("change", last, self.tol, "relative change of the reconstruction in the last iteration")
        return state["mean"], state["axes"], state["row_weights"]

    def _fit_ransac(self, X: Array, weight: Array, unit: float, trace: Trace) -> tuple[Array, Array, Array]:
        if self.scale is None:
            start = _robust_start(X, weight, self.n_components)
            self.scale_ = OUTLIER_CUTOFF * _estimate_scale(X, weight, self.n_components, start)[1]
        else:
            self.scale_ = self.scale * unit
        size = self._sample_size(int(np.count_nonzero(weight)))
        seed, probability = seed_of(self.random_state), 1 - self.confidence
        method = _Draws(X, weight, self.scale_, self.n_components, seed, probability, size, self.min_inliers)
        state = iterate(method, self.max_trials, trace)
        if self.refit:
            mean, axes = _components(X, weight * state["near"], self.n_components)
        else:
            mean, axes = _components(X[state["rows"]], np.ones(size), self.n_components)
        near = (_distances(X, mean, axes) <= self.scale_).astype(float)
        last = method.progress(state)
        if self.min_inliers is None:
            trace.certify(
                "probability of no clean draw", last.criterion, last.tolerance,
                "probability that no random sample was free of outliers, if the inliers are the clean rows",
            )  # fmt: skip
        else:
            trace.certify("missing inliers", last.criterion, last.tolerance, "inliers short of min_inliers")
        return mean, axes, near

    def _sample_size(self, rows: int) -> int:
        """Number of rows of a random sample."""
        if self.sample_size is None:
            return min(self.n_components + 1, rows)
        if not self.n_components < self.sample_size <= rows:
            raise ParameterError(
                f"RobustPCA: sample_size must be above n_components={self.n_components}, as the sample determines "
                f"their directions and the mean, and at most the number of rows, {rows}; got {self.sample_size}"
            )
        return self.sample_size

    def _fit_pursuit(self, X: Array, weight: Array, unit: float, trace: Trace) -> tuple[Array, Array, Array]:
        if not (weight == 1).all():
            raise ParameterError('RobustPCA: method="pursuit" does not support sample_weight; use "irls"')
        found = principal_component_pursuit(X, strength=self.strength, max_iter=self.max_iter, trace=trace)
        self.low_rank_, self.sparse_, self.scale_ = found.low_rank / unit, found.sparse / unit, unit
        clean = (found.sparse == 0).mean(axis=1)
        mean, axes = _components(found.low_rank, weight, self.n_components)
        return mean, axes, clean

    def _mean(self) -> Array:
        return self.mean_


@dataclass(frozen=True)
class _Reweighting:
    """Iteratively reweighted components: weights by the distances of the rows."""

    X: Array
    weight: Array
    scale: float
    count: int
    initial: tuple[Array, Array]
    tolerance: float

    def start(self) -> State:
        mean, axes = self.initial
        return {
            "mean": mean,
            "axes": axes,
            "row_weights": self._row_weights(mean, axes),
            "change": np.inf,
            "loss": np.inf,
        }

    def step(self, state: State) -> State:
        give_way()
        mean, axes = _components(self.X, self.weight * state["row_weights"], self.count)
        before = _fitted(self.X, state["mean"], state["axes"])
        after = _fitted(self.X, mean, axes)
        weights = np.sqrt(self.weight * state["row_weights"])[:, None]
        size = float(np.linalg.norm(weights * (after - mean)))
        change = float(np.linalg.norm(weights * (after - before))) / (size or 1.0)
        off = _distances(self.X, mean, axes) / self.scale
        loss = 0.5 * self.scale**2 * float(self.weight @ np.log1p(off**2)) / float(self.weight.sum())
        row_weights = self._row_weights(mean, axes)
        return {"mean": mean, "axes": axes, "row_weights": row_weights, "change": change, "loss": loss}

    def progress(self, state: State) -> Progress:
        return Progress(state["loss"], state["change"], self.tolerance)

    def _row_weights(self, mean: Array, axes: Array) -> Array:
        return np.asarray(1 / (1 + (_distances(self.X, mean, axes) / self.scale) ** 2))


@dataclass(frozen=True)
class _Draws:
    """RANSAC: components of random samples of rows; those with most inliers are kept.

    The draws end when `min_inliers` are reached, or without such a number when a clean sample was probable enough.
    """

    X: Array
    weight: Array
    scale: float
    count: int
    seed: int
    probability: float
    size: int
    min_inliers: float | None

    def start(self) -> State:
        return {"near": np.zeros(len(self.X)), "share": 0.0, "draws": 0, "rows": np.arange(self.size)}

    def step(self, state: State) -> State:
        give_way()
        probabilities, draw = self.weight / self.weight.sum(), state["draws"]
        chosen = generator(self.seed, draw).choice(len(self.X), self.size, replace=False, p=probabilities)
        near = _distances(self.X, *_components(self.X[chosen], np.ones(self.size), self.count)) <= self.scale
        fraction = min(float(probabilities @ near), 1.0)  # a sum of fractions may be rounded up
        if fraction > state["share"]:
            return {"near": near.astype(float), "share": fraction, "draws": draw + 1, "rows": chosen}
        return {**state, "draws": draw + 1}

    def progress(self, state: State) -> Progress:
        if self.min_inliers is not None:
            missing = max(self.min_inliers - state["share"] * float(self.weight.sum()) * (1 + 1e-12), 0.0)
            return Progress(1 - state["share"], missing, 0.0)
        missed = probability_of_no_clean_sample(state["share"], self.size, state["draws"])
        return Progress(1 - state["share"], missed, self.probability)


def _components(X: Array, weight: Array, count: int) -> tuple[Array, Array]:
    """Weighted mean and principal directions."""
    rows = CentredRows.of(X, weight)
    axes = whole_spectrum(rows).vectors[:count]
    short = count - len(axes)
    return rows.mean / rows.unit, np.pad(axes, ((0, short), (0, 0)))


def _robust_start(X: Array, weight: Array, count: int) -> tuple[Array, Array]:
    """Spatial sign PCA: column medians, and components of the directions of the rows from there."""
    centre = column_quantiles(X, np.array([0.5]), weight)[0]
    centred = X - centre
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    directions = np.divide(centred, lengths, where=lengths > 0, out=np.zeros_like(centred))
    axes = whole_spectrum(CentredRows.of(directions, weight, centre=False)).vectors[:count]
    return centre, axes


def _estimate_scale(
    X: Array, weight: Array, count: int, start: tuple[Array, Array]
) -> tuple[tuple[Array, Array], float]:
    """A better start, and the scale distance of the bulk from it: as long as each makes the other smaller."""
    least = MIN_DISTANCE * float(np.abs(X).max(initial=0.0)) or 1.0
    scale = max(NORMAL * _median(_distances(X, *start), weight), least)
    for _ in range(ROUNDS):
        method = _Reweighting(X, weight, scale, count, start, 0.0)
        state = method.start()
        for _ in range(STEPS):
            state = method.step(state)
        start = state["mean"], state["axes"]
        before, scale = scale, max(NORMAL * _median(_distances(X, *start), weight), least)
        if scale > 0.9 * before:
            break
    return start, scale


def _median(values: Array, weight: Array) -> float:
    return float(quantiles(values, np.array([0.5]), weight)[0])


def _fitted(X: Array, mean: Array, axes: Array) -> Array:
    return np.asarray(mean + (X - mean) @ axes.T @ axes)


def _distances(X: Array, mean: Array, axes: Array) -> Any:
    """Distances of the rows from the subspace of the components."""
    return np.linalg.norm(X - _fitted(X, mean, axes), axis=1)
