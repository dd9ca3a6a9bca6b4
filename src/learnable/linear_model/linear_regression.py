"""Ordinary least squares linear regression."""

from __future__ import annotations

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..engines import matrix_products
from ..engines.minimise.least_squares.solve import least_squares, nonnegative_least_squares
from ..engines.minimise.linear_fit import LinearFit
from ..engines.minimise.ridge_path.gram_path import singular_values
from ._closed_form import keep
from ._gram_on_blocks import FitsMoments
from ._linear_summary import Statistics, Summary, summarise


@estimator
class LinearRegression(FitsMoments, Regressor):
    """Ordinary least squares linear regression.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2

    One pass over the data gives the normal equations; where they are ill conditioned an orthogonal factorisation is
    used, and if the solution is not unique, it has minimum norm. Cost n p^2, memory p^2. [Gauss, 1809]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(6), round(float(model.intercept_), 6)
    (array([2.]), 1.0)
    """

    fit_intercept: bool = param(True, "whether to fit an intercept")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    tol: float = param(1e-6, "accepted for compatibility; solutions are accurate to rounding", at_least=0)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    positive: bool = param(False, "whether coefficients are constrained to be non-negative")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    rank_: int = learned("rank of the centred columns")
    singular_: Array = learned("singular values of the centred columns (dense data)", shape="values", optional=True)
    statistics_: Statistics = learned("statistics of the coefficient table")

    traits = Traits(sparse=True, storage="csr", detects_non_finite=True, multi_target=True)
    title = "ordinary least squares linear regression"
    reference = "Gauss, Theoria motus corporum coelestium, 1809"

    def _fit(self, data: Data, trace: Trace) -> None:
        solve = nonnegative_least_squares if self.positive else least_squares
        fit: LinearFit = solve(data.X, data.y.reshape(data.n, -1), data.weight, self.fit_intercept)
        self.rank_ = fit.rank
        if not matrix_products.is_sparse(data.X):
            self.singular_ = singular_values(data, self.fit_intercept, fit.gram)
        keep(self, fit, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, t, p and intervals at `level`, and the quality of the fit."""
        return summarise(self, level)
