"""Quantile regression; at the median, least absolute deviations."""

from __future__ import annotations

from typing import Any

from ..core import Array, Data, Matrix, ParameterError, Regressor, Trace, estimator, learned, param
from ..engines import matrix_products
from ..engines.minimise.quantile.solve import QuantileTask, Solver
from ..engines.minimise.row_losses import counted, normalised_weights


@estimator
class QuantileRegressor(Regressor):
    """A weighted sum of columns that a chosen share of the targets lies below; the median by default.

    minimise over w, b    sum_i s_i rho(y_i - x_i w - b) + alpha |w|_1 + ridge |w|^2 / 2,   s_i = weight_i / sum weight
                          rho(r) = quantile r where r >= 0, else (quantile - 1) r

    A linear programme. The default is our interior-point method, a dozen or two weighted least squares of cost n p^2
    each, moved to an exact vertex; where that cannot prove its answer, or columns abound, HiGHS solves the dual. Far
    outliers in y do not matter at all, since only the sign of a residual counts. [Koenker and Bassett, 1978]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 5.0, 7.0, 900.0]
    >>> model = QuantileRegressor(alpha=0).fit(X, y)
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([2.]), 1.0)
    """

    quantile: float = param(0.5, "the share of targets below the prediction", above=0, below=1)
    alpha: float = param(
        1.0, "strength of the absolute penalty", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    solver: Solver = param(
        "highs",
        "highs chooses between our interior-point method and HiGHS; the other names of scikit-learn insist on one of "
        "them, and irls is iterated reweighted least squares",
    )
    solver_options: dict[str, Any] | None = param(None, "options of scipy.optimize.linprog, which then solves it")
    ridge: float = param(0.0, "strength of a squared penalty, solved by our own methods", at_least=0)
    max_iter: int = param(1000, "most steps of our own methods", at_least=1)
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    n_iter_: int = learned("steps done")

    sparse = True
    storage = "csr"
    reference = "Koenker and Bassett, Regression quantiles, Econometrica 46, 1978"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.solver_options is not None and (self.solver in ("interior-point", "irls") or self.ridge > 0):
            raise ParameterError(
                "QuantileRegressor: solver_options are those of HiGHS, which takes no part in solver="
                f"{self.solver!r} with ridge={self.ridge:g}; leave them out, or choose solver='highs' and ridge=0"
            )
        X, y, weight = counted(data)
        task = QuantileTask(
            X, y, normalised_weights(weight, len(y)), self.quantile, self.alpha, self.fit_intercept,
            self.solver, self.solver_options, self.max_iter, self.ridge,
        )  # fmt: skip
        coef, intercept = task.solve(trace)
        self.n_iter_ = int(trace.rows[-1].get("iterations", trace.iterations))
        self.coef_ = coef.astype(data.X.dtype)
        self.intercept_ = intercept if self.fit_intercept else 0.0

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)
