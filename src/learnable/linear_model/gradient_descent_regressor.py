"""Linear regression by gradient descent."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines import matrix_products
from ..engines.iterate import State
from ..engines.minimise.gradient_descent.batch_gradient import LinearProblem
from ..engines.minimise.row_losses import counted_rows, normalised_weights
from ..parts import losses
from ._gradient_descent_model import GradientDescentModel

LOSSES: dict[str, losses.Loss] = {
    "squared_error": losses.Squared(),
    "absolute_error": losses.Absolute(),
    "huber": losses.Huber(),
    "log_cosh": losses.LogCosh(),
    "epsilon_insensitive": losses.EpsilonInsensitive(),
    "squared_epsilon_insensitive": losses.SquaredEpsilonInsensitive(),
    "student_t": losses.StudentT(),
    "poisson": losses.Poisson(),
    "gamma": losses.Gamma(),
}


@estimator
class GradientDescentRegressor(GradientDescentModel, Regressor):
    """Linear regression by gradient descent: batch, stochastic or mini-batch.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b)  +  alpha penalty(w)        s_i sum to 1
    repeat                w <- w - rate * gradient

    On all rows per step (`batch_size=None`, batch), on one (1, stochastic) or on a few (mini-batch, reshuffled every
    epoch). The gradient is an average over rows; where a textbook sums, its learning rate is ours divided by n. A rate
    beyond 2 / (largest curvature) diverges, and a warning names that bound; "auto" takes half of it. `trace_` holds the
    objective and the root mean squared error of every epoch. For speed use SGDRegressor, for exact solutions
    LinearRegression. [Cauchy, 1847]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = GradientDescentRegressor(learning_rate=0.2).fit(X, y)
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([2.]), 1.0)
    """

    loss: str = param("squared_error", "loss function", accepts=LOSSES.__contains__, says=f"one of {', '.join(LOSSES)}")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    coef_path_: Array = learned("coefficients before and after every epoch", shape="points features", optional=True)
    intercept_path_: Array = learned("intercept along that path", shape="points", optional=True)

    title = "linear regression by gradient descent"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data)
        loss = LOSSES[self.loss]
        loss.check(y)
        row_weight = normalised_weights(weight, len(y))
        problem = LinearProblem(X, y, row_weight, loss, self._penalty(), bool(self.fit_intercept))
        with np.errstate(over="ignore", invalid="ignore"):
            size = _size(problem)
        self._keep(self._descend(problem, (data.p,), size, trace), data)

    def _keep(self, state: State, data: Data) -> None:
        self.coef_, self.intercept_ = state["coef"].astype(data.X.dtype), float(state["intercept"])
        if self.keep_path:
            path = np.array(state["path"])
            self.coef_path_, self.intercept_path_ = path[:, :-1], path[:, -1]

    def _predict(self, X: Matrix) -> Array:
        return LOSSES[self.loss].predict(matrix_products.scores(X, self.coef_, self.intercept_))


def _size(problem: LinearProblem) -> float:
    """Root mean square of the row gradients at the best constant prediction."""
    y, row_weight, loss = problem.y, problem.row_weight, problem.loss
    best = loss.best_constant(y, row_weight) if problem.fit_intercept else 0.0
    least, none = (float(np.sqrt(row_weight @ loss.gradient(y, np.full_like(y, z)) ** 2)) for z in (best, 0.0))
    return max(least, 1e-9 * none) or 1.0
