"""Factor analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    Transformer,
    estimator,
    learned,
    param,
    scaling,
)
from ..core.runtime.context import give_way
from ..core.runtime.random import requested_samples, stream
from ..engines import matrix_products
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.singular_vectors import upright
from ..engines.em import run_em
from ..engines.generative.missing_patterns import find_missing_patterns, refuse_unseen_columns
from ..engines.iterate import Progress, State, iterate
from ..engines.sufficient_statistics import Moments
from ._latent_factors import FactorEM, infer
from ._projection_base import score_names
from ._rotation import Rotation, rotate

MIN_NOISE = 1e-12  # minimum noise variance


@estimator
class FactorAnalysis(Transformer):
    """Factor analysis: x = W z + m + noise with few normal factors z, and a noise variance for each column.

    maximise over W, m, psi    sum over rows of log N(x; m, W W' + diag(psi))

    For complete rows by alternating loadings and psi, each optimal given the other, on the covariance alone; rows with
    missing values (NaN) by EM over the observed entries. Unlike PCA the solution is independent of the units of the
    columns, as the noise is initialised with their variances: an initial noise that is small relative to these would
    favour factors of single columns.
    [Barber, 2012; Rubin and Thayer, 1982]

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 1)) * [1.0, 2.0, 3.0] + rng.normal(size=(500, 3)) * [0.5, 0.1, 1.0]
    >>> FactorAnalysis(n_components=1).fit(X).noise_variance_.round(1)
    array([0.3, 0. , 0.8])
    """

    n_components: int | None = param(
        None,
        "number of factors; None: number of columns",
        kw_only=False,
        at_least=0,
        tune=(2, 5, 10, 20),
        simpler="smaller",
    )
    tol: float = param(1e-2, "convergence threshold: gain of the log likelihood", at_least=0)
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    noise_variance_init: Array | None = param(None, "initial noise variances; None: variances of the columns")
    svd_method: Literal["lapack", "randomized"] = param("randomized", "accepted for compatibility; always exact")
    iterated_power: int = param(3, "accepted for compatibility", at_least=0)
    rotation: Rotation | None = param(None, "rotation of the loadings towards few large ones per factor")
    random_state: RandomState = param(0, "accepted for compatibility; the method is deterministic")
    components_: Array = learned("loadings, a row for each factor", shape="components features")
    noise_variance_: Array = learned("variance of the noise of each column", shape="features")
    mean_: Array = learned("mean of each column", shape="features")
    loglike_: list[float] = learned("log likelihood in each iteration")
    n_iter_: int = learned("number of iterations")

    traits = Traits(missing="native", stochastic=True)
    title = "factor analysis"
    reference = "Barber, Bayesian reasoning and machine learning, chapter 21, 2012"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        count = data.p if self.n_components is None else self.n_components
        given = None if self.noise_variance_init is None else np.array(self.noise_variance_init, dtype=float)
        if given is not None and given.shape != (data.p,):
            raise ParameterError(
                f"FactorAnalysis: noise_variance_init must hold a variance for each of the {data.p} columns; its shape "
                f"is {given.shape}"
            )
        if given is not None and not (given > 0).all():
            raise ParameterError("FactorAnalysis: noise_variance_init must hold variances above 0")
        if np.isnan(X).any():
            refuse_unseen_columns(X, data.names)
            W, noise, mean = self._fit_by_em(X.astype(np.float64), weight, count, trace)
        else:
            unit = scaling.unit_of(X)
            moments = Moments.of(X * X.dtype.type(unit), np.zeros((len(X), 1)), weight)
            S = moments.gram / moments.weight
            spread = np.sqrt(np.diag(S))
            spread[spread == 0] = 1.0
            S, scale = (
                S / spread / spread[:, None],
                spread / unit,
            )  # the minimum noise is relative to the variance of a column
            start = np.ones(data.p) if given is None else given / scale / scale
            method = _LoadingsAndNoise(S, moments.weight, count, start, self.tol)
            state = iterate(method, self.max_iter, trace)
            W, noise, mean = state["W"] * scale, state["noise"] * scale * scale, moments.mean_x / unit
            shift = -float(moments.weight * np.log(scale).sum())
            self.loglike_ = [shift - row["objective"] for row in trace.rows]
            trace.certify(
                "likelihood gain",
                trace.rows[-1]["criterion"],
                self.tol,
                "gain of the log likelihood in the last iteration",
            )
        W = upright(W) if self.rotation is None or not len(W) else rotate(W, self.rotation)
        noise = np.maximum(noise, np.finfo(np.float64).tiny)  # the square of tiny columns underflows
        self.components_, self.noise_variance_, self.mean_ = W, noise, mean
        self.n_iter_ = len(self.loglike_)

    def _fit_by_em(self, X: Array, weight: Array | None, count: int, trace: Trace) -> tuple[Array, Array, Array]:
        weights = np.ones(len(X)) if weight is None else weight
        present = ~np.isnan(X)
        counts = np.maximum(weights @ present, 1e-300)
        mean = weights @ np.where(present, X, 0.0) / counts
        spread = np.sqrt(weights @ np.where(present, X - mean, 0.0) ** 2 / counts)
        unit = np.where(spread > 0, spread, 1.0)
        standard = (X - mean) / unit
        start = Moments.of(np.where(present, standard, 0.0), np.zeros((len(X), 1)), weights)
        first = _LoadingsAndNoise(start.gram / start.weight, start.weight, count, np.full(X.shape[1], 0.5), 0.0)
        W = first.step(first.start())["W"]
        initial = {"mean": np.zeros(X.shape[1]), "W": W, "noise": np.full(X.shape[1], 0.5)}
        model = FactorEM(standard, weights, False, np.full(X.shape[1], MIN_NOISE), find_missing_patterns(~present))
        top = run_em(model, [initial], self.max_iter, self.tol / float(weights.sum()), trace, type(self).__name__)
        shift = float(np.log(unit) @ counts)
        self.loglike_ = [value * float(weights.sum()) - shift for value in top.likelihoods]
        found = top.parameters
        return found["W"] * unit, found["noise"] * unit**2, found["mean"] * unit + mean

    def _latent(self, X: Matrix) -> Any:
        return infer(X.astype(np.float64), self.mean_, self.components_, self.noise_variance_)

    def _transform(self, X: Matrix) -> Array:
        found: Array = self._latent(X).mean
        return found.astype(X.dtype)

    def get_covariance(self) -> Array:
        """W'W + diag(psi), for loadings W with a row per factor."""
        return np.asarray(self.components_.T @ self.components_ + np.diag(self.noise_variance_))

    def get_precision(self) -> Array:
        """The inverse of the covariance of the model."""
        weighted = self.components_ / self.noise_variance_
        inner = np.eye(len(self.components_)) + weighted @ self.components_.T
        return np.asarray(np.diag(1 / self.noise_variance_) - weighted.T @ np.linalg.solve(inner, weighted))

    def score_samples(self, X: Any) -> Array:
        """The log density of the observed entries of each row."""
        found: Array = self._latent(self._read(X)).log_density
        return found

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of the rows."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Array:
        """Rows drawn from the model."""
        count, draws = requested_samples(self, n_samples), stream(random_state)
        factors = draws.normal(size=(count, len(self.components_)))
        noise = draws.normal(size=(count, len(self.mean_))) * np.sqrt(self.noise_variance_)
        return np.asarray(factors @ self.components_ + self.mean_ + noise)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))


