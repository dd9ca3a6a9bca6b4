"""Multi-layer perceptron classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..core import estimator, param
from ..core.sklearn_api.conditional_methods import available_if
from ._mlp_base import MLP, ActivationName, is_stochastic
from ._network_classification import NetworkClassification


@estimator
class MLPClassifier(MLP, NetworkClassification):
    """Multi-layer perceptron classifier: dense layers trained by backpropagation on the log loss.

    minimise over W, b    sum_i s_i log_loss(y_i, p(x_i)) / sum_i s_i  +  alpha |W|^2 / (2 n)

    p = softmax(h_L W_L + b_L), or the logistic function for two classes and for several labels per row, and
    h_{l+1} = g(h_l W_l + b_l) with h_0 = x; n are the rows of a batch. The same seed gives scikit-learn's weights.
    Scale the columns first. Cost of an epoch: six operations per row and weight. The objective is not convex: the
    certificate says how small its gradient has become. [Rumelhart, Hinton and Williams, 1986; Kingma and Ba, 2015]

    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> model = MLPClassifier((4,), activation="tanh", solver="lbfgs", random_state=1).fit(X, y)
    >>> model.predict(X)
    array([0, 1, 1, 0])
    """

    hidden_layer_sizes: int | Sequence[int] | np.ndarray = param(
        (100,), "number of units of each hidden layer", kw_only=False, at_least=1,
        tune=((32,), (100,), (100, 100)), simpler="smaller",
    )  # fmt: skip
    activation: ActivationName | Sequence[ActivationName] = param(
        "relu", "activation function of the hidden layers, or a list with one for each", kw_only=False
    )

    title = "multi-layer perceptron classifier"

    @available_if(is_stochastic)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over the rows given; the first call needs all `classes`, unless rows have several labels."""
        return self._partial_fit(X, y, sample_weight, classes)
