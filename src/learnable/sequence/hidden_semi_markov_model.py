"""Hidden semi-Markov models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError, estimator, generator, learned, param, seed_of
from ..core.runtime.random import requested_samples, stream
from ..engines.iterate import State
from ..engines.semi_chain import SemiChain
from ._emissions.emissions import Emissions
from ._hmm.baum_welch import BaumWelch, log_densities, refuse_impossible
from ._hmm.column_hmm import ColumnHMM
from ._hmm.durations import Durations, Family
from ._hmm.inference import cumulative, stationary_distribution, whole_number
from ._hmm.semi_markov import SemiMarkovBaumWelch, semi_chain_of
from ._sequence_input import Sequences


@estimator
class HiddenSemiMarkovModel(ColumnHMM):
    """Hidden semi-Markov model (HSMM): each visit to a hidden state lasts a number of steps with its own distribution.

    maximise over pi, A, p, theta    log sum over segmentations (z_i, d_i)
        pi_z1 prod_i A_zi-1,zi p_zi(d_i) prod over the steps t of segment i of f(x_t; theta_zi)

    An HMM stays in a state for a geometric number of steps; here durations are "poisson", "negative_binomial",
    "geometric" (all above `min_duration`, and cut off at `max_duration`) or a free "table". The last segment of a
    sequence may go on after its end. Columns have the families of `MixedHMM`; missing entries (NaN) are integrated
    out. An iteration takes `max_duration` sums for each step and state. [Guedon, 2003]

    >>> X = [[0.1]] * 5 + [[5.0]] * 3 + [[0.0]] * 5 + [[4.9]] * 3 + [[0.2]] * 2
    >>> model = HiddenSemiMarkovModel(2, max_duration=10, n_iter=100, random_state=0).fit(X)
    >>> sorted(model.mean_durations_.round().tolist())
    [3.0, 5.0]
    """

    duration: Family = param("poisson", "family of the durations of the states")
    min_duration: int = param(1, "smallest number of steps of a segment", at_least=1)
    max_duration: int = param(100, "largest number of steps of a segment", at_least=1, at_most=10**6)
    duration_prior: float = param(1.0, "Dirichlet prior of a table of durations: 1 plus pseudo-counts", at_least=0)
    topology: Literal["full", "left-right", "cyclic"] = param(
        "full", "transitions that are possible: to all other states, to later ones, or to the next one"
    )
    params: str = param("stde", "parameters to estimate: s(tart), t(ransitions), d(urations), e(missions)")
    init_params: str = param("stde", "parameters to initialise; others keep the values they were set to")
    duration_parameters_: Array = learned("parameters of the durations of each state", least=0)

    title = "hidden semi-Markov model"
    reference = "Guedon, Estimating hidden semi-Markov chains from discrete sequences, 2003"
    chain_letters = {"s": "startprob", "t": "transmat", "d": "duration_parameters"}
    letters = {"e": "parameters"}

    @property
    def durationprob_(self) -> Array:
        """The probability of each duration, from 1 step on, a row per state."""
        self._require_fit()
        return np.asarray(np.exp(self._durations().log_table(self.duration_parameters_)))

    @property
    def mean_durations_(self) -> Array:
        """The mean duration of each state."""
        return np.asarray(self.durationprob_ @ np.arange(1, self.max_duration + 1))

    def duration_distribution(self, state: int) -> dict[str, float]:
        """The parameters of the durations of a state, by name; empty for a table."""
        self._require_fit()
        own = self.duration_parameters_[self._checked_state(state)].tolist()
        return dict(zip(self._durations().names, own, strict=False))

    def predict_next(self, X: Any, lengths: Any = None, *, steps: int = 1) -> Array:
        """The probability of each state `steps` after the end of each sequence, a row per sequence."""
        chain = self._chain(X, lengths).extended(whole_number(self, "steps", steps, 0))
        log_likelihood, filtered = chain.filter()
        refuse_impossible(type(self).__name__, log_likelihood)
        return np.asarray(filtered[chain.offset[1:] - 1])

    def sample(self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None) -> tuple[Array, Array]:
        """A sequence of rows drawn from the model, and its states; it begins after `currstate`, if that is given."""
        parameters = self._parameters()
        self._learn_columns()
        count = requested_samples(self, n_samples)
        rng = stream(self.random_state if random_state is None else random_state)
        transmat, durations = cumulative(parameters["transmat"]), cumulative(self.durationprob_)
        within = cumulative(parameters["startprob"]) if currstate is None else transmat[self._checked_state(currstate)]
        states: list[int] = []
        while len(states) < count:
            state = int(np.searchsorted(within, rng.uniform(), side="right"))
            states += [state] * (1 + int(np.searchsorted(durations[state], rng.uniform(), side="right")))
            within = transmat[state]
        path = np.array(states[:count], dtype=np.int64)
        return self._draw_rows(path, rng), path

    def get_stationary_distribution(self) -> Array:
        """The fraction of steps in each state in the long run."""
        visits = stationary_distribution(self._parameters()["transmat"])
        return np.asarray(visits * self.mean_durations_ / (visits @ self.mean_durations_))

    def _durations(self) -> Durations:
        if self.min_duration > self.max_duration:
            raise ParameterError(
                f"HiddenSemiMarkovModel: min_duration={self.min_duration} must be at most "
                f"max_duration={self.max_duration}"
            )
        return Durations(self.duration, self.min_duration, self.max_duration, self.duration_prior)

    def _em_steps(
        self, data: Sequences, weight: Array, states: Array | None, emissions: Emissions,
        priors: dict[str, Array | float], update: frozenset[str],
    ) -> BaumWelch:  # fmt: skip
        hard, owner = self.training == "viterbi", type(self).__name__
        return SemiMarkovBaumWelch(
            data, weight, states, emissions, priors, update, hard, owner, durations=self._durations()
        )

    @property
    def _monotone(self) -> bool:
        return self.duration_prior >= 1

    def _starts(self, steps: BaumWelch, given: State) -> Iterator[State]:
        """Initial parameters of each run; durations are about the lengths of runs of the most probable state."""
        possible, durations = self._possible(), self._durations()
        seed = seed_of(self.random_state)
        for run, found in enumerate(super()._starts(steps, {})):
            moves = np.where(possible, found["transmat"] + 1e-3, 0.0)
            found["transmat"] = moves / moves.sum(axis=1, keepdims=True)
            if self.topology == "left-right":
                found["startprob"] = np.eye(self.n_components)[0]
            found |= {name: value for name, value in given.items() if name in steps.emissions.names}
            labels = log_densities(steps.data, steps.emissions, found, steps.states).argmax(axis=1)
            stretch = generator(seed, run, 1).uniform(1, 3, self.n_components)
            runs = mean_runs(labels, steps.data.lengths, self.n_components, steps.weight)
            found["duration_parameters"] = durations.initial(np.minimum(runs * stretch, self.max_duration))
            yield {**found, **given}

    def _possible(self) -> Array:
        """Which transitions the topology allows; the last state of all, or the only one, follows itself."""
        K = self.n_components
        if self.topology == "cyclic":
            return np.roll(np.eye(K, dtype=bool), 1, axis=1)
        possible = np.triu(np.ones((K, K), dtype=bool), 1) if self.topology == "left-right" else ~np.eye(K, dtype=bool)
        possible[K - 1, K - 1] |= not possible[K - 1].any()
        return possible

    def _chain(self, X: Any, lengths: Any) -> SemiChain:
        data = self._read_sequences(X, lengths)
        return semi_chain_of(data, self._emissions(), self._durations(), self._parameters())

    def _free_parameters(self) -> int:
        possible = int(self._possible().sum()) - self.n_components
        starts = 0 if self.topology == "left-right" else self.n_components - 1
        emissions = self._emissions().free_parameters({"parameters": self.parameters_})
        return starts + possible + self.n_components * self._durations().free + emissions

    def _unsound(self) -> str:
        if wrong := super()._unsound():
            return wrong
        if self.min_duration > self.max_duration:
            return "min_duration must be at most max_duration"
        shape = len(self.startprob_), self._durations().count
        table = self.duration == "table"
        sound = self.duration_parameters_.shape == shape and np.isfinite(self.duration_parameters_).all()
        if not sound or (table and not np.allclose(self.duration_parameters_.sum(axis=1), 1)):
            return f"duration_parameters_ must have the shape {shape}, and rows that add up to 1 if they are a table"
        return ""


def mean_runs(labels: Array, lengths: Array, states: int, weight: Array) -> Array:
    """The mean length of runs of each label within sequences; that of all where a label does not occur.

    >>> mean_runs(np.array([0, 0, 1, 1, 1, 0, 0]), np.array([5, 2]), 2, np.ones(2)).tolist()
    [2.0, 3.0]
    """
    begins = np.append(True, labels[1:] != labels[:-1])
    begins[np.cumsum(lengths)[:-1]] = True
    first = np.flatnonzero(begins)
    runs, heavy = np.diff(np.append(first, len(labels))), np.repeat(weight, lengths)[first]
    count = np.bincount(labels[first], heavy, states)
    steps = np.bincount(labels[first], heavy * runs, states)
    return np.where(count > 0, steps / np.where(count > 0, count, 1.0), steps.sum() / count.sum())
