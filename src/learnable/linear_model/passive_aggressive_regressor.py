"""Passive-aggressive regression."""

from __future__ import annotations

from typing import Literal

from ..core import Array, Matrix, estimator, learned, param
from ..core.random import RandomState
from .course import Course
from .stochastic_regressor import StochasticRegressor


@estimator
class PassiveAggressiveRegressor(StochasticRegressor):
    """A linear model that leaves its weights alone while a row is met, and else moves them just as far as needed.

    w += sign(y - x w) min(C, loss / |x|^2) x,    loss = max(0, |y - x w| - epsilon)

    With loss="squared_epsilon_insensitive" the length is loss / (|x|^2 + 1 / (2 C)). One step per row, in an order
    drawn anew for each epoch; a weight multiplies the step of its row. [Crammer et al., 2006]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 20, [-1.0, 1.0, 3.0, 5.0] * 20
    >>> model = PassiveAggressiveRegressor(epsilon=0.01, random_state=0).fit(X, y)
    >>> model.predict([[10.0]]).round(0)
    array([21.])
    """

    C: float = param(1.0, "longest step", above=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    early_stopping: bool = param(False, "whether the score of validation rows, not the loss, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        "epsilon_insensitive", "which of the two lengths a step has"
    )
    epsilon: float = param(0.1, "error up to which a row is met", at_least=0)
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    warm_start: bool = param(False, "whether fit starts from the last weights")
    average: bool | int = param(False, "whether to average the weights, or from which step on", at_least=0)
    coef_: Matrix = learned("weight of each column", shape="features")
    intercept_: Array = learned("constant term", shape="one")
    n_iter_: int = learned("epochs done")
    t_: float = learned("number of the next step")
    standard_coef_: Array = learned("weights before averaging", shape="features", optional=True)
    standard_intercept_: Array = learned("constant term before averaging", shape="one", optional=True)
    average_coef_: Array = learned("average of the weights", shape="features", optional=True)
    average_intercept_: Array = learned("average of the constant term", shape="one", optional=True)

    sparse = True
    storage = "csr"
    stochastic = True
    reference = "Crammer et al., Online passive-aggressive algorithms, JMLR 7, 2006"

    def _course(self) -> Course:
        rate = "pa1" if self.loss == "epsilon_insensitive" else "pa2"
        return Course("epsilon_insensitive", self.epsilon, rate=rate, eta=self.C, average=int(self.average))
