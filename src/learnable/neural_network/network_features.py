"""Features made by a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, Traits, Transformer, cloned, estimator, learned, param
from ..core.declare.params import REQUIRED
from ..core.sklearn_api.estimator_type import is_fitted


def _has_activations(value: Any) -> bool:
    return hasattr(value, "activations") and hasattr(value, "fit")


@estimator
class NetworkFeatures(Transformer):
    """Network features: the values of a hidden layer of a neural network, as columns for another model.

    h = the values of layer `layer` of the network at x

    A network that is not fitted is fitted here, with the targets; to use one that is, freeze it:
    `NetworkFeatures(FrozenEstimator(network))`. Nearest neighbours and linear models on the last hidden layer of a
    convolutional network are strong classifiers, with few labels too. [Donahue et al., 2014]

    >>> from learnable import FrozenEstimator
    >>> from learnable.neural_network import MLPClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> network = MLPClassifier((3,), solver="lbfgs", random_state=0, alpha=0.01).fit(X, y)
    >>> NetworkFeatures(FrozenEstimator(network)).fit(X).transform(X).shape
    (4, 3)
    """

    network: Any = param(REQUIRED, "the network", kw_only=False, accepts=_has_activations, says="a neural network")
    layer: int = param(-1, "number of the layer: 0 is the first hidden one, -1 the last")

    network_: Any = learned("the fitted network")

    traits = Traits(uses_target="if given")
    title = "network features"
    reference = "Donahue et al., DeCAF: a deep convolutional activation feature, ICML 2014"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.network_ = cloned(self.network)
        if not is_fitted(self.network_):
            if not len(data.y):
                raise ParameterError(
                    "NetworkFeatures: the network is not fitted; pass y to fit it, or a fitted one as "
                    "FrozenEstimator(network)"
                )
            self.network_.fit(data.X, data.y, data.weight)
        self._values(data.X[:1])
        trace.adopt(self.network_, "the values of a layer of the fitted network")

    def _values(self, X: Matrix) -> Array:
        found = np.asarray(self.network_.activations(X, self.layer))
        return found.reshape(len(found), -1)

    def _transform(self, X: Matrix) -> Array:
        return self._values(X).astype(X.dtype if X.dtype.kind == "f" else np.float64, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        width = self._values(np.zeros((1, self.n_features_in_))).shape[1]
        return [f"networkfeatures{k}" for k in range(width)]
