"""Hidden Markov models of linear regression: every state has coefficients of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, estimator, learned, param
from ..engines.generative.component_covariances import rounding
from ..engines.iterate import State
from ._emissions.regression import RegressionEmissions
from ._hmm.regression_hmm import RegressionHMM


@estimator
class LinearRegressionHMM(RegressionHMM):
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

    alpha: float = param(1e-8, "weight of the penalty of squared coefficients", at_least=0)
    min_covar: float = param(1e-6, "variance added to every target", at_least=0)
    params: str = param("stbc", "parameters to estimate: s(tart), t(ransitions), b (coefficients), c(ovariances)")
    init_params: str = param("stbc", "parameters to initialise; others keep the values they were set to")
    covariances_: Array = learned("covariance of the residuals in each state", shape="states targets targets")

    title = "hidden Markov model of linear regression"
    reference = "Hamilton, A new approach to the economic analysis of nonstationary time series, 1989"
    letters = {"b": "coefficients", "c": "covariances"}
    traits = Traits(missing="refuse")

    def predict_target(self, X: Any, lengths: Any = None) -> Array:
        """The mean of the targets at each step, given its inputs and the rows before."""
        before, inputs = self._before(X, lengths)
        return np.asarray(np.einsum("tk,kdq,tq->td", before, self.coefficients_, inputs))

    def _observed(self, scores: Array, noise: Array) -> Array:
        return scores + noise

    def _emissions(self, X: Array | None = None) -> RegressionEmissions:
        targets = self.n_targets if X is not None else self.covariances_.shape[1]
        return RegressionEmissions(targets, 0.0 if X is None else self.min_covar, self.alpha, type(self).__name__)

    def _rounding(self, parameters: State) -> float:
        return max(1e-8, rounding(parameters))
