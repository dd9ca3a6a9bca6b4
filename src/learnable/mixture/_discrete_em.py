"""Expectation and maximisation for components whose columns are independent and take few values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.em import responsibilities_and_likelihood
from ..engines.iterate import State


@dataclass(frozen=True)
class IndicatorSteps:
    """Steps for rows as indicators of values, a group of them for each column; a gap has no indicator set.

    `alpha` counts made-up rows in which all values of a column are equally common, so that no probability is zero: the
    likelihood counts them too, as a prior.
    """

    indicators: Array
    groups: Array
    weight: Array
    alpha: float

    def improve(self, parameters: State) -> tuple[State, float]:
        """Better components, and the mean log likelihood, prior included, of those given."""
        posterior, logs = responsibilities_and_likelihood(log_joint(self.indicators, parameters))
        rows = self.weight.sum()
        likelihood = float(self.weight @ logs / rows) + self._prior(parameters) / float(rows)
        return self.maximised(posterior), likelihood

    def maximised(self, posterior: Array) -> State:
        """Weights and probabilities of values that are likeliest for a posterior, and of a value that no row had."""
        heavy = posterior * self.weight[:, None]
        counts = heavy.T @ self.indicators + self.alpha
        totals = np.stack([np.bincount(self.groups, row) for row in counts])
        sums = totals[:, self.groups]
        total = heavy.sum(axis=0) + 10 * np.finfo(np.float64).eps
        values = np.divide(counts, sums, where=sums > 0, out=np.full(counts.shape, 0.5))
        return {"weights": total / total.sum(), "values": values, "rare": self.alpha / np.maximum(totals, 1e-300)}

    def _prior(self, parameters: State) -> float:
        return self.alpha * float(np.log(parameters["values"]).sum()) if self.alpha > 0 else 0.0


def log_joint(indicators: Array, parameters: State) -> Array:
    """Log of weight times probability of the values that are there, a column for each component."""
    logs = np.log(np.maximum(parameters["values"], 1e-300))
    return np.asarray(np.log(np.maximum(parameters["weights"], 1e-300)) + indicators @ logs.T)
