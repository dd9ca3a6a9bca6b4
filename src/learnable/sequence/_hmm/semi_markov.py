"""EM for hidden semi-Markov models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.chain import logarithms
from ...engines.iterate import State
from ...engines.semi_chain import SegmentPosterior, SemiChain
from .._emissions.emissions import Emissions
from .._sequence_input import Sequences
from .baum_welch import BaumWelch, log_densities, refuse_impossible
from .durations import Durations


@dataclass(frozen=True)
class SemiMarkovBaumWelch(BaumWelch):
    """EM over segments: posteriors of states, transitions between segments, and durations."""

    durations: Durations

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the log posterior density per row of those given."""
        chain = semi_chain_of(self.data, self.emissions, self.durations, parameters, self.states)
        found = self._best_segments(chain) if self.hard else chain.forward_backward(self.weight)
        refuse_impossible(self.owner, found.log_likelihood)
        better, known = self.maximise(parameters, found.states, found.transitions), parameters["duration_parameters"]
        if "duration_parameters" in self.update:
            better["duration_parameters"] = self.durations.estimate(found.durations, found.last, known)
        log_prior = self.durations.log_prior(known) / self.rows
        return better, self.objective(parameters, found.log_likelihood) + log_prior

    def _best_segments(self, chain: SemiChain) -> SegmentPosterior:
        """The best segmentation of each sequence in place of the posterior of all."""
        path, begins, score = chain.segments()
        K, D = chain.duration.shape
        begin = np.flatnonzero(begins)
        steps = np.diff(np.append(begin, len(path)))
        state, weight = path[begin], np.repeat(self.weight, self.data.lengths)[begin]
        last = np.isin(begin + steps, chain.offset[1:])
        tables = []
        for chosen in (~last, last):
            codes = state[chosen] * D + np.minimum(steps[chosen], D) - 1
            tables.append(np.bincount(codes, weight[chosen], K * D).reshape(K, D))
        going_on = np.flatnonzero(~last)
        pairs = state[going_on] * K + state[np.minimum(going_on + 1, len(state) - 1)]
        transitions = np.bincount(pairs, weight[going_on], K * K).reshape(K, K)
        return SegmentPosterior(score, np.eye(K)[path], transitions, *tables)


def semi_chain_of(
    data: Sequences, emissions: Emissions, durations: Durations, parameters: State, states: Array | None = None
) -> SemiChain:
    """The chain of segments under these parameters; known `states` forbid all others."""
    return SemiChain.of(
        logarithms(parameters["startprob"]),
        logarithms(parameters["transmat"]),
        durations.log_table(parameters["duration_parameters"]),
        log_densities(data, emissions, parameters, states),
        data.lengths,
    )
