"""Generalised and improved iterative scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way
from ...engines.iterate import Progress, State
from .constraints import Constraints

NEWTON_STEPS = 60


@dataclass(frozen=True)
class IterativeScaling:
    """Weights raised until the model has the expectations of the data; no iteration raises the dual objective.

    Each weight moves by the root d of  expected = sum over rows and classes of p f exp(d f#) + alpha (w + d), where f#
    is the sum of the features of the row: improved scaling takes that of each row, generalised scaling its maximum.
    [Darroch and Ratcliff, 1972; Della Pietra et al., 1997]
    """

    problem: Constraints
    improved: bool
    tolerance: float

    def start(self) -> State:
        """Weights of zero: the uniform distribution."""
        return self._at(np.zeros(self.problem.shape))

    def step(self, state: State) -> State:
        """One update of all weights."""
        weights = state["x"].reshape(self.problem.shape)
        probabilities, _ = self.problem.probabilities(weights)
        sums = self.problem.X.sum(axis=1)
        if self.improved:
            moves = np.stack([self._move(j, weights[j], probabilities, sums) for j in range(len(weights))])
        else:
            expectations = self.problem.model_expectations(probabilities)
            moves = self._roots(weights, self.problem.expected, expectations[None], np.array([sums.max()]))
        return self._at(weights + np.where(self.problem.used, moves, 0.0))

    def progress(self, state: State) -> Progress:
        """The largest violation of a constraint."""
        return Progress(state["objective"], float(np.abs(state["gradient"]).max(initial=0.0)), self.tolerance)

    def _at(self, weights: Array) -> State:
        give_way()
        probabilities, objective = self.problem.probabilities(weights)
        gradient = self.problem.gradient(weights, self.problem.model_expectations(probabilities))
        return {"x": weights.ravel(), "objective": objective, "gradient": gradient.ravel()}

    def _move(self, j: int, weights: Array, probabilities: Array, sums: Array) -> Array:
        """The moves of the weights of feature j, by improved scaling."""
        mass = probabilities * (self.problem.weight * self.problem.X[:, j])[:, None]
        present = self.problem.X[:, j] > 0
        return self._roots(weights, self.problem.expected[j], mass[present], sums[present])

    def _roots(self, weights: Array, expected: Array, mass: Array, sums: Array) -> Array:
        """d with sum_i mass_i exp(d sums_i) + alpha (w + d) = expected, by Newton's method from above.

        The left side is convex and increasing in d, so steps from a point beyond the root never pass it.
        """
        alpha, power = self.problem.alpha, sums.reshape(-1, *[1] * weights.ndim)
        total = mass.sum(axis=0)
        least = float(sums[sums > 0].min(initial=np.inf))
        if not np.isfinite(least):
            return np.zeros(weights.shape)
        target = expected - alpha * weights
        with np.errstate(divide="ignore", over="ignore"):
            above = np.log(np.maximum(target, total) / np.maximum(total, 1e-300)) / least
        found = np.where(total > 0, np.minimum(above, 50.0 / float(sums.max())), 0.0)
        for _ in range(NEWTON_STEPS):
            terms = mass * np.exp(power * found)
            value = terms.sum(axis=0) + alpha * found - target
            rate = (power * terms).sum(axis=0) + alpha
            change = np.where(rate > 0, value / np.where(rate > 0, rate, 1.0), 0.0)
            found = found - np.clip(change, -20.0 / least, 20.0 / least)
            if np.abs(change).max(initial=0.0) <= 1e-12 * (1 + np.abs(found).max(initial=0.0)):
                break
        return np.asarray(found)
