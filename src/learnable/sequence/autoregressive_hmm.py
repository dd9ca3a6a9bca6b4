"""Autoregressive hidden Markov models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, estimator, learned, param
from ..engines.generative.component_covariances import rounding
from ..engines.iterate import State
from ._emissions.regression import RegressionEmissions
from ._hmm.hmm_base import HiddenMarkovModel
from ._sequence_input import Sequences


@estimator
class AutoregressiveHMM(HiddenMarkovModel):
    """Autoregressive hidden Markov model: each hidden state has its own vector autoregression of the rows.

    maximise over pi, A, B, S    log sum over paths z of  pi_z1 prod_t A_zt-1,zt
                                     prod_(t > n_lags) N(x_t; B_zt (1, x_t-1, ..., x_t-n_lags), S_zt)

    The first `n_lags` rows of each sequence are given: they say nothing about their states. [Hamilton, 1989]

    >>> import numpy as np
    >>> X = np.zeros((60, 1))
    >>> for t in range(1, 60):
    ...     X[t] = 1 + 0.5 * X[t - 1] if t < 30 else -0.9 * X[t - 1] + 0.01 * (t % 3)
    >>> model = AutoregressiveHMM(2, n_iter=200, n_init=5, random_state=0).fit(X)
    >>> sorted(model.coef_.ravel().round(1).tolist())
    [-0.9, 0.5]
    """

    n_lags: int = param(1, "number of rows before that a row depends on", at_least=1)
    alpha: float = param(1e-8, "weight of the penalty of squared coefficients", at_least=0)
    min_covar: float = param(1e-6, "variance added to every column", at_least=0)
    params: str = param("stbc", "parameters to estimate: s(tart), t(ransitions), b (coefficients), c(ovariances)")
    init_params: str = param("stbc", "parameters to initialise; others keep the values they were set to")
    coefficients_: Array = learned(
        "intercept and coefficients of each column in each state", shape="states features inputs"
    )
    covariances_: Array = learned("covariance of the residuals in each state", shape="states features features")

    title = "autoregressive hidden Markov model"
    reference = "Hamilton, A new approach to the economic analysis of nonstationary time series, 1989"
    letters = {"b": "coefficients", "c": "covariances"}
    traits = Traits(missing="refuse")

    @property
    def coef_(self) -> Array:
        """The coefficients, (states, lags, features, features): of a row on the one `lag` + 1 before."""
        self._require_fit()
        K, p, _ = self.coefficients_.shape
        return self.coefficients_[:, :, 1:].reshape(K, p, self.n_lags, p).swapaxes(1, 2)

    def sample(self, n_samples: int = 1, random_state: Any = None, currstate: int | None = None) -> tuple[Array, Array]:
        """A sequence of rows drawn from the model, and its states; rows before the first one are zero."""
        residuals, states = super().sample(n_samples, random_state, currstate)
        rows = np.vstack([np.zeros((self.n_lags, residuals.shape[1])), residuals])
        for t, state in enumerate(states.tolist(), start=self.n_lags):
            before = np.concatenate([[1.0], rows[t - self.n_lags : t][::-1].ravel()])
            rows[t] += self.coefficients_[state] @ before
        return rows[self.n_lags :], states

    def predict_mean(self, X: Any, lengths: Any = None) -> Array:
        """The mean of the row after the end of each sequence."""
        after = self.predict_next(X, lengths)
        data = self._read_sequences(X, lengths)
        last = data.X[np.cumsum(data.lengths) - 1]
        width = self._width()
        inputs = np.column_stack(
            [np.ones(len(last)), last[:, self.n_lags * width :], last[:, : (self.n_lags - 1) * width]]
        )
        return np.asarray(np.einsum("sk,kdq,sq->sd", after, self._parameters()["coefficients"], inputs))

    def _rows(self, data: Sequences) -> Sequences:
        """Each row after those before it, the latest first; those before the first are missing."""
        position = np.arange(len(data.X)) - np.repeat(np.cumsum(data.lengths) - data.lengths, data.lengths)
        lagged = []
        for lag in range(1, self.n_lags + 1):
            moved = np.roll(data.X, lag, axis=0)
            moved[position < lag] = np.nan
            lagged.append(moved)
        return data._replace(X=np.hstack([*lagged, data.X]))

    def _emissions(self, X: Array | None = None) -> RegressionEmissions:
        targets = self.covariances_.shape[1] if X is None else X.shape[1] // (self.n_lags + 1)
        return RegressionEmissions(targets, 0.0 if X is None else self.min_covar, self.alpha, type(self).__name__)

    def _unsound(self) -> str:
        K, p, _ = self.covariances_.shape
        shape = K, p, 1 + p * self.n_lags
        return "" if self.coefficients_.shape == shape else f"coefficients_ must have the shape {shape}"

    def _rounding(self, parameters: State) -> float:
        return max(1e-8, rounding(parameters))

    def _width(self) -> int:
        return int(self.covariances_.shape[1])