@dataclass(frozen=True)
class _LoadingsAndNoise:
    """Alternating loadings given the noise and noise given the loadings, by the covariance S of `rows` rows."""

    S: Array
    rows: float
    count: int
    noise: Array
    tolerance: float

    def start(self) -> State:
        return {"next": self.noise, "noise": self.noise, "W": np.zeros((0, 0)), "gain": np.inf, "likelihood": -np.inf}

    def step(self, state: State) -> State:
        give_way()
        noise = state["next"]
        root = np.sqrt(noise) + MIN_NOISE
        values, vectors = interruptibly(np.linalg.eigh, self.S / root[:, None] / root)
        values = np.maximum(values[::-1][: self.count], 1e-300)
        W = np.sqrt(np.maximum(values - 1, 0.0))[:, None] * vectors[:, ::-1].T[: self.count] * root
        rest = float((np.diag(self.S) / root**2).sum() - values.sum())
        explained = float(np.where(values > 1, np.log(values) + 1, values).sum())  # factors below the noise are dropped
        constant = len(self.S) * np.log(2 * np.pi) + float(np.log(noise).sum())
        likelihood = float(-0.5 * self.rows * (constant + explained + rest))
        return {
            "next": np.maximum(np.diag(self.S) - (W**2).sum(axis=0), MIN_NOISE),
            "noise": noise,
            "W": W,
            "gain": likelihood - state["likelihood"],
            "likelihood": likelihood,
        }

    def progress(self, state: State) -> Progress:
        gain = state["gain"]
        return Progress(-state["likelihood"], max(gain, 0.0) if np.isfinite(gain) else 1e300, self.tolerance)
