"""Pre-tuned neural network classifier for tables."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, estimator, learned, param
from ..parts.class_weights import class_weights
from ..parts.layers import Layer
from ..parts.layers.layer import ActivationName
from ._layer_network import LayerNetwork
from ._tabular_network import TabularNetwork
from .network_classifier import NetworkClassifier


@estimator
class TabularNetworkClassifier(TabularNetwork, ProbabilisticClassifier):
    """Pre-tuned neural network classifier for tables: categories and missing values as they are, several members.

    minimise over the weights of each member    mean log_loss(y_i, p(x_i)) of its training rows, stopped on the others

    Numbers are scaled by their quartiles and encoded by quantile bins, categories by indicators. Every member holds
    another fold out, for its best epoch and a temperature; probabilities are averaged. The settings are those that did
    well on many tables, so that nothing needs tuning. [Holzmüller, Grinsztajn and Steinwart, 2024; Gorishniy et al.,
    2022; Guo et al., 2017]

    >>> import numpy as np
    >>> X = [["red", 1.0], ["blue", 2.0], ["red", float("nan")], ["blue", 1.5]] * 20
    >>> y = ["warm", "cold", "warm", "cold"] * 20
    >>> model = TabularNetworkClassifier(members=2, max_iter=10, random_state=0).fit(X, y)
    >>> model.predict([["red", float("nan")], ["blue", 7.0]]).tolist()
    ['warm', 'cold']
    """

    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weights of the classes, which multiply those of the rows"
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    temperatures_: list[float] = learned("what the log-probabilities of each network are divided by")

    title = "pre-tuned neural network classifier"

    @property
    def _usual_activation(self) -> ActivationName:
        return "selu"

    def _member(self, layers: list[Layer], settings: dict[str, Any]) -> LayerNetwork:
        return NetworkClassifier(layers=layers, **settings)

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = data.weight
        if self.class_weight is not None:
            owner = type(self).__name__
            factors = class_weights(self.class_weight, self.classes_, data.y, weight, owner)[data.y]
            weight = np.asarray(factors if weight is None else factors * weight)
        self.temperatures_ = []
        self._fit_members(Data(data.X, data.y, weight, data.names), data.y, data.y, trace)

    def _examine(self, network: LayerNetwork, X: Array, y: Array, weight: Array) -> None:
        if not len(X):
            self.temperatures_.append(1.0)
            return
        probabilities = network.predict_proba(X)  # type: ignore[attr-defined]  # it is a classifier
        codes = np.searchsorted(network.classes_, y)  # type: ignore[attr-defined]  # it is a classifier
        self.temperatures_.append(best_temperature(probabilities, codes, weight))

    def _probabilities(self, X: Matrix) -> Array:
        inputs = self._inputs(X)
        total = np.zeros((len(inputs), len(self.classes_)))
        for network, temperature in zip(self.estimators_, self.temperatures_, strict=True):
            total[:, network.classes_] += at_temperature(network.predict_proba(inputs), temperature)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def _unsound(self) -> str:
        known = all(set(one.classes_.tolist()) <= set(range(len(self.classes_))) for one in self.estimators_)
        paired = len(self.temperatures_) == len(self.estimators_) and all(t > 0 for t in self.temperatures_)
        if not known or not paired:
            return "the networks have other classes or temperatures"
        return super()._unsound()


def at_temperature(probabilities: Array, temperature: float) -> Array:
    """The probabilities whose logarithms are divided by a temperature: above 1 they are less extreme.

    >>> at_temperature(np.array([[0.9, 0.1]]), 2.0).round(2)
    array([[0.75, 0.25]])
    """
    scores = np.log(np.clip(probabilities.astype(np.float64), 1e-12, 1)) / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def best_temperature(probabilities: Array, codes: Array, weight: Array) -> float:
    """The temperature with the smallest log loss on held-out rows, from 1 to 5. [Guo et al., 2017]"""
    from scipy.optimize import minimize_scalar

    rows = np.arange(len(codes))

    def loss(logarithm: float) -> float:
        chosen = at_temperature(probabilities, float(np.exp(logarithm)))[rows, codes]
        return float(np.average(-np.log(np.maximum(chosen, 1e-12)), weights=weight))

    found = minimize_scalar(loss, bounds=(0.0, np.log(5.0)), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))
