"""EM for mixtures of independent discrete columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.em import responsibilities_and_likelihood
from ..engines.iterate import State


@dataclass(frozen=True)
class IndicatorSteps:
    """EM for one-hot indicators of values, a block for each column; a missing value has no indicator set.

    `alpha` is an additive pseudo-count of every value, so that no probability is zero: a Dirichlet prior, which is part
    of the reported likelihood.
    """

    indicators: Array
    columns: Array
    weight: Array
    alpha: float

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the mean log posterior density of those given."""
        responsibilities, logs = responsibilities_and_likelihood(log_joint(self.indicators, parameters))
        rows = self.weight.sum()
        likelihood = float(self.weight @ logs / rows) + self._prior(parameters) / float(rows)
        return self.m_step(responsibilities), likelihood

    def m_step(self, responsibilities: Array) -> State:
        """Mixing weights and probabilities of values of maximum likelihood, and the probability of an unseen value."""
        weights = responsibilities * self.weight[:, None]
        counts = weights.T @ self.indicators + self.alpha
        totals = np.stack([np.bincount(self.columns, row) for row in counts])
        sums = totals[:, self.columns]
        total = weights.sum(axis=0) + 10 * np.finfo(np.float64).eps
        values = np.divide(counts, sums, where=sums > 0, out=np.full(counts.shape, 0.5))
        return {"weights": total / total.sum(), "values": values, "rare": self.alpha / np.maximum(totals, 1e-300)}

    def _prior(self, parameters: State) -> float:
        return self.alpha * float(np.log(parameters["values"]).sum()) if self.alpha > 0 else 0.0


def log_joint(indicators: Array, parameters: State) -> Array:
    """Log of mixing weight times probability of the observed values, a column for each component."""
    logs = np.log(np.maximum(parameters["values"], 1e-300))
    return np.asarray(np.log(np.maximum(parameters["weights"], 1e-300)) + indicators @ logs.T)
