"""Emissions of targets that depend linearly on inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from ...engines.generative.component_covariances import draw_normal, ill_defined
from ...engines.iterate import State

EMPTY = 1e-12  # fraction of the rows below which a state keeps its parameters


@dataclass(frozen=True)
class RegressionEmissions:
    """Normal targets, the last `targets` columns, whose means are linear in the other columns.

    Rows with a missing entry say nothing about their state: they are the rows that later ones are conditioned on.
    `floor` is a variance added to every target; `alpha` the weight of the penalty of squared coefficients.
    """

    targets: int
    floor: float
    alpha: float
    owner: str

    names = ("coefficients", "covariances")

    def _split(self, X: Array) -> tuple[Array, Array, Array]:
        """Complete rows, their inputs with a column of ones, and their targets."""
        whole = np.asarray(~np.isnan(X).any(axis=1))
        inputs = X[whole, : X.shape[1] - self.targets]
        return whole, np.column_stack([np.ones(len(inputs)), inputs]), X[whole, X.shape[1] - self.targets :]

    def initial(self, X: Array, heavy: Array, rng: np.random.Generator) -> State:
        """Least squares for responsibilities that are mixed with random ones."""
        inputs = self._split(X)[1]
        mixed = heavy + 0.2 * rng.dirichlet(np.ones(heavy.shape[1]), len(X))
        K, d = heavy.shape[1], self.targets
        nothing = {"coefficients": np.zeros((K, d, inputs.shape[1])), "covariances": np.repeat(np.eye(d)[None], K, 0)}
        return self.maximise(X, mixed, nothing, frozenset(self.names))

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log normal densities of the targets; 0 for rows with a missing entry."""
        whole, inputs, targets = self._split(X)
        found = np.zeros((len(X), len(parameters["coefficients"])))
        for k, (coefficients, covariance) in enumerate(
            zip(parameters["coefficients"], parameters["covariances"], strict=True)
        ):
            try:
                lower = np.linalg.cholesky(covariance)
            except np.linalg.LinAlgError:
                raise ill_defined(self.owner) from None
            inverse = np.linalg.solve(lower, np.eye(len(lower)))
            turned = (targets - inputs @ coefficients.T) @ inverse.T
            logs = 2 * np.log(np.diag(lower)).sum() + self.targets * np.log(2 * np.pi)
            found[whole, k] = -0.5 * ((turned**2).sum(axis=1) + self.floor * (inverse**2).sum() + logs)
        return found

    def maximise(self, X: Array, heavy: Array, parameters: State, update: frozenset[str]) -> State:
        """Weighted least squares with a small ridge penalty; a state without weight keeps its parameters."""
        whole, inputs, targets = self._split(X)
        coefficients, covariances = (parameters[name].copy() for name in self.names)
        weights = heavy[whole]
        for k, weight in enumerate(weights.T):
            total = weight.sum()
            if not total > EMPTY * max(float(weights.sum()), 1e-300):
                continue
            if "coefficients" in update:
                coefficients[k] = self._least_squares(inputs, targets, weight, covariances[k])
            if "covariances" in update:
                residual = targets - inputs @ coefficients[k].T
                scatter = (weight[:, None] * residual).T @ residual / total
                if self.floor == 0 and (np.diag(scatter) <= self._rounding(targets) ** 2).any():
                    raise ill_defined(self.owner)
                covariances[k] = scatter + max(self.floor, 1e-300) * np.eye(self.targets)
        return {"coefficients": coefficients, "covariances": covariances}

    @staticmethod
    def _rounding(targets: Array) -> Array:
        """Residuals of a state without error: as many rows as coefficients, whose likelihood has no maximum."""
        return np.asarray(16 * EPSILON * np.abs(targets).max(axis=0, initial=0.0))

    def _least_squares(self, inputs: Array, targets: Array, weight: Array, covariance: Array) -> Array:
        """argmax of the expected log density minus alpha |B|^2 / 2, for B without its intercepts."""
        q, d = inputs.shape[1], self.targets
        penalty = np.full(q, self.alpha)
        penalty[0] = 1e-12 * weight.sum()
        gram, cross = (weight[:, None] * inputs).T @ inputs, (weight[:, None] * inputs).T @ targets
        precision = np.linalg.inv(covariance)
        system = np.kron(precision, gram) + np.kron(np.eye(d), np.diag(penalty))
        right = (cross @ precision).T.ravel()
        return np.asarray(np.linalg.lstsq(system, right, rcond=None)[0].reshape(d, q))

    def log_prior(self, parameters: State) -> float:
        """Minus half of the penalty of the coefficients."""
        return float(-0.5 * self.alpha * (parameters["coefficients"][:, :, 1:] ** 2).sum())

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Residuals drawn in a state; their means depend on inputs."""
        covariance = parameters["covariances"][state]
        return draw_normal(rng, np.zeros(self.targets), covariance, count, self.owner)

    def free_parameters(self, parameters: State) -> int:
        """Coefficients, and the entries of the covariances."""
        return int(
            parameters["coefficients"].size + len(parameters["coefficients"]) * self.targets * (self.targets + 1) // 2
        )
