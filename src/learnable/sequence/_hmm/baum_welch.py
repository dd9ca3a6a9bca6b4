"""The Baum-Welch algorithm: EM for hidden Markov models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...core import Array, DataError
from ...engines.chain import Chain, logarithms
from ...engines.iterate import State
from .._emissions.emissions import Emissions, log_dirichlet, posterior_counts
from .._sequence_input import Sequences, forbid_states


@dataclass(frozen=True)
class BaumWelch:
    """EM for the rows of several sequences: posteriors by forward-backward, then parameters of maximum posterior.

    `states` holds the known state of each row, or -1, or is a boolean table of allowed states; `weight` holds a number
    for each sequence, `priors` the Dirichlet priors of `startprob` and `transmat`, `update` the names of the parameters
    that are estimated.
    """

    data: Sequences
    weight: Array
    states: Array | None
    emissions: Emissions
    priors: Mapping[str, Array | float]
    update: frozenset[str]
    hard: bool
    owner: str

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the log posterior density per row of those given."""
        chain = chain_of(self.data, self.emissions, parameters, self.states)
        posterior, transitions, log_likelihood = self._hard(chain) if self.hard else self._soft(chain)
        return self.maximise(parameters, posterior, transitions), self.objective(parameters, log_likelihood)

    def maximise(self, parameters: State, posterior: Array, transitions: Array) -> State:
        """M-step: parameters of maximum posterior for posteriors of the states and expected numbers of transitions."""
        weights = posterior
        if (self.weight != 1).any():
            weights = posterior * self.data.per_row(self.weight)[:, None]
        first = np.cumsum(self.data.lengths) - self.data.lengths
        better = dict(parameters)
        counts = {"startprob": weights[first].sum(axis=0), "transmat": transitions}
        for name, count in counts.items():
            if name in self.update:
                better[name] = posterior_counts(count, self.priors[name], parameters[name])
        known = {name: parameters[name] for name in self.emissions.names}
        if free := self.update & set(self.emissions.names):
            found = self.emissions.maximise(self.data.X, weights, known, free)
            better |= {name: value for name, value in found.items() if name in free}
        return better

    def objective(self, parameters: State, log_likelihood: Array) -> float:
        """The log posterior density per row, for log likelihoods of the sequences."""
        log_prior = self.emissions.log_prior({name: parameters[name] for name in self.emissions.names})
        log_prior += sum(log_dirichlet(parameters[name], prior) for name, prior in self.priors.items())
        return (float(self.weight @ log_likelihood) + log_prior) / self.rows

    @property
    def rows(self) -> float:
        """The number of rows, each as often as its sequence counts."""
        return float(self.weight @ self.data.lengths)

    def _soft(self, chain: Chain) -> tuple[Array, Array, Array]:
        found = chain.forward_backward(self.weight)
        refuse_impossible(self.owner, found.log_likelihood)
        return found.states, found.transitions, found.log_likelihood

    def _hard(self, chain: Chain) -> tuple[Array, Array, Array]:
        """The best path of each sequence in place of its posterior."""
        path, score = chain.viterbi()
        refuse_impossible(self.owner, score)
        return *path_counts(path, self.data.lengths, self.weight, len(chain.start)), score

    def initial_emissions(self, responsibilities: Array, rng: np.random.Generator) -> State:
        """Parameters of the emissions for initial posteriors of the states."""
        weights = responsibilities * self.data.per_row(self.weight)[:, None]
        return self.emissions.initial(self.data.X, weights, rng)


def path_counts(path: Array, lengths: Array, weight: Array, states: int) -> tuple[Array, Array]:
    """Indicators of the states of a path, and weighted counts of its transitions.

    >>> indicators, transitions = path_counts(np.array([0, 1, 1, 0]), np.array([3, 1]), np.array([1.0, 1.0]), 2)
    >>> transitions.tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    indicators = np.eye(states)[path]
    going_on = np.ones(len(path), dtype=bool)
    going_on[np.cumsum(lengths) - 1] = False
    going_on = going_on[:-1]
    weights = np.repeat(weight, lengths)[:-1][going_on]
    pairs = path[:-1][going_on] * states + path[1:][going_on]
    return indicators, np.bincount(pairs, weights, states**2).reshape(states, states)


def chain_of(data: Sequences, emissions: Emissions, parameters: State, states: Array | None = None) -> Chain:
    """The chain of states under these parameters; known `states` forbid all others."""
    node = log_densities(data, emissions, parameters, states)
    return Chain.of(logarithms(parameters["startprob"]), logarithms(parameters["transmat"]), node, data.lengths)


def log_densities(data: Sequences, emissions: Emissions, parameters: State, states: Array | None = None) -> Array:
    """The log density of each row in each state; known `states` forbid all others."""
    known = {name: parameters[name] for name in emissions.names}
    return forbid_states(emissions.log_density(data.X, known), states)


def refuse_impossible(owner: str, log_likelihood: Array) -> None:
    """Raise a `DataError` that names a sequence with the likelihood zero."""
    wrong = np.isnan(log_likelihood) | np.isinf(log_likelihood)
    if wrong.any():
        s = int(np.argmax(wrong))
        raise DataError(
            f"{owner}: sequence {s} has the likelihood {np.exp(log_likelihood[s]):.3g}: the probabilities of zero in "
            "startprob_, transmat_ or the emissions, or the known states in y, rule out its observations"
        )
