"""Emissions of binary targets by logistic regression on inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.iterate import State

STEPS, GAIN = 25, 1e-10  # Newton steps of an M-step, and the gain per unit of weight at which they end
HALVINGS = 30


@dataclass(frozen=True)
class LogisticEmissions:
    """Binary targets, the last `targets` columns above `threshold`, whose log odds are linear in the other columns.

    Targets are independent given the state; `alpha` is the weight of the penalty of squared coefficients.
    """

    targets: int
    threshold: float
    alpha: float

    names = ("coefficients",)

    def split(self, X: Array) -> tuple[Array, Array]:
        """Inputs with a column of ones, and targets as 0 and 1."""
        inputs = X[:, : X.shape[1] - self.targets]
        ones = (X[:, X.shape[1] - self.targets :] > self.threshold).astype(np.float64)
        return np.column_stack([np.ones(len(X)), inputs]), ones

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Regressions for responsibilities that are mixed with random ones."""
        inputs = self.split(X)[0]
        mixed = weights + 0.2 * rng.dirichlet(np.ones(weights.shape[1]), len(X))
        nothing = {"coefficients": np.zeros((weights.shape[1], self.targets, inputs.shape[1]))}
        return self.maximise(X, mixed, nothing, frozenset(self.names))

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log probabilities of the targets."""
        inputs, ones = self.split(X)
        signs = 2 * ones - 1
        logits = np.einsum("tq,kdq->ktd", inputs, parameters["coefficients"])
        return np.asarray(-np.logaddexp(0.0, -signs * logits).sum(axis=2).T)

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Weighted logistic regression in each state, from the coefficients before."""
        inputs, ones = self.split(X)
        better = parameters["coefficients"].copy()
        for k, weight in enumerate(weights.T):
            for d in range(self.targets):
                better[k, d] = logistic_fit(inputs, ones[:, d], weight, self.alpha, better[k, d])
        return {"coefficients": better}

    def log_prior(self, parameters: State) -> float:
        """Minus half of the penalty of the coefficients."""
        return float(-0.5 * self.alpha * (parameters["coefficients"] ** 2).sum())

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Logistic noise: a target is 1 where it exceeds minus the log odds, which depend on inputs."""
        return np.asarray(rng.logistic(size=(count, self.targets)))

    def free_parameters(self, parameters: State) -> int:
        """The coefficients."""
        return int(parameters["coefficients"].size)


def logistic_fit(inputs: Array, ones: Array, weight: Array, alpha: float, first: Array) -> Array:
    """Coefficients b of the largest  sum_t w_t log P(y_t | u_t' b) - alpha |b|^2 / 2,  by Newton's method.

    >>> logistic_fit(np.ones((4, 1)), np.array([1.0, 1, 1, 0]), np.ones(4), 1e-9, np.zeros(1)).round(3).tolist()
    [1.099]
    """
    signs = 2 * ones - 1

    def value(b: Array) -> float:
        return float(-weight @ np.logaddexp(0.0, -signs * (inputs @ b)) - 0.5 * alpha * b @ b)

    found, before = first, value(first)
    for _ in range(STEPS):
        p = 0.5 * (1 + np.tanh(0.5 * (inputs @ found)))
        gradient = inputs.T @ (weight * (ones - p)) - alpha * found
        curvature = (weight * p * (1 - p))[:, None] * inputs
        step = np.linalg.lstsq(inputs.T @ curvature + alpha * np.eye(len(found)), gradient, rcond=None)[0]
        length, after = 1.0, value(found + step)
        for _ in range(HALVINGS):
            if after >= before:
                break
            length /= 2
            after = value(found + length * step)
        if not after > before:
            break
        gain, before, found = after - before, after, found + length * step
        if gain <= GAIN * max(float(weight.sum()), 1e-300):
            break
    return found
