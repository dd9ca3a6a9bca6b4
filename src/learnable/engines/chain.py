"""Inference in a chain of hidden states: forward-backward, Viterbi, filtering, and paths drawn from their posterior.

Hidden Markov models and conditional random fields are such chains: only their potentials differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.runtime.native import kernels
from ..core.validate.features import Array


class Posterior(NamedTuple):
    """The log likelihood of each sequence, posteriors of the states, and expected transitions of all sequences.

    A sequence for which no path is possible has the log likelihood -inf, and posteriors of zero.
    """

    log_likelihood: Array
    states: Array
    transitions: Array


@dataclass(frozen=True)
class Chain:
    """Log potentials of the first state, of transitions, and of the states at each step of several sequences.

    `offset` holds where sequences begin, and where the last one ends. -inf forbids a state or a transition.
    """

    start: Array
    transition: Array
    node: Array
    offset: Array

    @classmethod
    def of(cls, start: Array, transition: Array, node: Array, lengths: Array) -> Chain:
        """The chain of log potentials for sequences of these lengths."""
        arrays = [np.ascontiguousarray(values, dtype=np.float64) for values in (start, transition, node)]
        return cls(arrays[0], arrays[1], arrays[2], offsets(lengths))

    @property
    def sequences(self) -> int:
        """The number of sequences."""
        return len(self.offset) - 1

    def forward_backward(self, weight: Array | None = None) -> Posterior:
        """Posteriors by the forward-backward algorithm; expected transitions are weighted by sequence.

        The recursions are scaled; a sequence in which scaled numbers come close to underflow is done with logarithms.
        """
        found = Posterior(np.empty(self.sequences), np.empty(self.node.shape), np.empty(self.transition.shape))
        kernels.chain_forward_backward(*self._potentials, weight, *found)
        return found

    def filter(self) -> tuple[Array, Array]:
        """Log likelihoods of the sequences, and the probabilities of the states given the steps so far."""
        log_likelihood, filtered = np.empty(self.sequences), np.empty(self.node.shape)
        kernels.chain_filter(*self._potentials, log_likelihood, filtered)
        return log_likelihood, filtered

    def fixed_lag(self, lag: int) -> Array:
        """The probabilities of the states given the steps up to `lag` later."""
        _, filtered = self.filter()
        smoothed = np.empty(self.node.shape)
        kernels.chain_fixed_lag(*self._potentials, filtered, lag, smoothed)
        return smoothed

    def viterbi(self) -> tuple[Array, Array]:
        """The most probable path of each sequence, one after the other, and their log scores."""
        path, score = np.empty(len(self.node), dtype=np.int64), np.empty(self.sequences)
        kernels.chain_viterbi(*self._potentials, path, score)
        return path, score

    def k_best(self, count: int) -> tuple[Array, Array]:
        """The `count` best paths, a column each, and their scores, a row per sequence.

        Where fewer paths are possible, the others have states of -1 and the score -inf.
        """
        paths, scores = np.empty((len(self.node), count), dtype=np.int64), np.empty((self.sequences, count))
        kernels.chain_k_best(*self._potentials, paths, scores)
        return paths, scores

    def sample_paths(self, count: int, rng: np.random.Generator) -> Array:
        """Paths drawn from their posterior, a column each."""
        _, filtered = self.filter()
        paths = np.empty((len(self.node), count), dtype=np.int64)
        kernels.chain_sample(*self._potentials, filtered, rng.random(paths.shape), paths)
        return paths

    @property
    def _potentials(self) -> tuple[Array, Array, Array, Array]:
        return self.start, self.transition, self.node, self.offset


def offsets(lengths: Array) -> Array:
    """Where sequences of these lengths begin, and where the last one ends.

    >>> offsets(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def logarithms(probabilities: Array) -> Array:
    """The logarithms of probabilities; -inf for zero.

    >>> logarithms(np.array([1.0, 0.0])).tolist()
    [0.0, -inf]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))
