"""Bayesian ridge regression by evidence maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, Data, estimator, learned, param
from ..core.numeric import EPSILON, HUGE, TINY
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.principal_axes import Axes
from ..engines.iterate import Progress, State
from ..engines.standardised import Units
from ._bayes.evidence import EvidenceFit, EvidenceMaximisation, GammaPrior, progress, target_variance
from ._bayes.evidence_regressor import EvidenceRegressor


@estimator
class BayesianRidge(EvidenceRegressor):
    """Bayesian ridge regression, whose noise and weight precisions maximise the evidence.

    maximise over alpha, lambda    log integral N(y | Xw + b, I / alpha) N(w | 0, I / lambda) dw  +  log priors

    The mean of w given both is that of ridge regression with penalty lambda / alpha; its covariance gives the
    predictive variance. One eigen-decomposition serves all iterations (MacKay's updates), each of which costs a sum
    over the columns. [MacKay, 1992; Tipping, 2001]

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
        "log evidence before each iteration and at the end; empty unless compute_score", shape="scores"
    )

    title = "Bayesian ridge regression"
    reference = "MacKay, Bayesian interpolation, Neural Computation 4, 1992"

    def _evidence(self, data: Data) -> EvidenceMaximisation:
        return RidgeUpdates.of(self, data, Axes.of(data, self.fit_intercept))

    def _uncertain(self) -> slice:
        return slice(None)


def _covariance(axes: Axes, noise: float, spread: float, features: int) -> Array:
    """The covariance of the weights: the posterior along the axes, and the prior elsewhere."""
    vectors = axes.vectors
    seen: Array = interruptibly(np.matmul, vectors / (noise * axes.squares + spread), vectors.T)
    return (
        seen
        if len(axes.squares) == features
        else seen + (np.eye(features) - interruptibly(np.matmul, vectors, vectors.T)) / spread
    )


@dataclass(frozen=True, slots=True)
class PosteriorMean:
    """The posterior mean along the axes, its squared error, and the effective number of parameters."""

    mean: Array
    squares: float
    used: float


@dataclass(frozen=True, slots=True)
class RidgeUpdates:
    """MacKay's updates as a method of `iterate`, in the basis of the principal axes."""

    axes: Axes
    features: int
    noise_prior: GammaPrior
    spread_prior: GammaPrior
    start_at: tuple[float, float]
    tol: float

    @classmethod
    def of(cls, model: BayesianRidge, data: Data, axes: Axes) -> RidgeUpdates:
        """In the units of the axes, which may have been scaled."""
        units = axes.units
        square_y, ratio = units.scale_y**2, units.scale_y / units.scale_x
        first_noise = 1 / (target_variance(data) + EPSILON)
        noise = (first_noise if model.alpha_init is None else model.alpha_init) / square_y
        spread = (1.0 if model.lambda_init is None else model.lambda_init) / ratio / ratio
        start = float(np.clip(noise, TINY, HUGE)), float(np.clip(spread, TINY, HUGE))
        noise_prior = GammaPrior(model.alpha_1, min(model.alpha_2 * square_y, HUGE))
        spread_prior = GammaPrior(model.lambda_1, min(model.lambda_2 * ratio * ratio, HUGE))
        return cls(axes, data.p, noise_prior, spread_prior, start, model.tol)

    @property
    def units(self) -> Units:
        """Those of the axes."""
        return self.axes.units

    def found(self, state: State) -> EvidenceFit:
        """The weights under the last precisions."""
        noise, spread = state["alpha"], state["lambda_"]
        now = self.posterior_mean(noise, spread)
        coef, sigma = self.axes.coefficients(now.mean), _covariance(self.axes, noise, spread, self.features)
        gradient, score = self.gradient(noise, spread, now), self.log_evidence(noise, spread, now)
        return EvidenceFit(noise, spread, coef, sigma, gradient, [score])

    def start(self) -> State:
        """The initial precisions."""
        noise, spread = self.start_at
        nowhere = np.full(len(self.axes.squares), np.nan)
        return {
            "alpha": noise,
            "lambda_": spread,
            "mean": nowhere,
            "change": np.inf,
            "score": -np.inf,
            "size": 0.0,
            "gradient": np.inf,
        }

    def step(self, state: State) -> State:
        """The posterior mean, then the updated precisions."""
        noise, spread = state["alpha"], state["lambda_"]
        now = self.posterior_mean(noise, spread)
        weight = self.axes.units.weight
        known = bool(np.isfinite(state["mean"]).all())
        return {
            "alpha": self.noise_prior.update(weight - now.used, now.squares),
            "lambda_": self.spread_prior.update(now.used, float(now.mean @ now.mean)),
            "mean": now.mean, "score": self.log_evidence(noise, spread, now),
            "change": self.size(now.mean - state["mean"]) if known and state["score"] > -np.inf else np.inf,
            "size": self.size(now.mean), "gradient": self.gradient(noise, spread, now),
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The gradient of the evidence before the last update, and the change of the coefficients."""
        return progress(state, -state["score"], self.tol, alpha=state["alpha"], **{"lambda": state["lambda_"]})

    def gradient(self, noise: float, spread: float, at: PosteriorMean) -> float:
        """Length, per row, of the gradient of the log evidence by the logarithms of both precisions."""
        weight = self.axes.units.weight
        by_noise = self.noise_prior.gradient(noise, weight - at.used, at.squares)
        by_spread = self.spread_prior.gradient(spread, at.used, float(at.mean @ at.mean))
        return float(np.hypot(by_noise, by_spread)) / weight

    def size(self, mean: Array) -> float:
        """The l1 norm of the coefficients, in the units of the data."""
        units = self.axes.units
        return float(np.abs(self.axes.coefficients(mean)).sum()) * (units.scale_x / units.scale_y)

    def posterior_mean(self, noise: float, spread: float) -> PosteriorMean:
        """The mean of the weights given both precisions."""
        axes = self.axes
        shrink = noise * axes.squares / (spread + noise * axes.squares)
        left = (spread / (spread + noise * axes.squares)) * axes.along
        return PosteriorMean(
            shrink * axes.along / np.sqrt(axes.squares), axes.rest + float(left @ left), float(shrink.sum())
        )

    def log_evidence(self, noise: float, spread: float, at: PosteriorMean) -> float:
        """Log probability of the targets and of both precisions, up to a constant of the priors."""
        weight, unseen = self.axes.units.weight, self.features - len(self.axes.squares)
        determinant = np.log(spread + noise * self.axes.squares).sum() + unseen * np.log(spread)
        fit = self.features * np.log(spread) + weight * np.log(noise) - determinant - weight * np.log(2 * np.pi)
        squared_error = noise * at.squares + spread * float(at.mean @ at.mean)
        priors = self.noise_prior.log_density(noise) + self.spread_prior.log_density(spread)
        return float(priors + (fit - squared_error) / 2)
