"""Automatic relevance determination regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core import Array, Data, estimator, learned, param
from ..core.numeric import EPSILON, HUGE, TINY
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.iterate import Progress, State
from ..engines.minimise.least_squares.normal_equations import NormalEquations
from ..engines.minimise.least_squares.select_solver import MAX_CONDITION_OF_NORMAL_EQUATIONS
from ..engines.standardised import Centred, Units
from ._bayes.evidence import EvidenceFit, EvidenceMaximisation, GammaPrior, progress, target_variance
from ._bayes.evidence_regressor import EvidenceRegressor

SINGULAR = 1e14  # condition number above which a pseudo-inverse is used


@estimator
class ARDRegression(EvidenceRegressor):
    """Automatic relevance determination regression: Bayesian linear regression with a precision for each weight.

    maximise over alpha, lambda_j    log integral N(y | Xw + b, I / alpha) prod_j N(w_j | 0, 1 / lambda_j) dw + priors

    Weights whose precision exceeds threshold_lambda are pruned. An iteration costs the cube of the number of
    columns that are left, or less if there are fewer rows. [MacKay, 1994; Tipping, 2001]

    >>> X = [[0.0, 0.3], [1.0, -0.1], [2.0, 0.2], [3.0, -0.4], [4.0, 0.1]]
    >>> ARDRegression().fit(X, [0.0, 1.0, 2.0, 3.0, 4.0]).coef_.round(3) + 0.0
    array([1., 0.])
    """

    threshold_lambda: float = param(
        1e4, "precision above which a weight is pruned to zero; inf: none", at_least=0, infinite=True
    )
    lambda_: Array = learned("precision of each weight", shape="features")

    title = "automatic relevance determination regression"
    reference = "Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1, 2001"

    def _evidence(self, data: Data) -> EvidenceMaximisation:
        return RelevanceUpdates.of(self, data, Centred.of(data.X, data.y, data.weight, self.fit_intercept))

    def _uncertain(self) -> Array:
        return self.lambda_ < self.threshold_lambda


@dataclass(frozen=True, slots=True)
class WeightPosterior:
    """The posterior of the weights: mean of all, covariance of those kept, and their effective number of parameters.

    The covariance is computed on demand. `squares` is the residual sum of squares of the mean, `volume` the log
    determinant of the covariance.
    """

    coef: Array
    sigma: Callable[[], Array]
    used: Array
    squares: float
    volume: float


@dataclass(frozen=True, slots=True)
class RelevanceUpdates:
    """MacKay's updates of a precision per weight, as a method of `iterate`."""

    ready: Centred
    gram: Array | None
    noise_prior: GammaPrior
    weight_prior: GammaPrior
    start_at: tuple[float, float]
    threshold: float
    tol: float

    @classmethod
    def of(cls, model: ARDRegression, data: Data, ready: Centred) -> RelevanceUpdates:
        """In the units of `ready`, which may have been scaled."""
        units = ready.units
        square_y, ratio = units.scale_y**2, units.scale_y / units.scale_x
        noise = float(np.clip(1 / (target_variance(data) + EPSILON) / square_y, TINY, HUGE))
        first, threshold = (float(np.clip(v / ratio / ratio, TINY, HUGE)) for v in (1.0, model.threshold_lambda))
        noise_prior = GammaPrior(model.alpha_1, min(model.alpha_2 * square_y, HUGE))
        weight_prior = GammaPrior(model.lambda_1, min(model.lambda_2 * ratio * ratio, HUGE))
        columns, rows = ready.columns.shape
        gram = interruptibly(np.matmul, ready.columns, ready.columns.T) if rows >= columns else None
        return cls(ready, gram, noise_prior, weight_prior, (noise, first), threshold, model.tol)

    @property
    def units(self) -> Units:
        """Those of the prepared data."""
        return self.ready.units

    def found(self, state: State) -> EvidenceFit:
        """The weights under the last precisions; the objective was recorded with each of them."""
        noise, lambdas = state["alpha"], state["lambdas"]
        now = self.posterior(noise, lambdas, state["kept"])
        return EvidenceFit(noise, lambdas, now.coef, now.sigma(), self.gradient(noise, lambdas, state["kept"], now), [])

    def start(self) -> State:
        """All columns in, with equal precisions."""
        noise, first = self.start_at
        count = len(self.ready.columns)
        return {
            "alpha": noise, "lambdas": np.full(count, first), "kept": np.ones(count, dtype=bool),
            "coef": np.zeros(count), "change": np.inf, "objective": 0.0, "size": 0.0, "steps": 0,
            "gradient": np.inf,
        }  # fmt: skip

    def step(self, state: State) -> State:
        """The posterior mean, then the updated precisions, then pruning."""
        kept, lambdas = state["kept"], state["lambdas"].copy()
        now = self.posterior(state["alpha"], lambdas, kept)
        coef, gradient = now.coef, self.gradient(state["alpha"], lambdas, kept, now)
        lambdas[kept] = np.clip(self.weight_prior.update(now.used, coef[kept] ** 2), TINY, HUGE)
        free = self.ready.units.weight - float(now.used.sum())
        noise = float(np.clip(self.noise_prior.update(free, now.squares), TINY, HUGE))
        left = self.kept(lambdas)
        coef[~left] = 0.0
        change = self.size(coef - state["coef"]) if state["steps"] else np.inf
        return {
            "alpha": noise, "lambdas": lambdas, "kept": left, "coef": coef, "steps": state["steps"] + 1,
            "change": change if left.any() else 0.0, "size": self.size(coef),
            "gradient": gradient if np.array_equal(left, kept) else np.inf,
            "objective": -self.score(noise, lambdas, now),
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The gradient of the evidence before the last update, and the change of the coefficients."""
        columns = float(state["kept"].sum())
        return progress(state, state["objective"], self.tol, alpha=state["alpha"], columns=columns)

    def gradient(self, noise: float, lambdas: Array, kept: Array, now: WeightPosterior) -> float:
        """Length, per row, of the gradient of the log evidence by the logarithms of the precisions that are left."""
        weight = self.ready.units.weight
        by_noise = self.noise_prior.gradient(noise, weight - float(now.used.sum()), now.squares)
        by_weights = self.weight_prior.gradient(lambdas[kept], now.used, now.coef[kept] ** 2)
        return float(np.hypot(by_noise, np.linalg.norm(by_weights))) / weight

    def kept(self, lambdas: Array) -> Array:
        """Which weights are not pruned."""
        return lambdas < self.threshold

    def size(self, coef: Array) -> float:
        """Sum of the sizes of coefficients, in the units of the data."""
        units = self.ready.units
        return float(np.abs(coef).sum()) * (units.scale_x / units.scale_y)

    def posterior(self, noise: float, lambdas: Array, kept: Array) -> WeightPosterior:
        """The weights given the precisions of the noise and of each weight."""
        coef = np.zeros(len(lambdas))
        precision = lambdas[kept]
        if not len(precision):
            target = self.ready.targets[0]
            return WeightPosterior(coef, lambda: np.empty((0, 0)), np.empty(0), float(target @ target), 0.0)
        if self.gram is not None:
            return self._by_columns(noise, precision, kept, coef)
        return self._by_rows(noise, precision, kept, coef)

    def _by_columns(self, noise: float, precision: Array, kept: Array, coef: Array) -> WeightPosterior:
        """From the Gram matrix of the kept columns."""
        columns, target = self.ready.columns, self.ready.targets[0]
        sigma = inverse(noise * self.gram[np.ix_(kept, kept)] + np.diag(precision))  # type: ignore[index]  # checked by the caller
        coef[kept] = noise * (sigma @ (columns[kept] @ target))
        residual = target - coef @ columns
        used = 1 - precision * sigma.diagonal()
        return WeightPosterior(
            coef, lambda: sigma, used, float(residual @ residual), float(interruptibly(np.linalg.slogdet, sigma)[1])
        )

    def _by_rows(self, noise: float, precision: Array, kept: Array, coef: Array) -> WeightPosterior:
        """From products of the rows of the kept columns over the roots of their precisions."""
        root, target = np.sqrt(precision), self.ready.targets[0]
        columns = self.ready.columns[kept] / root[:, None]
        kernel = interruptibly(np.matmul, columns.T, columns)
        system = NormalEquations(kernel, 1 / noise)
        if system.condition > MAX_CONDITION_OF_NORMAL_EQUATIONS:
            return self._by_singular_values(noise, precision, kept, coef)
        part, turned = system.solve(target), interruptibly(np.matmul, columns, system.inverse)
        coef[kept] = columns @ part / root
        volume = -np.log(precision).sum() - interruptibly(np.linalg.slogdet, np.eye(len(kernel)) + noise * kernel)[1]

        def sigma() -> Array:
            return np.asarray((np.eye(len(root)) - interruptibly(np.matmul, turned, columns.T)) / root / root[:, None])

        return WeightPosterior(coef, sigma, np.vecdot(turned, columns), float(part @ part) / noise**2, float(volume))

    def _by_singular_values(self, noise: float, precision: Array, kept: Array, coef: Array) -> WeightPosterior:
        """As `_by_rows`, without cancellation, at several times the cost."""
        root, target = np.sqrt(precision), self.ready.targets[0]
        vectors, spread, rows = interruptibly(
            np.linalg.svd, self.ready.columns[kept] / root[:, None], full_matrices=False
        )
        along = rows @ target
        shrinkage = noise * spread**2 / (1 + noise * spread**2)
        coef[kept] = vectors @ (noise * spread / (1 + noise * spread**2) * along) / root
        left, outside = along / (1 + noise * spread**2), target - along @ rows
        volume = -np.log(precision).sum() - np.log1p(noise * spread**2).sum()

        def sigma() -> Array:
            return np.asarray(
                (np.eye(len(root)) - interruptibly(np.matmul, vectors * shrinkage, vectors.T)) / root / root[:, None]
            )

        return WeightPosterior(
            coef, sigma, vectors**2 @ shrinkage, float(left @ left + outside @ outside), float(volume)
        )

    def score(self, noise: float, lambdas: Array, now: WeightPosterior) -> float:
        """The log evidence and priors; the covariance is that of before the last update, as in scikit-learn."""
        priors = self.weight_prior.log_density(lambdas).sum() + self.noise_prior.log_density(noise)
        fit = now.volume + self.ready.units.weight * np.log(noise) + np.log(lambdas).sum()
        return float(priors + (fit - noise * now.squares - (lambdas * now.coef**2).sum()) / 2)


def inverse(matrix: Array) -> Array:
    """The inverse of a positive definite matrix, or its pseudo-inverse if it is nearly singular."""
    system = NormalEquations(matrix, 0.0)
    if system.condition < SINGULAR:
        return system.inverse
    size = np.sqrt(matrix.diagonal())
    values, vectors = interruptibly(np.linalg.eigh, matrix / size / size[:, None])
    sound = values > len(values) * EPSILON * values[-1]
    root = vectors[:, sound] / np.sqrt(values[sound]) / size[:, None]
    return np.asarray(interruptibly(np.matmul, root, root.T))
