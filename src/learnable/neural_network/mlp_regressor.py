"""Multi-layer perceptron regressor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, estimator, param
from ..core.declare import params
from ..core.r2 import r_squared
from ..core.roles.regressor import NumberPredictor
from ..core.sklearn_api.conditional_methods import available_if
from ..engines.networks.dense_plan import OutputLoss
from ..parts.losses import Poisson
from ._mlp_base import MLP, ActivationName, is_stochastic

KERNEL_NAMES = {"squared_error": "squared", "poisson": "poisson"}


@estimator
class MLPRegressor(MLP, NumberPredictor):
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
    multi_target = True
    flat_target = True

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss(KERNEL_NAMES[self.loss])

    def fit(self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None) -> Self:
        """Learn from rows `X` and targets `y`; rows `X_val` with `y_val` are the validation set, if given."""
        if (X_val is None) != (y_val is None):
            raise DataError(f"{type(self).__name__}: give X_val and y_val together")
        if X_val is None:
            return self._fit_checked(X, y, sample_weight)
        params.check(self)
        data, names = self._training_data(X, y, sample_weight)
        held_out, val_names = self._training_data(X_val, y_val, None)
        with self._fitting(data.X, data.y, data.weight, held_out.X, held_out.y) as trace:
            self._remember_columns(data.X, names)
            self._check_columns(held_out.X, val_names)
            self._learn(data, trace, held_out)
        return self

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data, trace)

    def _learn(self, data: Data, trace: Trace, validation: Data | None = None, once: bool = False) -> None:
        if self.loss == "poisson":
            Poisson().check(data.y)
        y = data.y.reshape(data.n, -1)
        self.out_activation_ = "exp" if self.loss == "poisson" else "identity"
        if validation is not None:
            known = np.ascontiguousarray(validation.y.reshape(validation.n, -1), dtype=np.float64)
            validation = Data(validation.X, known, validation.weight, validation.names)
        self._fit_network(data, y, y.shape[1], trace, validation, once)

    @available_if(is_stochastic)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, continuing from the previous call."""
        params.check(self)
        if self.early_stopping:
            raise ParameterError(f"{type(self).__name__}: partial_fit does not support early_stopping=True")
        data, names = self._training_data(X, y, sample_weight)
        known = "coefs_" in self.__dict__
        if known:
            self._check_columns(data.X, names)
        with self._fitting(data.X, data.y, data.weight, going_on=True) as trace:
            if not known:
                self._remember_columns(data.X, names)
            self._learn(data, trace, once=True)
        return self

    def _score_of(self, predictions: Array, y: Array, weight: Array | None) -> float:
        return float(r_squared(y, predictions.astype(np.float64), weight))

    def _predict(self, X: Matrix) -> Array:
        found = self._outputs(X)
        return found[:, 0] if found.shape[1] == 1 else found
