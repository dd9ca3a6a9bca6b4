"""Pre-tuned neural network regressor for tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned
from ..parts.layers import Layer
from ..parts.layers.layer import ActivationName
from ._layer_network import LayerNetwork
from ._tabular_network import TabularNetwork
from .network_regressor import NetworkRegressor


@estimator
class TabularNetworkRegressor(TabularNetwork, Regressor):
    """Pre-tuned neural network regressor for tables: categories and missing values as they are, several members.

    minimise over the weights of each member    mean (y_i - f(x_i))^2 / 2 of its training rows, stopped on the others

    As `TabularNetworkClassifier`, for numbers: targets are standardised, the predictions of the members are averaged,
    and stay within the range of the training targets. [Holzmüller, Grinsztajn and Steinwart, 2024; Gorishniy et al.,
    2022]

    >>> import numpy as np
    >>> X = np.linspace(-2, 2, 200)[:, None]
    >>> model = TabularNetworkRegressor(members=2, random_state=0).fit(X, np.abs(X[:, 0]))
    >>> bool(model.score(X, np.abs(X[:, 0])) > 0.98)
    True
    """

    target_mean_: float = learned("mean of the training targets")
    target_scale_: float = learned("standard deviation of the training targets, or one")
    target_range_: Array = learned("smallest and largest training target", shape="2")

    title = "pre-tuned neural network regressor"
    traits = Traits(double_target=True)

    @property
    def _usual_activation(self) -> ActivationName:
        return "mish"

    def _member(self, layers: list[Layer], settings: dict[str, Any]) -> LayerNetwork:
        return NetworkRegressor(layers=layers, **settings)

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else data.weight
        known = data.y[weight > 0]
        low, high = float(known.min()), float(known.max())
        middle = low / 2 + high / 2
        unit = max(high - middle, np.finfo(np.float64).tiny)
        scaled = (data.y - middle) / unit  # within -1 and 1: squares neither overflow nor vanish
        mean = float(np.average(scaled, weights=weight))
        spread = float(np.sqrt(np.average((scaled - mean) ** 2, weights=weight))) or 1.0
        self.target_mean_, self.target_scale_ = middle + unit * mean, unit * spread
        self.target_range_ = np.array([low, high])
        self._fit_members(data, (scaled - mean) / spread, np.zeros(data.n, dtype=np.int64), trace)

    def _predict(self, X: Matrix) -> Array:
        inputs = self._inputs(X)
        mean = np.mean([network.predict(inputs).astype(np.float64) for network in self.estimators_], axis=0)
        return np.asarray(np.clip(self.target_mean_ + self.target_scale_ * mean, *self.target_range_))
