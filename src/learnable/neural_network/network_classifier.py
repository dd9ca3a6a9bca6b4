"""Neural network classifier of declared layers."""

from __future__ import annotations

from typing import Any, Self

from ..core import estimator, param
from ..engines.networks.dense_plan import OutputLoss
from ._layer_network import LayerNetwork
from ._network_classification import NetworkClassification


@estimator
class NetworkClassifier(LayerNetwork, NetworkClassification):
    """Neural network classifier: a list of layers, trained by backpropagation on the cross-entropy.

    minimise over all weights    sum_i s_i log_loss(y_i, p(x_i)) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    The output layer is added: softmax, or the logistic function for two classes and for several labels per row. Rows
    are flat; `input_shape` says what they are. Compiled kernels train, many steps a call; with `executor="tape"` the
    same layers run on `learnable.tape`. The objective is not convex, and the certificate says how small its gradient
    is. [Rumelhart, Hinton and Williams, 1986; LeCun et al., 1998; Kingma and Ba, 2015]

    >>> from learnable.neural_network import Conv, Dense, Flatten, MaxPool
    >>> from learnable import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> layers = [Conv(8, 3, "relu", padding="same"), MaxPool(2), Flatten(), Dense(32, "relu")]
    >>> model = NetworkClassifier(layers, (8, 8, 1), learning_rate_init=0.003, schedule="cosine", max_iter=15)
    >>> bool(model.set_params(random_state=0).fit(X[:1200] / 16, y[:1200]).score(X[1200:] / 16, y[1200:]) > 0.9)
    True
    """

    label_smoothing: float = param(0.0, "probability that targets give to all classes alike", at_least=0, below=1)

    title = "neural network classifier"

    @property
    def _output_loss(self) -> OutputLoss:
        return OutputLoss("softmax" if self._one_of_several else "logistic", 0.0, float(self.label_smoothing))

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over the rows given; the first call needs all `classes`, unless rows have several labels."""
        return self._partial_fit(X, y, sample_weight, classes)
