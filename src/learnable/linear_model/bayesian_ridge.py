"""Ridge regression whose strength is the most probable one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, Data, estimator, learned, param
from ..core.numeric import EPSILON, HUGE, TINY
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.principal_axes import Axes
from ..engines.iterate import Progress, State
from ..engines.standardised import Units
from ._bayes.evidence import Evidence, Found, Gamma, progress, target_variance
from ._bayes.evidence_regressor import EvidenceRegressor


@estimator
class BayesianRidge(EvidenceRegressor):
    """Ridge regression that finds noise and shrinkage itself, by making the data as probable as they can be.

    maximise over alpha, lambda    log integral N(y | Xw + b, I / alpha) N(w | 0, I / lambda) dw  +  log priors

    The mean of w given both is ridge with strength lambda / alpha, and its covariance tells how sure a prediction is.
    One eigen-decomposition serves all iterations (MacKay's updates), each of which costs a sum over the columns.
    [MacKay, 1992; Tipping, 2001]

    >>> model = BayesianRidge().fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [0.0, 1.0, 2.0])
    >>> mean, deviation = model.predict([[1.0, 1.0]], return_std=True)
    >>> mean.round(3), bool(deviation < 0.01)
    (array([1.]), True)
    """

    alpha_init: float | None = param(None, "first alpha; one over the variance of y if None", at_least=0)
    lambda_init: float | None = param(None, "first lambda; 1 if None", at_least=0)
    lambda_: float = learned("precision of the weights")
    sigma_: Array = learned("covariance of the weights", shape="features features")
    scores_: Array = learned(
        "log evidence before each iteration and at the end; empty unless asked for", shape="scores"
    )

    reference = "MacKay, Bayesian interpolation, Neural Computation 4, 1992"

    def _evidence(self, data: Data) -> Evidence:
        return Shrinkage.of(self, data, Axes.of(data, self.fit_intercept))

    def _uncertain(self) -> slice:
        return slice(None)


def _covariance(axes: Axes, noise: float, spread: float, features: int) -> Array:
    """The covariance of the weights: what the data say along the axes, and the prior alone elsewhere."""
    vectors = axes.vectors
    seen: Array = interruptibly(np.matmul, vectors / (noise * axes.squares + spread), vectors.T)
    return (
        seen
        if len(axes.squares) == features
        else seen + (np.eye(features) - interruptibly(np.matmul, vectors, vectors.T)) / spread
    )


@dataclass(frozen=True, slots=True)
class Placed:
    """The mean of the weights along the axes, the error it leaves, and how many axes it really uses."""

    place: Array
    squares: float
    used: float


@dataclass(frozen=True, slots=True)
class Shrinkage:
    """MacKay's updates as a method of the common loop, in the basis where nothing couples."""

    axes: Axes
    features: int
    noise_prior: Gamma
    spread_prior: Gamma
    start_at: tuple[float, float]
    tol: float

    @classmethod
    def of(cls, model: BayesianRidge, data: Data, axes: Axes) -> Shrinkage:
        """In the units of the axes, which may have been scaled."""
        units = axes.units
        square_y, ratio = units.scale_y**2, units.scale_y / units.scale_x
        first_noise = 1 / (target_variance(data) + EPSILON)
        noise = (first_noise if model.alpha_init is None else model.alpha_init) / square_y
        spread = (1.0 if model.lambda_init is None else model.lambda_init) / ratio / ratio
        start = float(np.clip(noise, TINY, HUGE)), float(np.clip(spread, TINY, HUGE))
        noise_prior = Gamma(model.alpha_1, min(model.alpha_2 * square_y, HUGE))
        spread_prior = Gamma(model.lambda_1, min(model.lambda_2 * ratio * ratio, HUGE))
        return cls(axes, data.p, noise_prior, spread_prior, start, model.tol)

    @property
    def units(self) -> Units:
        """Those of the axes."""
        return self.axes.units

    def found(self, state: State) -> Found:
        """The weights under the last precisions."""
        noise, spread = state["alpha"], state["lambda_"]
        now = self.place(noise, spread)
        coef, sigma = self.axes.coefficients(now.place), _covariance(self.axes, noise, spread, self.features)
        gradient, score = self.gradient(noise, spread, now), self.log_evidence(noise, spread, now)
        return Found(noise, spread, coef, sigma, gradient, [score])

    def start(self) -> State:
        """Precisions as they are at first."""
        noise, spread = self.start_at
        nowhere = np.full(len(self.axes.squares), np.nan)
        return {
            "alpha": noise,
            "lambda_": spread,
            "place": nowhere,
            "change": np.inf,
            "score": -np.inf,
            "size": 0.0,
            "gradient": np.inf,
        }

    def step(self, state: State) -> State:
        """The mean under the present precisions, then the precisions that suit it."""
        noise, spread = state["alpha"], state["lambda_"]
        now = self.place(noise, spread)
        weight = self.axes.units.weight
        known = bool(np.isfinite(state["place"]).all())
        return {
            "alpha": self.noise_prior.update(weight - now.used, now.squares),
            "lambda_": self.spread_prior.update(now.used, float(now.place @ now.place)),
            "place": now.place, "score": self.log_evidence(noise, spread, now),
            "change": self.size(now.place - state["place"]) if known and state["score"] > -np.inf else np.inf,
            "size": self.size(now.place), "gradient": self.gradient(noise, spread, now),
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """How steep the evidence was before the last update, and how far that moved the coefficients."""
        return progress(state, -state["score"], self.tol, alpha=state["alpha"], **{"lambda": state["lambda_"]})

    def gradient(self, noise: float, spread: float, at: Placed) -> float:
        """Length, per row, of the gradient of the log evidence by the logarithms of both precisions."""
        weight = self.axes.units.weight
        by_noise = self.noise_prior.slope(noise, weight - at.used, at.squares)
        by_spread = self.spread_prior.slope(spread, at.used, float(at.place @ at.place))
        return float(np.hypot(by_noise, by_spread)) / weight

    def size(self, place: Array) -> float:
        """Sum of the sizes of the coefficients at a place, in the units of the data."""
        units = self.axes.units
        return float(np.abs(self.axes.coefficients(place)).sum()) * (units.scale_x / units.scale_y)

    def place(self, noise: float, spread: float) -> Placed:
        """The mean of the weights given both precisions."""
        axes = self.axes
        shrink = noise * axes.squares / (spread + noise * axes.squares)
        left = (spread / (spread + noise * axes.squares)) * axes.along
        return Placed(shrink * axes.along / np.sqrt(axes.squares), axes.rest + float(left @ left), float(shrink.sum()))

    def log_evidence(self, noise: float, spread: float, at: Placed) -> float:
        """Log probability of the targets and of both precisions, up to what the priors alone decide."""
        weight, unseen = self.axes.units.weight, self.features - len(self.axes.squares)
        determinant = np.log(spread + noise * self.axes.squares).sum() + unseen * np.log(spread)
        fit = self.features * np.log(spread) + weight * np.log(noise) - determinant - weight * np.log(2 * np.pi)
        squared_error = noise * at.squares + spread * float(at.place @ at.place)
        priors = self.noise_prior.log_density(noise) + self.spread_prior.log_density(spread)
        return float(priors + (fit - squared_error) / 2)
