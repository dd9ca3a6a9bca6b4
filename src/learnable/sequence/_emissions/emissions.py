"""The interface of emission distributions."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ...core import Array
from ...engines.iterate import State


class Emissions(Protocol):
    """The distribution of a row given its hidden state; parameters are arrays with a row per state.

    `weights` are posteriors of the states times weights of the rows. Missing entries (NaN) are integrated out.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Initial parameters for initial posteriors of the states."""

    def log_density(self, X: Array, parameters: State) -> Array:
        """The log density of each row, a column per state."""

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """M-step: the parameters in `update` that maximise the expected log density plus `log_prior`."""

    def log_prior(self, parameters: State) -> float:
        """The log prior density of the parameters, up to a constant."""

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows drawn in one state."""

    def free_parameters(self, parameters: State) -> int:
        """The number of free parameters."""


def normalised(counts: Array, before: Array) -> Array:
    """Rows of counts as probabilities; a row without counts stays as it was before."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), before)


def posterior_counts(counts: Array, prior: Array | float, before: Array) -> Array:
    """The mode of a Dirichlet posterior for these counts; probabilities of zero stay zero."""
    return normalised(np.where(before > 0, np.maximum(counts + prior - 1, 0.0), 0.0), before)


def log_dirichlet(probabilities: Array, prior: Array | float) -> float:
    """The log density of a Dirichlet prior, up to a constant; zero probabilities are structural and do not count."""
    weight = np.broadcast_to(np.asarray(prior, dtype=np.float64) - 1, probabilities.shape)
    counted = (probabilities > 0) & (weight != 0)
    return float((weight[counted] * np.log(probabilities[counted])).sum())
