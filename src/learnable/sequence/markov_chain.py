"""Markov chains of observed states."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Estimator, ParameterError, RandomState, Trace, Traits, estimator, learned, param
from ..core.declare import params as declared
from ..core.errors import not_fitted
from ..core.runtime.random import requested_samples, stream
from ._hmm.inference import cumulative, stationary_distribution, whole_number
from ._hmm.row_rules import refuse_non_symbols
from ._sequence_input import Sequences, read_sequences, sequence_weights


@estimator
class MarkovChain(Estimator):
    """Markov chain: each symbol depends on the `order` symbols before it.

    maximise over A    sum over steps of log A[x_t-order ... x_t-1, x_t]    with solution    A = counts / sum of counts

    `X` has one column of symbols 0, 1, ...; `alpha` is added to every count (the mode of a Dirichlet posterior). A
    history that was never seen has the frequencies of all symbols. [Markov, 1913]

    >>> model = MarkovChain().fit([[0], [0], [1], [0], [0], [1], [1], [0]])
    >>> model.transmat_.round(2).tolist()
    [[0.5, 0.5], [0.67, 0.33]]
    >>> model.get_stationary_distribution().round(2).tolist()
    [0.57, 0.43]
    """

    order: int = param(1, "number of symbols before that a symbol depends on", at_least=1, kw_only=False)
    alpha: float = param(0.0, "additive smoothing parameter (pseudo-count) of transitions", at_least=0)
    n_features: int | None = param(None, "number of symbols; None: the largest one plus 1", at_least=1)
    random_state: RandomState = param(None, "seed of samples")
    startprob_: Array = learned(
        "probability of each history of `order` symbols at the start of a sequence", probabilities=True
    )
    transmat_: Array = learned(
        "probability of each symbol after each history", shape="histories symbols", probabilities=True
    )
    counts_: Array = learned("weighted number of transitions", shape="histories symbols")

    title = "Markov chain"
    reference = "Norris, Markov Chains, 1997"
    traits = Traits(task="sequence modelling", takes="sequence", categorical=True)

    def fit(self, X: Any, lengths: Any = None, *, sample_weight: Any = None) -> Self:
        """Count the transitions of sequences of these `lengths` (None: one), or of a list of sequences."""
        declared.check(self)
        data = read_sequences(self, X, lengths)
        weight = sequence_weights(type(self).__name__, sample_weight, len(data.lengths))
        self._check_symbols(data, self.n_features)
        with self._fitting(data.X, weight) as trace:
            self._remember_columns(data.X, data.names)
            self._count(data, weight, trace)
        return self

    def _count(self, data: Sequences, weight: Array, trace: Trace) -> None:
        symbols = self.n_features or int(data.X.max()) + 1
        history, following, starts = self._transitions(data, symbols)
        heavy = data.per_row(weight)
        counts = np.zeros((symbols**self.order, symbols))
        np.add.at(counts, (history[following], data.X[following, 0].astype(np.int64)), heavy[following])
        first = (
            np.bincount(history[starts], heavy[starts], symbols**self.order) if starts.any() else np.zeros(len(counts))
        )
        every = np.bincount(data.X[:, 0].astype(np.int64), heavy, symbols)
        whole = counts.sum(axis=1, keepdims=True) + self.alpha * symbols
        smooth = (counts + self.alpha) / np.where(whole > 0, whole, 1.0)
        self.counts_ = counts
        self.transmat_ = np.where(whole > 0, smooth, every / every.sum())
        begun = first + self.alpha
        self.startprob_ = begun / begun.sum() if begun.sum() > 0 else np.full(len(counts), 1 / len(counts))
        trace.exact("relative frequencies of transitions maximise the likelihood")

    def _transitions(self, data: Sequences, symbols: int) -> tuple[Array, Array, Array]:
        """The history before each row, which rows have one, and which rows are the first with one.

        A sequence shorter than `order` + 1 has none.
        """
        codes = data.X[:, 0].astype(np.int64)
        position = np.arange(len(codes)) - np.repeat(np.cumsum(data.lengths) - data.lengths, data.lengths)
        history = np.zeros(len(codes), dtype=np.int64)
        for lag in range(self.order, 0, -1):
            history = history * symbols + np.roll(codes, lag)
        following = position >= self.order
        return history, following, position == self.order

    def score(self, X: Any, lengths: Any = None) -> float:
        """The log likelihood of the symbols after the first `order` of each sequence; -inf if one is impossible."""
        data = self._known(X, lengths)
        history, following, _ = self._transitions(data, self.transmat_.shape[1])
        found = self.transmat_[history[following], data.X[following, 0].astype(np.int64)]
        with np.errstate(divide="ignore"):
            return float(np.log(found).sum())

    def predict_proba(self, X: Any, lengths: Any = None) -> Array:
        """The probability of each symbol given the symbols before; for the first ones, that of the whole data."""
        data = self._known(X, lengths)
        history, following, _ = self._transitions(data, self.transmat_.shape[1])
        overall = (self.counts_.sum(axis=0) + 1e-300) / (self.counts_.sum() + 1e-300 * self.counts_.shape[1])
        return np.where(following[:, None], self.transmat_[history], overall)

    def predict(self, X: Any, lengths: Any = None) -> Array:
        """The most probable symbol at each step, given those before."""
        return np.asarray(self.predict_proba(X, lengths).argmax(axis=1))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """A sequence of symbols drawn from the chain, a column."""
        self._require_fit()
        count = requested_samples(self, n_samples)
        rng = stream(self.random_state if random_state is None else random_state)
        symbols, within = self.transmat_.shape[1], cumulative(self.transmat_)
        code = int(np.searchsorted(cumulative(self.startprob_), rng.uniform(), side="right"))
        found = [code // symbols**power % symbols for power in range(self.order - 1, -1, -1)]
        for uniform in rng.uniform(size=count):
            code = int(sum(symbol * symbols**power for power, symbol in enumerate(reversed(found[-self.order :]))))
            found.append(int(np.searchsorted(within[code], uniform, side="right")))
        return np.array(found[:count])[:, None]

    def get_stationary_distribution(self) -> Array:
        """The distribution of the symbols, or of histories where `order` is above 1, that a step does not change."""
        self._require_fit()
        histories, symbols = self.transmat_.shape
        if self.order == 1:
            return stationary_distribution(self.transmat_)
        moves = np.zeros((histories, histories))
        after = (np.arange(histories)[:, None] * symbols + np.arange(symbols)) % histories
        np.put_along_axis(moves, after, self.transmat_, axis=1)
        return stationary_distribution(moves)

    def forecast(self, state: int, steps: int = 1) -> Array:
        """The distribution of the symbol `steps` after `state` (`order` 1)."""
        self._require_fit()
        if self.order != 1:
            raise ParameterError(f"MarkovChain: forecast needs order=1; got {self.order}")
        if whole_number(self, "state", state, 0) >= len(self.transmat_):
            raise ParameterError(f"MarkovChain: state must be below {len(self.transmat_)}; got {state!r:.40}")
        return np.asarray(np.linalg.matrix_power(self.transmat_, whole_number(self, "steps", steps, 0))[state])

    def _known(self, X: Any, lengths: Any) -> Sequences:
        self._require_fit()
        data = read_sequences(self, X, lengths)
        self._check_columns(data.X, data.names)
        self._check_symbols(data, self.transmat_.shape[1])
        return data

    def _check_symbols(self, data: Sequences, known: int | None) -> None:
        refuse_non_symbols("MarkovChain", data, known)
        if (size := (known or int(data.X.max()) + 1) ** (self.order + 1)) > 10**8:
            raise DataError(
                f"MarkovChain: order={self.order} needs {size} probabilities; lower it, or number the symbols from 0"
            )

    def _unsound(self) -> str:
        histories, symbols = self.transmat_.shape
        if histories != symbols**self.order or self.startprob_.shape != (histories,):
            return f"transmat_ must have a row for each history of order={self.order}, and startprob_ an entry"
        return ""

    def __sklearn_is_fitted__(self) -> bool:
        return "transmat_" in self.__dict__

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
