"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._sgd.sgd_base import SGDConfig
from ._sgd.sgd_params import GradientDescentParams, RateName
from ._sgd.sgd_regressor_base import SGDRegressorBase

LossName = Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]


@estimator
class SGDRegressor(GradientDescentParams, SGDRegressorBase):
    """Linear regression by stochastic gradient descent, for large data and streams.

    minimise over w, b    mean_i s_i loss(y_i, x_i w + b)  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    A step per row, in a new random order in each epoch; the learning rate follows `learning_rate`. A weight
    multiplies the step of its row, and since many small steps are not one long one, a weight of 3 is three copies only
    in the limit of small rates; a weight of 0 is an absent row. Scale the columns first. Cost of an epoch: the entries
    of X. [Bottou, 2010; Tsuruoka et al., 2009]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 50, [-1.0, 1.0, 3.0, 5.0] * 50
    >>> model = SGDRegressor(alpha=0.0, eta0=0.1, tol=1e-6, random_state=0).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([2.]), array([1.]))
    """

    loss: LossName = param("squared_error", "loss function", kw_only=False)
    learning_rate: RateName = param("invscaling", "learning-rate schedule")
    power_t: float = param(0.25, "exponent of the step number in the invscaling schedule")

    title = "linear regression by stochastic gradient descent"
    reference = "Bottou, Large-scale machine learning with stochastic gradient descent, COMPSTAT 2010"

    def _sgd_config(self) -> SGDConfig:
        return SGDConfig(
            self.loss, self.epsilon, self.penalty, self.alpha, self.l1_ratio, self.learning_rate, self.eta0,
            self.power_t, int(self.average),
        )  # fmt: skip
