"""Online EM for hidden Markov models: running means of the expected statistics, a batch of sequences at a time."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from ...core import Array, DataError, declaring, learned, param
from ...core.declare import params as declared
from ...engines.generative.missing_patterns import impute_means
from ...engines.iterate import State
from .._emissions.emissions import Emissions, posterior_counts
from .._sequence_input import Sequences, checked_states, read_sequences, sequence_weights
from .baum_welch import BaumWelch, chain_of, refuse_impossible
from .hmm_base import HiddenMarkovModel

CHAIN = ("startprob", "transmat")


class SummedEmissions(Emissions, Protocol):
    """Emissions whose M-step needs sums over the rows alone."""

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """The sums, by name."""

    def from_statistics(self, found: State, parameters: State) -> State:
        """M-step for such sums."""


@declaring
class OnlineHMM(HiddenMarkovModel):
    """Base class of hidden Markov models that learn from batches of sequences too: online EM. [Cappe, 2011]"""

    learning_decay: float = param(
        0.7, "exponent of the step size of partial_fit: batch t counts t^-learning_decay", between=(0.5, 1)
    )
    online_statistics_: Array = learned("mean expected statistics per row of all batches", optional=True)
    online_centre_: Array = learned("column means of the first batch", shape="features", optional=True)
    n_batches_: int = learned("number of batches that partial_fit has seen", optional=True)
    n_rows_seen_: float = learned("weighted number of rows that partial_fit has seen", optional=True)

    def partial_fit(self, X: Any, lengths: Any = None, *, y: Any = None, sample_weight: Any = None) -> Self:
        """Online EM: one E-step on a batch of sequences, and an M-step for the running means of its statistics.

        The first batch initialises the states and should have rows of all of them.
        """
        declared.check(self)
        data, owner = read_sequences(self, X, lengths), type(self).__name__
        states = checked_states(owner, y, len(data.X), self.n_components)
        weight = sequence_weights(owner, sample_weight, len(data.lengths))
        fitted = self.__sklearn_is_fitted__()
        if fitted:
            self._check_columns(data.X, data.names)
        self._check_rows(data, fitted)
        given = {} if fitted else self._given()
        with self._fitting(data.X, states, weight, going_on=True) as trace:
            if not fitted:
                self._remember_columns(data.X, data.names)
            if "n_batches_" not in self.__dict__:
                self.n_batches_, self.n_rows_seen_ = 0, 0.0
                self.online_centre_ = impute_means(data.X, None).mean(axis=0)
            likelihood = self._take_batch(data, weight, states, given, fitted)
            trace.record(-likelihood)
            trace.certify(
                "batches left", 0.0, 0.0, "the batch was taken into account; online EM does not measure its optimum"
            )
        return self

    def _take_batch(self, data: Sequences, weight: Array, states: Array | None, given: State, fitted: bool) -> float:
        """One step of online EM; returns the log likelihood per row of the batch before it."""
        owner, emissions = type(self).__name__, self._online_emissions(None if fitted else data.X)
        priors = {"startprob": _prior(self.startprob_prior), "transmat": _prior(self.transmat_prior)}
        steps = BaumWelch(data, weight, states, emissions, priors, frozenset(), False, owner)
        known = self._parameters() if fitted else next(iter(self._starts(steps, given)))
        chain = chain_of(data, emissions, known, states)
        found = chain.forward_backward(weight)
        refuse_impossible(owner, found.log_likelihood)
        heavy = found.states * data.per_row(weight)[:, None]
        first = np.cumsum(data.lengths) - data.lengths
        parameters = {name: known[name] for name in emissions.names}
        batch = {"startprob": heavy[first].sum(axis=0), "transmat": found.transitions}
        batch |= emissions.statistics(data.X, heavy, parameters)
        sums = self._running_sums(batch, steps.rows)
        better = dict(known)
        for name in CHAIN:
            better[name] = posterior_counts(sums[name], priors[name], known[name])
        better |= emissions.from_statistics({name: sums[name] for name in batch if name not in CHAIN}, parameters)
        for letter, name in self._all_letters.items():
            self.__dict__[f"{name}_"] = better[name] if letter in self.params else known[name]
        return float(weight @ found.log_likelihood) / steps.rows

    def _running_sums(self, batch: State, rows: float) -> State:
        """Sums of all rows seen, for the mean statistics per row after this batch."""
        flat = np.concatenate([np.ravel(values) for values in batch.values()]) / rows
        self.n_batches_ += 1
        self.n_rows_seen_ += rows
        if self.n_batches_ > 1:
            if self.online_statistics_.shape != flat.shape:
                raise DataError(f"{type(self).__name__}: online_statistics_ are those of another kind of model")
            step = self.n_batches_**-self.learning_decay
            flat = (1 - step) * self.online_statistics_ + step * flat
        self.online_statistics_ = flat
        parts = np.split(self.n_rows_seen_ * flat, np.cumsum([np.size(values) for values in batch.values()])[:-1])
        return {name: part.reshape(np.shape(values)) for (name, values), part in zip(batch.items(), parts, strict=True)}

    def _online_emissions(self, X: Array | None) -> Any:
        """Emissions whose sums are about `online_centre_`, where they have a centre."""
        return self._emissions(X)


def _prior(prior: Array | float | None) -> Array | float:
    return 1.0 if prior is None else prior
