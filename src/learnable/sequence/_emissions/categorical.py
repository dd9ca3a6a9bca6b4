"""Categorical emissions: one symbol a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.chain import logarithms
from ...engines.iterate import State
from .emissions import log_dirichlet, posterior_counts


@dataclass(frozen=True)
class CategoricalEmissions:
    """Probabilities of symbols 0, 1, ... in each state, with a Dirichlet prior."""

    symbols: int
    prior: Array | float

    names = ("emissionprob",)

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Frequencies of the symbols in each state, mixed with random probabilities."""
        drawn = rng.dirichlet(np.ones(self.symbols), weights.shape[1])
        counts = self._counts(X, weights)
        return {"emissionprob": (counts + drawn) / (counts.sum(axis=1, keepdims=True) + 1)}

    def _counts(self, X: Array, weights: Array) -> Array:
        from scipy.sparse import csr_array

        seen = np.flatnonzero(~np.isnan(X[:, 0]))
        codes = X[seen, 0].astype(np.int32)
        first = np.arange(len(seen) + 1, dtype=np.int32)
        indicator = csr_array((np.ones(len(seen)), codes, first), shape=(len(seen), self.symbols))
        return np.asarray((indicator.T @ (weights if len(seen) == len(X) else weights[seen])).T)

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log probabilities of the symbols; 0 where there is none."""
        logs = logarithms(parameters["emissionprob"]).T
        with_missing = np.vstack([logs, np.zeros(logs.shape[1])])
        codes = np.where(np.isnan(X[:, 0]), self.symbols, X[:, 0]).astype(np.int64)
        return np.asarray(with_missing[codes])

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Relative frequencies of the symbols in each state, with the prior."""
        return self.from_statistics(self.statistics(X, weights, parameters), parameters)

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """Weighted counts of the symbols."""
        return {"sums": self._counts(X, weights)}

    def from_statistics(self, found: State, parameters: State) -> State:
        """Relative frequencies for such counts."""
        return {"emissionprob": posterior_counts(found["sums"], self.prior, parameters["emissionprob"])}

    def log_prior(self, parameters: State) -> float:
        """The log Dirichlet density."""
        return log_dirichlet(parameters["emissionprob"], self.prior)

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Symbols drawn in a state."""
        probabilities = parameters["emissionprob"][state]
        return np.asarray(rng.choice(self.symbols, (count, 1), p=probabilities / probabilities.sum()))

    def free_parameters(self, parameters: State) -> int:
        """All probabilities but one in each state."""
        count, symbols = parameters["emissionprob"].shape
        return int(count * (symbols - 1))
