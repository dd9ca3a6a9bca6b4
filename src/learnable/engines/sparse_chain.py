"""Inference in chains in which each state has few predecessors, such as pairs of labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.runtime.native import kernels
from ..core.validate.features import Array
from .chain import Posterior, offsets


@dataclass(frozen=True)
class SparseChain:
    """Log potentials of the first state, of the possible transitions, and of the states at each step.

    State s follows the states `before[first[s]:first[s + 1]]`, with the log potentials `weight`. `offset` holds where
    sequences begin, and where the last one ends.
    """

    start: Array
    first: Array
    before: Array
    weight: Array
    node: Array
    offset: Array

    @classmethod
    def of(cls, start: Array, first: Array, before: Array, weight: Array, node: Array, lengths: Array) -> SparseChain:
        """The chain of log potentials for sequences of these lengths."""
        return cls(
            np.ascontiguousarray(start, dtype=np.float64), np.ascontiguousarray(first, dtype=np.int64),
            np.ascontiguousarray(before, dtype=np.int32), np.ascontiguousarray(weight, dtype=np.float64),
            np.ascontiguousarray(node, dtype=np.float64), offsets(lengths),
        )  # fmt: skip

    @property
    def sequences(self) -> int:
        """The number of sequences."""
        return len(self.offset) - 1

    def forward_backward(self, weight: Array | None = None) -> Posterior:
        """Posteriors by the forward-backward algorithm; expected transitions are weighted by sequence."""
        found = Posterior(np.empty(self.sequences), np.empty(self.node.shape), np.empty(len(self.weight)))
        self._lattice.forward_backward(weight, *found)
        return found

    def filter(self) -> tuple[Array, Array]:
        """Log likelihoods of the sequences, and the probabilities of the states given the steps so far."""
        log_likelihood, filtered = np.empty(self.sequences), np.empty(self.node.shape)
        self._lattice.filter(log_likelihood, filtered)
        return log_likelihood, filtered

    def viterbi(self) -> tuple[Array, Array]:
        """The most probable path of each sequence, one after the other, and their log scores."""
        path, score = np.empty(len(self.node), dtype=np.int64), np.empty(self.sequences)
        self._lattice.viterbi(path, score)
        return path, score

    def k_best(self, count: int) -> tuple[Array, Array]:
        """The `count` best paths, a column each, and their scores, a row per sequence."""
        paths, scores = np.empty((len(self.node), count), dtype=np.int64), np.empty((self.sequences, count))
        self._lattice.k_best(paths, scores)
        return paths, scores

    @cached_property
    def _lattice(self) -> kernels.SparseLattice:
        return kernels.SparseLattice(self.start, self.first, self.before, self.weight, self.node, self.offset)
