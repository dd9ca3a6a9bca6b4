"""Passive-aggressive regressor."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._sgd.sgd_base import SGDConfig
from ._sgd.sgd_params import PassiveAggressiveParams
from ._sgd.sgd_regressor_base import SGDRegressorBase


@estimator
class PassiveAggressiveRegressor(PassiveAggressiveParams, SGDRegressorBase):
    """Passive-aggressive regressor: weights change only for errors above epsilon, by just as much as needed.

    w += sign(y - x w) min(C, loss / |x|^2) x,    loss = max(0, |y - x w| - epsilon)

    With loss="squared_epsilon_insensitive" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in a new
    random order in each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 20, [-1.0, 1.0, 3.0, 5.0] * 20
    >>> model = PassiveAggressiveRegressor(epsilon=0.01, random_state=0).fit(X, y)
    >>> model.predict([[10.0]]).round(0)
    array([21.])
    """

    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        "epsilon_insensitive", "epsilon_insensitive: PA-I steps; squared_epsilon_insensitive: PA-II steps"
    )
    epsilon: float = param(0.1, "absolute error up to which the loss is zero", at_least=0)

    title = "passive-aggressive regressor"
    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _sgd_config(self) -> SGDConfig:
        rate = "pa1" if self.loss == "epsilon_insensitive" else "pa2"
        return SGDConfig("epsilon_insensitive", self.epsilon, rate=rate, eta=self.C, average=int(self.average))
