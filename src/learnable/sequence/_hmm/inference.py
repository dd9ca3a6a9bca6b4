"""Inference in hidden Markov models with known parameters."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import Array, DataError, Estimator, ParameterError
from ...core.runtime.random import generator as generator_of
from ...core.runtime.random import requested_samples, seed_of, stream
from ...engines.chain import Chain
from ...engines.iterate import State
from ...engines.semi_chain import SemiChain
from .._emissions.emissions import Emissions
from .._sequence_input import Sequences, read_sequences
from .baum_welch import chain_of, refuse_impossible
from .segments import StateSegment, find_segments


class HMMInference(Estimator):
    """Likelihoods, decoding, filtering, smoothing and samples of a hidden Markov model."""

    if TYPE_CHECKING:
        algorithm: Any
        random_state: Any
        startprob_: Array
        transmat_: Array

    def score(self, X: Any, lengths: Any = None) -> float:
        """The log likelihood of the sequences; -inf where the model rules them out."""
        return float(self._chain(X, lengths).filter()[0].sum())

    def score_sequences(self, X: Any, lengths: Any = None) -> Array:
        """The log likelihood of each sequence."""
        return self._chain(X, lengths).filter()[0]

    def score_samples(self, X: Any, lengths: Any = None) -> tuple[float, Array]:
        """The log likelihood of the sequences, and the posteriors of the states, a row per step."""
        found = self._chain(X, lengths).forward_backward()
        refuse_impossible(type(self).__name__, found.log_likelihood)
        return float(found.log_likelihood.sum()), found.states

    def predict_proba(self, X: Any, lengths: Any = None) -> Array:
        """Smoothing: the probability of each state at each step, given the whole sequence."""
        return self.score_samples(X, lengths)[1]

    def decode(self, X: Any, lengths: Any = None, algorithm: str | None = None) -> tuple[float, Array]:
        """The states of the steps and their log score, by `algorithm`: "viterbi" or "map".

        "viterbi" is the most probable path, and its joint log probability with the rows; "map" the most probable state
        at each step, and the sum of these probabilities, as in hmmlearn.
        """
        chosen = self.algorithm if algorithm is None else algorithm
        if chosen not in ("viterbi", "map"):
            raise ParameterError(f"{type(self).__name__}: algorithm must be 'viterbi' or 'map'; got {chosen!r:.40}")
        if chosen == "map":
            posterior = self.score_samples(X, lengths)[1]
            return float(posterior.max(axis=1).sum()), posterior.argmax(axis=1)
        path, score = self._chain(X, lengths).viterbi()
        refuse_impossible(type(self).__name__, score)
        return float(score.sum()), path

    def predict(self, X: Any, lengths: Any = None) -> Array:
        """The state of each row, by `algorithm`."""
        return self.decode(X, lengths)[1]

    def k_best_paths(self, X: Any, lengths: Any = None, *, k: int = 5) -> tuple[Array, Array]:
        """The `k` most probable paths, a column each, and their joint log probabilities, a row per sequence."""
        return self._chain(X, lengths).k_best(whole_number(self, "k", k, 1))

    def segments(self, X: Any, lengths: Any = None) -> list[StateSegment]:
        """The segments of the most probable path: consecutive rows in one state, with the probability of each.

        The probability is that all of its rows, `begin` to before `end`, are in its state, given the whole sequence.
        """
        chain = self._chain(X, lengths)
        path, score = chain.viterbi()
        refuse_impossible(type(self).__name__, score)
        return find_segments(chain, path)

    def sample_paths(self, X: Any, lengths: Any = None, *, n_paths: int = 1, random_state: Any = None) -> Array:
        """Paths drawn from their posterior, a column each."""
        seed = seed_of(self.random_state if random_state is None else random_state)
        chain = self._chain(X, lengths)
        refuse_impossible(type(self).__name__, chain.filter()[0])
        return chain.sample_paths(whole_number(self, "n_paths", n_paths, 1), generator_of(seed))

    def filter(self, X: Any, lengths: Any = None) -> Array:
        """Filtering: the probability of each state at each step, given the rows so far."""
        log_likelihood, filtered = self._chain(X, lengths).filter()
        refuse_impossible(type(self).__name__, log_likelihood)
        return filtered

    def smooth(self, X: Any, lengths: Any = None, *, lag: int = 1) -> Array:
        """Fixed-lag smoothing: the probability of each state, given the rows up to `lag` steps later."""
        return self._chain(X, lengths).fixed_lag(whole_number(self, "lag", lag, 0))

    def predict_next(self, X: Any, lengths: Any = None, *, steps: int = 1) -> Array:
        """The probability of each state `steps` after the end of each sequence, a row per sequence."""
        chain = self._chain(X, lengths)
        log_likelihood, filtered = chain.filter()
        refuse_impossible(type(self).__name__, log_likelihood)
        power = np.linalg.matrix_power(self._parameters()["transmat"], whole_number(self, "steps", steps, 0))
        return np.asarray(filtered[chain.offset[1:] - 1] @ power)

    def sample(self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None) -> tuple[Array, Array]:
        """A sequence of rows drawn from the model, and its states; it begins after `currstate`, if that is given."""
        parameters = self._parameters()
        self._learn_columns()
        count = requested_samples(self, n_samples)
        rng = stream(self.random_state if random_state is None else random_state)
        transmat = cumulative(parameters["transmat"])
        first = cumulative(parameters["startprob"]) if currstate is None else transmat[self._checked_state(currstate)]
        uniform, states = rng.uniform(size=count), np.empty(count, dtype=np.int64)
        for t in range(count):
            within = first if t == 0 else transmat[states[t - 1]]
            states[t] = np.searchsorted(within, uniform[t], side="right")
        return self._draw_rows(states, rng), states

    def _draw_rows(self, states: Array, rng: np.random.RandomState) -> Array:
        emissions, parameters = self._emissions(), self._parameters()
        known = {name: parameters[name] for name in emissions.names}
        drawn = [emissions.draw(known, k, int((states == k).sum()), rng) for k in range(len(parameters["startprob"]))]
        rows = np.empty((len(states), drawn[0].shape[1]), dtype=drawn[0].dtype)
        for k, own in enumerate(drawn):
            rows[states == k] = own
        return rows

    def aic(self, X: Any, lengths: Any = None) -> float:
        """Akaike information criterion, -2 log likelihood + 2 parameters; smaller is better. [Akaike, 1974]"""
        return -2 * self.score(X, lengths) + 2 * self._free_parameters()

    def bic(self, X: Any, lengths: Any = None) -> float:
        """Bayesian information criterion, -2 log likelihood + parameters times log rows.

        Smaller is better. [Schwarz, 1978]
        """
        chain = self._chain(X, lengths)
        return float(-2 * chain.filter()[0].sum() + self._free_parameters() * np.log(len(chain.node)))

    def icl(self, X: Any, lengths: Any = None) -> float:
        """Integrated completed likelihood.

        It is the BIC with the joint likelihood of the rows and the best path, which also penalises uncertain states.
        """
        path_score, states = self.decode(X, lengths, "viterbi")
        return float(-2 * path_score + self._free_parameters() * np.log(len(states)))

    def get_stationary_distribution(self) -> Array:
        """The distribution of the states that a transition does not change."""
        return stationary_distribution(self._parameters()["transmat"])

    def _chain(self, X: Any, lengths: Any) -> Chain | SemiChain:
        """The chain of states of the sequences under the learned parameters."""
        data = self._read_sequences(X, lengths)
        return chain_of(data, self._emissions(), self._parameters())

    def _read_sequences(self, X: Any, lengths: Any) -> Sequences:
        parameters = self._parameters()
        self._learn_columns()
        data = read_sequences(self, X, lengths)
        self._check_columns(data.X, data.names)
        if len(parameters["transmat"]) != len(parameters["startprob"]):
            raise DataError(f"{type(self).__name__}: startprob_ and transmat_ have different numbers of states")
        self._check_rows(data, fitted=True)
        return self._rows(data)

    def _rows(self, data: Sequences) -> Sequences:
        """The rows that emissions are for."""
        return data

    def _checked_state(self, state: Any) -> int:
        states = len(self._parameters()["startprob"])
        if whole_number(self, "currstate", state, 0) >= states:
            raise ParameterError(f"{type(self).__name__}: currstate must be below {states}; got {state!r:.40}")
        return int(state)

    def _free_parameters(self) -> int:
        parameters, emissions = self._parameters(), self._emissions()
        states = len(parameters["startprob"])
        known = {name: parameters[name] for name in emissions.names}
        return states - 1 + states * (states - 1) + emissions.free_parameters(known)

    def _learn_columns(self) -> None:
        """The number of columns of a model whose parameters were set by hand."""
        if "n_features_in_" not in self.__dict__:
            self.n_features_in_ = self._width()

    @abstractmethod
    def _parameters(self) -> State: ...

    @abstractmethod
    def _emissions(self, X: Array | None = None) -> Emissions: ...

    @abstractmethod
    def _check_rows(self, data: Sequences, fitted: bool = False) -> None: ...

    @abstractmethod
    def _width(self) -> int:
        """The number of columns that the learned parameters are for."""


def cumulative(probabilities: Array) -> Array:
    """Cumulative probabilities along the last axis, whose last one is 1."""
    sums = np.cumsum(probabilities, axis=-1)
    return np.asarray(sums / sums[..., -1:])


def stationary_distribution(transition: Array) -> Array:
    """The probabilities p with p = p A.

    >>> stationary_distribution(np.array([[0.9, 0.1], [0.3, 0.7]])).round(3).tolist()
    [0.75, 0.25]
    """
    states = len(transition)
    system = np.vstack([transition.T - np.eye(states), np.ones(states)])
    found = np.linalg.lstsq(system, np.append(np.zeros(states), 1.0), rcond=None)[0]
    return np.asarray(np.maximum(found, 0.0) / np.maximum(found, 0.0).sum())


def whole_number(model: Any, name: str, value: Any, least: int) -> int:
    """A whole number argument of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(
            f"{type(model).__name__}: {name} must be a whole number of at least {least}; got {value!r:.40}"
        )
    return int(value)
