"""Variational Bayes for hidden Markov models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...core import Array
from ...engines.chain import Chain
from ...engines.iterate import State
from .._sequence_input import Sequences, forbid_states
from .baum_welch import refuse_impossible


class VariationalEmissions(Protocol):
    """The posterior of the parameters of emissions, by its hyperparameters, which are arrays by name."""

    def update(self, X: Array, heavy: Array) -> State:
        """Hyperparameters for posteriors of the states."""

    def expected_log_density(self, X: Array, posterior: State) -> Array:
        """The mean over the posterior of the log density of each row, a column per state."""

    def divergence(self, posterior: State) -> float:
        """The Kullback-Leibler divergence of the posterior from the prior."""


@dataclass(frozen=True)
class VariationalBayes:
    """Coordinate ascent of the evidence lower bound, over the posteriors of the states and of the parameters."""

    data: Sequences
    weight: Array
    states: Array | None
    emissions: VariationalEmissions
    priors: State  # Dirichlet: "startprob", (states,), and "transmat", (states, states)
    owner: str

    @property
    def rows(self) -> float:
        """The number of rows, each as often as its sequence counts."""
        return float(self.weight @ self.data.lengths)

    def initial(self, heavy: Array, rng: np.random.Generator) -> State:
        """Posteriors of the parameters for initial responsibilities, with random transitions."""
        K = heavy.shape[1]
        counts = rng.dirichlet(np.ones(K), K) * self.rows / K
        start = np.full(K, len(self.weight) / K)
        found = {"startprob": self.priors["startprob"] + start, "transmat": self.priors["transmat"] + counts}
        return found | self.emissions.update(self.data.X, heavy * self.data.per_row(self.weight)[:, None])

    def improve(self, parameters: State) -> tuple[State, float]:
        """Posteriors after a step over states and parameters, and the lower bound per row before."""
        node = self.emissions.expected_log_density(self.data.X, parameters)
        node = forbid_states(node, self.states)
        logs = {name: expected_logs(parameters[name]) for name in self.priors}
        chain = Chain.of(logs["startprob"], logs["transmat"], node, self.data.lengths)
        found = chain.forward_backward(self.weight)
        refuse_impossible(self.owner, found.log_likelihood)
        bound = float(self.weight @ found.log_likelihood) - self.emissions.divergence(parameters)
        bound -= sum(dirichlet_divergence(parameters[name], self.priors[name]) for name in self.priors)
        heavy = found.states * self.data.per_row(self.weight)[:, None]
        better = {
            "startprob": self.priors["startprob"] + heavy[chain.offset[:-1]].sum(axis=0),
            "transmat": self.priors["transmat"] + found.transitions,
        }
        return better | self.emissions.update(self.data.X, heavy), bound / self.rows


def expected_logs(dirichlet: Array) -> Array:
    """The means of log probabilities with Dirichlet distributions along the last axis."""
    from scipy.special import digamma

    return np.asarray(digamma(dirichlet) - digamma(dirichlet.sum(axis=-1, keepdims=True)))


def dirichlet_divergence(posterior: Array, prior: Array) -> float:
    """The Kullback-Leibler divergence of Dirichlet distributions along the last axis, summed.

    >>> dirichlet_divergence(np.array([2.0, 3.0]), np.array([2.0, 3.0]))
    0.0
    """
    from scipy.special import gammaln

    constants = gammaln(posterior.sum(axis=-1)) - gammaln(prior.sum(axis=-1))
    terms = gammaln(prior) - gammaln(posterior) + (posterior - prior) * expected_logs(posterior)
    return float((constants + terms.sum(axis=-1)).sum())
