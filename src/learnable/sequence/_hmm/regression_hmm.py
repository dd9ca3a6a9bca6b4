"""Base class of hidden Markov models whose states are regressions of targets on inputs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core import Array, DataError, ParameterError, declaring, learned, param
from .._sequence_input import Sequences
from .hmm_base import HiddenMarkovModel


@declaring
class RegressionHMM(HiddenMarkovModel):
    """Base class of hidden Markov models with `coefficients_` (states, targets, 1 + inputs) of the last columns."""

    n_targets: int = param(1, "number of columns, the last ones of X, that are targets", at_least=1)
    coefficients_: Array = learned(
        "intercept and coefficients of each target in each state", shape="states targets inputs"
    )

    @property
    def coef_(self) -> Array:
        """The coefficients of the inputs, (states, targets, inputs)."""
        self._require_fit()
        return self.coefficients_[:, :, 1:]

    @property
    def intercept_(self) -> Array:
        """The intercepts, (states, targets)."""
        self._require_fit()
        return self.coefficients_[:, :, 0]

    def sample(self, n_samples: Any = 1, random_state: Any = None, currstate: int | None = None) -> tuple[Array, Array]:
        """Rows drawn for given inputs, a table `n_samples` of them; a number is refused, as targets need inputs."""
        if np.ndim(n_samples) != 2:
            raise DataError(f"{type(self).__name__}: sample needs a table of inputs; targets depend on them")
        inputs = np.asarray(n_samples, dtype=np.float64)
        noise, states = super().sample(len(inputs), random_state, currstate)
        wide = np.column_stack([np.ones(len(inputs)), inputs])
        scores = np.einsum("tdq,tq->td", self.coefficients_[states], wide)
        return np.column_stack([inputs, self._observed(scores, noise)]), states

    @abstractmethod
    def _observed(self, scores: Array, noise: Array) -> Array:
        """Targets for the scores B u and noise drawn from the emissions."""

    def _before(self, X: Any, lengths: Any) -> tuple[Array, Array]:
        """The probability of each state at each step, given the rows before; and the inputs with a column of ones."""
        chain = self._chain(X, lengths)
        filtered, parameters = chain.filter()[1], self._parameters()
        before = np.vstack([parameters["startprob"], filtered[:-1] @ parameters["transmat"]])
        before[chain.offset[:-1]] = parameters["startprob"]
        data = self._read_sequences(X, lengths)
        return before, np.column_stack([np.ones(len(data.X)), data.X[:, : data.X.shape[1] - self.n_targets]])

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        if data.X.shape[1] < self.n_targets:
            raise ParameterError(
                f"{type(self).__name__}: n_targets={self.n_targets}, but X has {data.X.shape[1]} columns"
            )

    def _width(self) -> int:
        return int(self.coefficients_.shape[1] + self.coefficients_.shape[2] - 1)
