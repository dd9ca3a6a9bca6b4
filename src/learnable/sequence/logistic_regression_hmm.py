"""Hidden Markov models of logistic regression: every state has coefficients of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, estimator, param
from ._emissions.logistic import LogisticEmissions
from ._hmm.regression_hmm import RegressionHMM


@estimator
class LogisticRegressionHMM(RegressionHMM):
    """Hidden Markov model of logistic regression: each hidden state has its own log odds, linear in the inputs.

    maximise over pi, A, B    log sum over paths z of  pi_z1 prod_t A_zt-1,zt P(y_t | u_t, z_t)  -  alpha |B|^2 / 2,
    P(y_t = 1 | u_t, z_t) = 1 / (1 + exp(-B_zt (1, u_t)))

    The last `n_targets` columns of `X` are binary targets y, 1 above `binarize`, the others the inputs u. The M-step is
    weighted logistic regression for each state, by Newton's method. [Bengio and Frasconi, 1996]

    >>> import numpy as np
    >>> u = np.tile([-2.0, -1.0, 1.0, 2.0], 20)
    >>> X = np.column_stack([u, np.where(np.arange(80) < 40, u > 0, u < 0)])
    >>> model = LogisticRegressionHMM(2, n_iter=100, n_init=3, random_state=0).fit(X)
    >>> sorted(np.sign(model.coef_.ravel()).tolist())
    [-1.0, 1.0]
    """

    binarize: float = param(0.5, "threshold above which targets are 1")
    alpha: float = param(1e-2, "weight of the penalty of squared coefficients", above=0)
    params: str = param("stb", "parameters to estimate: s(tart), t(ransitions), b (coefficients)")
    init_params: str = param("stb", "parameters to initialise; others keep the values they were set to")

    title = "hidden Markov model of logistic regression"
    reference = "Bengio and Frasconi, Input-output HMMs for sequence processing, 1996"
    letters = {"b": "coefficients"}
    traits = Traits(missing="refuse")

    def predict_target(self, X: Any, lengths: Any = None) -> Array:
        """The probability that each target is 1 at each step, given its inputs and the rows before."""
        before, inputs = self._before(X, lengths)
        logits = np.einsum("kdq,tq->tkd", self.coefficients_, inputs)
        return np.asarray(np.einsum("tk,tkd->td", before, 0.5 * (1 + np.tanh(0.5 * logits))))

    def _observed(self, scores: Array, noise: Array) -> Array:
        return np.asarray(scores + noise > 0, dtype=np.float64)

    def _emissions(self, X: Array | None = None) -> LogisticEmissions:
        targets = self.n_targets if X is not None else self.coefficients_.shape[1]
        return LogisticEmissions(targets, self.binarize, self.alpha)
