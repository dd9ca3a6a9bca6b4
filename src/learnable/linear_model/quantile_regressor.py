"""Quantile regression."""

from __future__ import annotations

from typing import Any

from ..core import Array, Data, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..engines import matrix_products
from ..engines.minimise.quantile.solve import QuantileTask, Solver
from ..engines.minimise.row_losses import counted_rows, normalised_weights


@estimator
class QuantileRegressor(Regressor):
    """Quantile regression: a linear model of a conditional quantile; the median by default.

    minimise over w, b    sum_i s_i rho(y_i - x_i w - b) + alpha |w|_1 + ridge |w|^2 / 2,   s_i = weight_i / sum weight
                          rho(r) = quantile r where r >= 0, else (quantile - 1) r

    A linear programme. The default is our interior-point method, a dozen or two weighted least squares of cost n p^2
    each, moved to an exact vertex; where that is not certified optimal, or with many columns, HiGHS solves the
    dual. Outliers in y have a bounded influence, since only the sign of a residual matters. [Koenker and Bassett, 1978]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 5.0, 7.0, 900.0]
    >>> model = QuantileRegressor(alpha=0).fit(X, y)
    >>> model.coef_.round(6), round(model.intercept_, 6)
    (array([2.]), 1.0)
    """

    quantile: float = param(0.5, "quantile level: the fraction of targets below the prediction", above=0, below=1)
    alpha: float = param(
        1.0,
        "regularisation strength of the l1 penalty",
        at_least=0,
        tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0),
        simpler="larger",
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    solver: Solver = param(
        "highs",
        "highs chooses between our interior-point method and HiGHS; the other names of scikit-learn select one, "
        "and irls is iteratively reweighted least squares",
    )
    solver_options: dict[str, Any] | None = param(None, "options of scipy.optimize.linprog, which they select")
    ridge: float = param(0.0, "regularisation strength of a squared l2 penalty, for our own methods", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations of our own methods", at_least=1)
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr")
    title = "quantile regression"
    reference = "Koenker and Bassett, Regression quantiles, Econometrica 46, 1978"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.solver_options is not None and (self.solver in ("interior-point", "irls") or self.ridge > 0):
            raise ParameterError(
                "QuantileRegressor: solver_options are those of HiGHS, which is not used with solver="
                f"{self.solver!r} with ridge={self.ridge:g}; leave them out, or choose solver='highs' and ridge=0"
            )
        X, y, weight = counted_rows(data)
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
