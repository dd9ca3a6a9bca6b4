"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Literal

from ..core import Array, Matrix, estimator, learned, param
from ..core.random import RandomState
from .course import Course
from .stochastic_regressor import StochasticRegressor

LossName = Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
RateName = Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]


@estimator
class SGDRegressor(StochasticRegressor):
    """A linear model that learns from one row at a time, for data that are many or that keep coming.

    minimise over w, b    mean_i s_i loss(y_i, x_i w + b)  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    A step per row, in an order drawn anew for each epoch; the rate of the steps follows `learning_rate`. A weight
    multiplies the step of its row, and since many small steps are not one long one, a weight of 3 is three copies only
    in the limit of small rates; a weight of 0 is an absent row. Scale the columns first. Cost of an epoch: the entries
    of X. [Bottou, 2010; Tsuruoka et al., 2009]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 50, [-1.0, 1.0, 3.0, 5.0] * 50
    >>> model = SGDRegressor(alpha=0.0, eta0=0.1, tol=1e-6, random_state=0).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([2.]), array([1.]))
    """

    loss: LossName = param("squared_error", "what an error costs", kw_only=False)
    penalty: Literal["l2", "l1", "elasticnet"] | None = param("l2", "what weights cost")
    alpha: float = param(0.0001, "strength of the penalty", at_least=0)
    l1_ratio: float | None = param(0.15, "share of the absolute part of an elastic net", between=(0, 1))
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    epsilon: float = param(0.1, "where the losses with a tube or a bend have it", at_least=0)
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    learning_rate: RateName = param("invscaling", "how the rate of the steps changes")
    eta0: float = param(0.01, "rate of the first step, or aggressiveness of pa1 and pa2", above=0)
    power_t: float = param(0.25, "power of the step number by which invscaling divides the rate")
    early_stopping: bool = param(False, "whether the score of validation rows, not the objective, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
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
    reference = "Bottou, Large-scale machine learning with stochastic gradient descent, COMPSTAT 2010"

    def _course(self) -> Course:
        return Course(
            self.loss, self.epsilon, self.penalty, self.alpha, self.l1_ratio, self.learning_rate, self.eta0,
            self.power_t, int(self.average),
        )  # fmt: skip
