"""Log-cosh regression."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..engines import matrix_products
from ..engines.minimise.quantile.solve import QuantileTask
from ..engines.minimise.row_losses import RobustRows, counted_rows, normalised_weights
from ..engines.minimise.smooth_solver import Smooth
from ..parts.losses.log_cosh import LogCosh
from ..parts.losses.optimal_constants import quantile

MAX_START_RESIDUAL = 20.0  # mean residual in scales from which the median regression gives better initial values


@estimator
class LogCoshRegressor(Regressor):
    """Log-cosh regression: squared error for residuals well below `scale`, absolute error well above.

    minimise over w, b    sum_i s_i scale^2 log cosh((y_i - x_i w - b) / scale) + alpha |w|^2 / 2,  s_i = weight_i / sum

    Newton's method, from the median regression where residuals are many scales long; cost n p^2 a step. With a large
    scale it is least squares, with a small one least absolute deviations. [Saleh and Saleh, 2022]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 90.0]
    >>> LogCoshRegressor(scale=0.01).fit(X, y).coef_.round(2)
    array([1.01])
    """

    scale: float = param(1.0, "residual at which squared error turns into absolute error", above=0)
    alpha: float = param(
        0.0, "regularisation strength", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int = param(100, "maximum number of iterations", at_least=1)
    tol: float = param(
        1e-5, "relative gradient norm that ends the fit; its square is reached if rounding allows", at_least=0
    )
    warm_start: bool = param(False, "whether to start from the previous solution")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr")
    title = "log-cosh regression"
    reference = "Saleh and Saleh, Statistical properties of the log-cosh loss function, 2022"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data)
        rows = RobustRows(LogCosh(), y / self.scale, normalised_weights(weight, len(y)))
        task = Smooth(X, rows, self.alpha, self.fit_intercept, "newton-cholesky", self.max_iter, self.tol)
        coef, intercept = task.solve(*self._initial_values(X, rows), trace)
        self.n_iter_ = trace.iterations
        self.coef_ = (coef * self.scale).astype(data.X.dtype)
        self.intercept_ = intercept * self.scale if self.fit_intercept else 0.0

    def _initial_values(self, X: Matrix, rows: RobustRows) -> tuple[Array, float]:
        """Initial values: the previous solution, or the median regression, or the median."""
        if self.warm_start and "coef_" in self.__dict__:
            return self.coef_.astype(np.float64) / self.scale, self.intercept_ / self.scale
        middle = quantile(rows.y, rows.row_weight, 0.5) if self.fit_intercept else 0.0
        if float(rows.row_weight @ np.abs(rows.y - middle)) < MAX_START_RESIDUAL:
            return np.zeros(X.shape[1]), middle
        median = QuantileTask(
            X, rows.y, rows.row_weight, 0.5, 0.0, self.fit_intercept, "highs", None, 100, ridge=self.alpha / 2
        )
        return median.solve(Trace())

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)
