"""Multi-layer perceptron regressor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from ..core import estimator, param
from ..core.sklearn_api.conditional_methods import available_if
from ..engines.networks.dense_plan import OutputLoss
from ._mlp_base import MLP, ActivationName, is_stochastic
from ._network_regression import NetworkRegression

KERNEL_NAMES = {"squared_error": "squared", "poisson": "poisson"}


@estimator
class MLPRegressor(MLP, NetworkRegression):
    """Multi-layer perceptron regressor: dense layers trained by backpropagation on squared error or Poisson deviance.

    minimise over W, b    sum_i s_i loss(y_i, h_L W_L + b_L) / sum_i s_i  +  alpha |W|^2 / (2 n)

    h_{l+1} = g(h_l W_l + b_l) with h_0 = x; n are the rows of a batch; the loss is half the squared error, summed over
    targets, or half the Poisson deviance with a logarithmic link. The same seed gives scikit-learn's weights. Scale the
    columns first. The objective is not convex: the certificate says how small its gradient has become.
    [Rumelhart, Hinton and Williams, 1986; Kingma and Ba, 2015]

    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> model = MLPRegressor(hidden_layer_sizes=(8,), solver="lbfgs", random_state=0).fit(X, [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[2.0]]).round(1)
    array([4.])
    """

    loss: Literal["squared_error", "poisson"] = param("squared_error", "loss function", kw_only=False)
    hidden_layer_sizes: int | Sequence[int] | np.ndarray = param(
        (100,), "number of units of each hidden layer", kw_only=False, at_least=1,
        tune=((32,), (100,), (100, 100)), simpler="smaller",
    )  # fmt: skip
    activation: ActivationName | Sequence[ActivationName] = param(
        "relu", "activation function of the hidden layers, or a list with one for each", kw_only=False
    )

    title = "multi-layer perceptron regressor"

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss(KERNEL_NAMES[self.loss])

    @available_if(is_stochastic)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, continuing from the previous call."""
        return self._partial_fit(X, y, sample_weight)
