"""Neural network regressor of declared layers."""

from __future__ import annotations

from typing import Any, Literal, Self

from ..core import ParameterError, estimator, param
from ..engines.networks.dense_plan import OutputLoss
from ._layer_network import LayerNetwork
from ._network_regression import NetworkRegression

KERNEL_NAMES = {"squared_error": "squared", "absolute_error": "absolute"}


@estimator
class NetworkRegressor(LayerNetwork, NetworkRegression):
    """Neural network regressor: a list of layers, trained by backpropagation on a loss of the residuals.

    minimise over all weights    sum_i s_i loss(y_i, f(x_i)) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    The output layer is added. The loss is half the squared error, the absolute error, Huber's, that of a quantile,
    log-cosh, or half the Poisson deviance with a logarithmic link; `loss_parameter` is the threshold of Huber's and the
    level of the quantile. Scale columns and targets first. The certificate says how small the gradient has become.
    [Rumelhart, Hinton and Williams, 1986; Kingma and Ba, 2015]

    >>> import numpy as np
    >>> from learnable.neural_network import Dense
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> model = NetworkRegressor([Dense(16, "tanh")], learning_rate_init=0.02, random_state=0)
    >>> bool(model.fit(X, np.sin(3 * X[:, 0])).score(X, np.sin(3 * X[:, 0])) > 0.98)
    True
    """

    loss: Literal["squared_error", "absolute_error", "huber", "quantile", "log_cosh", "poisson"] = param(
        "squared_error", "loss function"
    )
    loss_parameter: float = param(0.5, "threshold of the loss huber, or level of the loss quantile", above=0)

    title = "neural network regressor"

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss(KERNEL_NAMES.get(self.loss, self.loss), float(self.loss_parameter))

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from rows `X` and targets `y`; rows `X_val` with `y_val` are the validation set, if given."""
        if self.loss == "quantile" and not self.loss_parameter < 1:
            raise ParameterError(
                f"NetworkRegressor: loss_parameter must be below 1 for a quantile; got {self.loss_parameter!r}"
            )
        return super().fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, continuing from the previous call."""
        return self._partial_fit(X, y, sample_weight)
