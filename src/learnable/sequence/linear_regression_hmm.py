"""Hidden Markov models of linear regression: every state has coefficients of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, Traits, estimator, learned, param
from ..engines.generative.component_covariances import rounding
from ..engines.iterate import State
from ._emissions.regression import RegressionEmissions
from ._hmm.hmm_base import HiddenMarkovModel
from ._sequences import Sequences


@estimator
class LinearRegressionHMM(HiddenMarkovModel):
    """Hidden Markov model of linear regression: each hidden state has its own regression on the inputs.

    maximise over pi, A, B, S    log sum over paths z of  pi_z1 prod_t A_zt-1,zt prod_t N(y_t; B_zt (1, u_t), S_zt)

    The last `n_targets` columns of `X` are the targets y, and the others the inputs u. The M-step is weighted least
    squares for each state. [Hamilton, 1989]

    >>> import numpy as np
    >>> u = np.linspace(0, 1, 40)
    >>> X = np.column_stack([u, np.where(np.arange(40) < 20, 1 + 2 * u, 5 - 3 * u)])
    >>> model = LinearRegressionHMM(2, n_iter=200, n_init=5, random_state=0).fit(X)
    >>> sorted(model.coef_[:, 0, 0].round(2).tolist())
    [-3.0, 2.0]
    """

    n_targets: int = param(1, "number of columns, the last ones of X, that are targets", at_least=1)
    alpha: float = param(1e-8, "weight of the penalty of squared coefficients", at_least=0)
    min_covar: float = param(1e-6, "variance added to every target", at_least=0)
    params: str = param("stbc", "parameters to estimate: s(tart), t(ransitions), b (coefficients), c(ovariances)")
    init_params: str = param("stbc", "parameters to initialise; others keep the values they were set to")
    coefficients_: Array = learned(
        "intercept and coefficients of each target in each state", shape="states targets inputs"
    )
    covariances_: Array = learned("covariance of the residuals in each state", shape="states targets targets")

    title = "hidden Markov model of linear regression"
    reference = "Hamilton, A new approach to the economic analysis of nonstationary time series, 1989"
    letters = {"b": "coefficients", "c": "covariances"}
    traits = Traits(missing="refuse")

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

    def predict_target(self, X: Any, lengths: Any = None) -> Array:
        """The mean of the targets at each step, given its inputs and the rows before."""
        chain = self._chain(X, lengths)
        filtered, parameters = chain.filter()[1], self._parameters()
        before = np.vstack([parameters["startprob"], filtered[:-1] @ parameters["transmat"]])
        before[chain.offset[:-1]] = parameters["startprob"]
        data = self._read_sequences(X, lengths)
        inputs = np.column_stack([np.ones(len(data.X)), data.X[:, : data.X.shape[1] - self.n_targets]])
        return np.asarray(np.einsum("tk,kdq,tq->td", before, parameters["coefficients"], inputs))

    def sample(self, n_samples: Any = 1, random_state: Any = None, currstate: int | None = None) -> tuple[Array, Array]:
        """Rows drawn for given inputs, a table `n_samples` of them; a number is refused, as targets need inputs."""
        if np.ndim(n_samples) != 2:
            raise DataError(f"{type(self).__name__}: sample needs a table of inputs; targets depend on them")
        inputs = np.asarray(n_samples, dtype=np.float64)
        residuals, states = super().sample(len(inputs), random_state, currstate)
        means = np.einsum("tdq,tq->td", self.coefficients_[states], np.column_stack([np.ones(len(inputs)), inputs]))
        return np.column_stack([inputs, means + residuals]), states

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        if data.X.shape[1] < self.n_targets:
            raise ParameterError(
                f"{type(self).__name__}: n_targets={self.n_targets}, but X has {data.X.shape[1]} columns"
            )

    def _emissions(self, X: Array | None = None) -> RegressionEmissions:
        targets = self.n_targets if X is not None else self.covariances_.shape[1]
        return RegressionEmissions(targets, 0.0 if X is None else self.min_covar, self.alpha, type(self).__name__)

    def _rounding(self, parameters: State) -> float:
        return max(1e-8, rounding(parameters))

    def _width(self) -> int:
        return int(self.coefficients_.shape[1] + self.coefficients_.shape[2] - 1)
