"""Restricted Boltzmann machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, Traits, UnweightedTransformer, estimator, learned, param
from ..core.declare import params
from ..core.runtime.native import kernels
from ..core.runtime.random import generator, resumable_stream, stream
from ..engines.iterate import Progress, State, iterate
from ..engines.matrix_products import is_sparse

DRAWN = 2**20  # numbers that are drawn at once
WATCHED = 100  # rows whose pseudo-likelihood the trace records
WORDS = 624  # of the state of a Mersenne twister


@dataclass(frozen=True, slots=True)
class ContrastiveDivergence:
    """Epochs of persistent contrastive divergence: the chain of the model goes on from batch to batch."""

    X: Matrix
    first: State
    batch_size: int
    learning_rate: float

    def start(self) -> State:
        return self.first

    def step(self, state: State) -> State:
        draws, after = _restored(state["stream"]), {name: array.copy() for name, array in state.items()}
        chain, units = after["samples"].shape
        steps = max(1, DRAWN // (chain * (units + self.X.shape[1])))
        for begin in range(0, self.X.shape[0], steps * self.batch_size):
            self.update(after, self.X[begin : begin + steps * self.batch_size], draws)
        return after | {"stream": _stored(draws)}

    def update(self, state: State, rows: Matrix, draws: np.random.RandomState) -> None:
        """Move the state along the statistics of batches of rows minus those of the chain, which goes on."""
        W, samples = state["components"], state["samples"]
        steps = -(-rows.shape[0] // self.batch_size)
        drawn = draws.uniform(size=(steps, len(samples) * sum(W.shape)))
        dense = np.ascontiguousarray(rows.toarray() if is_sparse(rows) else rows, dtype=W.dtype)
        kernels.boltzmann_steps(
            dense, drawn, self.batch_size, self.learning_rate, W, state["hidden"], state["visible"], samples
        )

    def progress(self, state: State) -> Progress:
        rows = self.X[:WATCHED]
        flipped = generator(0).integers(0, rows.shape[1], rows.shape[0])
        return Progress(-float(pseudo_likelihood(rows, flipped, state).mean()), np.inf, 0.0)


def logistic(scores: Array) -> Array:
    """1 / (1 + exp(-z)), in the place of the scores."""
    from scipy.special import expit

    return np.asarray(expit(scores, out=scores))


def hidden_means(rows: Matrix, W: Array, intercept: Array) -> Array:
    """The probabilities that the hidden units are one."""
    return logistic(np.asarray(rows @ W.T) + intercept)


def free_energy(rows: Matrix, state: State) -> Array:
    """F(v) = -a v - sum_j log(1 + exp(w_j v + b_j))."""
    scores = np.asarray(rows @ state["components"].T) + state["hidden"]
    return np.asarray(
        -np.asarray(rows @ state["visible"]) - (np.maximum(scores, 0) + np.log1p(np.exp(-np.abs(scores)))).sum(axis=1)
    )


def pseudo_likelihood(rows: Matrix, columns: Array, state: State) -> Array:
    """The log pseudo-likelihood of each row, estimated from one column whose entry is flipped."""
    dense = rows.toarray() if is_sparse(rows) else rows.copy()
    before = free_energy(dense, state)
    dense[np.arange(len(dense)), columns] = 1 - dense[np.arange(len(dense)), columns]
    return np.asarray(-rows.shape[1] * np.logaddexp(0, before - free_energy(dense, state)))


def _stored(draws: np.random.RandomState) -> Array:
    """The state of a legacy stream as numbers."""
    _, keys, position, has_normal, normal = draws.get_state()
    return np.array([*keys, position, has_normal, normal], dtype=np.float64)


def _is_stream(numbers: Array) -> bool:
    """Whether `_stored` may have returned these numbers."""
    if numbers.shape != (WORDS + 3,) or numbers.dtype != np.float64 or not np.isfinite(numbers).all():
        return False
    *keys, position, has_normal, _ = numbers
    whole = all(0 <= key < 2**32 and key == int(key) for key in keys)
    return whole and position in range(WORDS + 1) and has_normal in (0, 1)


def _restored(numbers: Array) -> np.random.RandomState:
    draws = np.random.RandomState()
    draws.set_state(
        (
            "MT19937",
            numbers[:WORDS].astype(np.uint32),
            int(numbers[WORDS]),
            int(numbers[WORDS + 1]),
            float(numbers[WORDS + 2]),
        )
    )
    return draws


@estimator
class BernoulliRBM(UnweightedTransformer):
    """Restricted Boltzmann machine: binary hidden units that explain binary columns, with no links among themselves.

    p(v, h) = exp(-E(v, h)) / Z,    E(v, h) = -a v - b h - h W v

    maximises the likelihood by persistent contrastive divergence: each step raises the probability of a batch of rows
    and lowers that of samples of a Gibbs chain. Entries of X are zeros and ones, or probabilities. `transform` returns
    the probabilities of the hidden units. The same seed gives scikit-learn's weights. [Tieleman, 2008]

    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> BernoulliRBM(2, random_state=0).fit(X).transform(X).shape
    (4, 2)
    """

    n_components: int = param(256, "number of hidden units", kw_only=False, at_least=1)
    learning_rate: float = param(0.1, "learning rate", above=0)
    batch_size: int = param(10, "rows per step", at_least=1)
    n_iter: int = param(10, "number of passes over the rows", at_least=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the weights and of the chain")

    components_: Array = learned("weights W", shape="components features")
    intercept_hidden_: Array = learned("intercepts b of the hidden units", shape="components")
    intercept_visible_: Array = learned("intercepts a of the columns", shape="features")
    h_samples_: Array = learned("hidden units of the chain", shape="batch components")
    stream_state_: Array = learned("state of the random draws", shape="entries")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "restricted Boltzmann machine"
    reference = "Tieleman, Training restricted Boltzmann machines using approximations to the likelihood gradient, 2008"

    def _unsound(self) -> str:
        """The weights have one type of float, and the state of the draws is that of a Mersenne twister."""
        parts = (self.components_, self.intercept_hidden_, self.intercept_visible_, self.h_samples_)
        if self.components_.dtype.kind != "f" or len({part.dtype for part in parts}) > 1:
            return "components_, the intercepts and h_samples_ must be floats of one type"
        if not len(self.components_) == len(self.intercept_hidden_) == self.h_samples_.shape[1]:
            return "weights, intercepts and chain do not fit each other"
        return "" if _is_stream(self.stream_state_) else "stream_state_ is not the state of a random stream"

    def _fit(self, data: Data, trace: Trace) -> None:
        draws = resumable_stream(self.random_state)
        state = iterate(self._method(data.X, self._initial(draws, data.X)), self.n_iter, trace) if self.n_iter else None
        self._store(self._initial(draws, data.X) if state is None else state, trace)
        draws.set_state(_restored(self.stream_state_).get_state())

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """One step on all the rows of `X`, continuing from the previous call."""
        params.check(self)
        data, begun = self._training_data(X, y, None), self.__sklearn_is_fitted__()
        if begun:
            self._check_columns(data.X, data.names)
        with self._fitting(data.X, None, None, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
            state = self._state() if begun else self._initial(stream(self.random_state), data.X)
            draws = _restored(state["stream"])
            state = {name: array.copy() for name, array in state.items()}
            whole = ContrastiveDivergence(data.X, state, data.X.shape[0], float(self.learning_rate))
            whole.update(state, data.X, draws)
            self._store(state | {"stream": _stored(draws)}, trace)
        return self

    def _method(self, X: Matrix, first: State) -> ContrastiveDivergence:
        return ContrastiveDivergence(X, first, self.batch_size, float(self.learning_rate))

    def _initial(self, draws: np.random.RandomState, X: Matrix) -> State:
        kind = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)
        weights = draws.normal(0, 0.01, (self.n_components, X.shape[1])).astype(kind)
        return {
            "components": weights, "hidden": np.zeros(self.n_components, kind), "visible": np.zeros(X.shape[1], kind),
            "samples": np.zeros((self.batch_size, self.n_components), kind), "stream": _stored(draws),
        }  # fmt: skip

    def _state(self) -> State:
        return {
            "components": self.components_, "hidden": self.intercept_hidden_, "visible": self.intercept_visible_,
            "samples": self.h_samples_, "stream": self.stream_state_,
        }  # fmt: skip

    def _store(self, state: State, trace: Trace) -> None:
        self.components_, self.h_samples_ = state["components"], state["samples"]
        self.intercept_hidden_, self.intercept_visible_ = state["hidden"], state["visible"]
        self.stream_state_ = state["stream"]
        trace.stopped = "converged" if trace.stopped in ("", "limit") else trace.stopped
        trace.certify(
            "epochs left", 0.0, 0.0, "the requested passes were done, and nothing is proven of the likelihood"
        )

    def _transform(self, X: Matrix) -> Array:
        return hidden_means(X, self.components_, self.intercept_hidden_)

    def gibbs(self, v: Any) -> Array:
        """One step of the Gibbs chain: hidden units given the rows of `v`, and columns given these."""
        rows = self._read(v)
        draws = _restored(self.stream_state_)
        means = self._transform(rows)
        hidden = draws.uniform(size=means.shape) < means
        means = logistic(hidden @ self.components_ + self.intercept_visible_)
        sampled = draws.uniform(size=means.shape) < means
        self.stream_state_ = _stored(draws)
        return np.asarray(sampled)

    def score_samples(self, X: Any) -> Array:
        """The log pseudo-likelihood of each row: the sum over columns of log p(entry | all other entries).

        scikit-learn estimates it from one random column of each row.
        """
        rows = self._read(X)
        found = [self._pseudo_likelihood(rows[k : k + 1]) for k in range(rows.shape[0])]
        return np.array(found, dtype=self.components_.dtype)

    def _pseudo_likelihood(self, row: Matrix) -> float:
        """F of the row with each entry flipped in turn: only one term of the scores of the hidden units changes."""
        v = (row.toarray() if is_sparse(row) else row)[0]
        W, change = self.components_, 1 - 2 * v
        scores = W @ v + self.intercept_hidden_
        flipped = np.logaddexp(0, scores + change[:, None] * W.T).sum(axis=1)
        gain = change * self.intercept_visible_ + flipped - np.logaddexp(0, scores).sum()  # F(v) - F(v flipped)
        return -float(np.logaddexp(0, gain).sum())

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(len(self.components_))]
