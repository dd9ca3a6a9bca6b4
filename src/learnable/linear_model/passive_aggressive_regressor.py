"""Passive-aggressive regression."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._sgd.sgd_base import Course
from ._sgd.sgd_params import Aggressive
from ._sgd.sgd_regressor_base import StochasticRegressor


@estimator
class PassiveAggressiveRegressor(Aggressive, StochasticRegressor):
    """A linear model that leaves its weights alone while a row is met, and else moves them just as far as needed.

    w += sign(y - x w) min(C, loss / |x|^2) x,    loss = max(0, |y - x w| - epsilon)

    With loss="squared_epsilon_insensitive" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in an order
    drawn anew for each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 20, [-1.0, 1.0, 3.0, 5.0] * 20
    >>> model = PassiveAggressiveRegressor(epsilon=0.01, random_state=0).fit(X, y)
    >>> model.predict([[10.0]]).round(0)
    array([21.])
    """

    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        "epsilon_insensitive", "which of the two lengths a step has"
    )
    epsilon: float = param(0.1, "error up to which a row is met", at_least=0)

    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _course(self) -> Course:
        rate = "pa1" if self.loss == "epsilon_insensitive" else "pa2"
        return Course("epsilon_insensitive", self.epsilon, rate=rate, eta=self.C, average=int(self.average))
