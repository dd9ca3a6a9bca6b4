"""Inference in a chain of hidden states that last: forward-backward, Viterbi, filtering, and paths, by segments.

Hidden semi-Markov models are such chains: each segment has a state and a duration, whose distribution is any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.runtime.native import kernels
from ..core.validate.features import Array
from .chain import logarithms, offsets


class SegmentPosterior(NamedTuple):
    """The log likelihood of each sequence, posteriors of the states, and expected numbers of all sequences.

    `durations` counts complete segments, `last` the segments at the ends of sequences, which may go on after them; both
    have a row per state and a column for each number of steps, from 1.
    """

    log_likelihood: Array
    states: Array
    transitions: Array
    durations: Array
    last: Array


@dataclass(frozen=True)
class SemiChain:
    """Log potentials of the first segment, of transitions between segments, and of the states at each step.

    `duration` holds log probabilities of 1, 2, ... steps, a row per state. The last segment of a sequence may go on
    after its end. `offset` holds where sequences begin, and where the last one ends.
    """

    start: Array
    transition: Array
    duration: Array
    node: Array
    offset: Array

    @classmethod
    def of(cls, start: Array, transition: Array, duration: Array, node: Array, lengths: Array) -> SemiChain:
        """The chain of log potentials for sequences of these lengths."""
        given = start, transition, duration, node
        start, transition, duration, node = (np.ascontiguousarray(values, dtype=np.float64) for values in given)
        return cls(start, transition, duration, node, offsets(lengths))

    @property
    def sequences(self) -> int:
        """The number of sequences."""
        return len(self.offset) - 1

    def forward_backward(self, weight: Array | None = None) -> SegmentPosterior:
        """Posteriors by the forward-backward algorithm over segments; expected numbers are weighted by sequence."""
        shapes = (self.sequences,), self.node.shape, self.transition.shape, self.duration.shape, self.duration.shape
        found = SegmentPosterior(*map(np.empty, shapes))
        self._lattice.forward_backward(weight, *found)
        return found

    def filter(self) -> tuple[Array, Array]:
        """Log likelihoods of the sequences, and the probabilities of the states given the steps so far."""
        log_likelihood, filtered = np.empty(self.sequences), np.empty(self.node.shape)
        self._lattice.filter(log_likelihood, filtered)
        return log_likelihood, filtered

    def fixed_lag(self, lag: int) -> Array:
        """The probabilities of the states given the steps up to `lag` later."""
        smoothed = np.empty(self.node.shape)
        self._lattice.fixed_lag(lag, smoothed)
        return smoothed

    def segments(self) -> tuple[Array, Array, Array]:
        """The most probable path of each sequence, where its segments begin, and its log score."""
        path, begins = np.empty((2, len(self.node)), dtype=np.int64)
        score = np.empty(self.sequences)
        self._lattice.viterbi(path, begins, score)
        return path, begins.astype(bool), score

    def viterbi(self) -> tuple[Array, Array]:
        """The most probable path of each sequence, one after the other, and their log scores."""
        path, _, score = self.segments()
        return path, score

    def k_best(self, count: int) -> tuple[Array, Array]:
        """The paths of the `count` best segmentations, a column each, and their scores, a row per sequence.

        Where fewer are possible, the others have states of -1 and the score -inf.
        """
        paths, scores = np.empty((len(self.node), count), dtype=np.int64), np.empty((self.sequences, count))
        self._lattice.k_best(paths, scores)
        return paths, scores

    def sample_paths(self, count: int, rng: np.random.Generator) -> Array:
        """Paths drawn from their posterior, a column each."""
        paths = np.empty((len(self.node), count), dtype=np.int64)
        self._lattice.sample(rng.random(paths.shape), paths)
        return paths

    def extended(self, steps: int) -> SemiChain:
        """The chain with further steps without an observation after each sequence."""
        lengths = np.diff(self.offset)
        node = np.insert(self.node, np.repeat(self.offset[1:], steps), 0.0, axis=0)
        return replace(self, node=np.ascontiguousarray(node), offset=offsets(lengths + steps))

    @cached_property
    def _lattice(self) -> kernels.SemiLattice:
        survival = np.flip(np.cumsum(np.flip(np.exp(self.duration), axis=1), axis=1), axis=1)
        return kernels.SemiLattice(
            self.start,
            self.transition,
            self.duration,
            np.ascontiguousarray(logarithms(survival)),
            self.node,
            self.offset,
        )
