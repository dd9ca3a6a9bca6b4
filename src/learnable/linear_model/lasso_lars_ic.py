"""Lasso by least angle regression with an information criterion."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Trace, estimator, learned, param, scaling
from ..core.numeric import EPSILON
from ..engines import matrix_products
from ..engines.minimise.least_squares.solve import least_squares, nonnegative_least_squares
from ..parts.information_criteria import penalty_per_parameter
from ._lars.lars_fit import certify_paths
from ._lars.lars_params import LarsBase

ENTRIES_AT_ONCE = 2**16  # residuals of rows at all knots


@estimator
class LassoLarsIC(LarsBase):
    """Lasso by least angle regression with an information criterion (AIC or BIC) for the choice of alpha.

    minimise over the knots    n log(2 pi s^2)  +  |y - Xw - b|^2 / s^2  +  k df,    k = 2 (aic) or log n (bic)

    s^2 is the noise variance, that of ordinary least squares unless given, and df the number of coefficients that are
    not zero, which is unbiased for the lasso. [Zou, Hastie and Tibshirani, 2007]

    >>> X, y = [[-2.0, 2.0], [-1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [-2.2, -1.1, 0.0, -1.1, -2.2]
    >>> LassoLarsIC(criterion="bic").fit(X, y).coef_.round(3)
    array([ 0. , -1.1])
    """

    criterion: Literal["aic", "bic"] = param("aic", "information criterion", kw_only=False)
    max_iter: int = param(500, "maximum number of steps of the path", at_least=0)
    positive: bool = param(False, "whether coefficients are constrained to be non-negative")
    noise_variance: float | None = param(None, "noise variance; estimated by least squares if None", above=0)
    alpha_: float = learned("alpha with the best criterion")
    alphas_: Array = learned("alpha at each knot of the path", shape="knots")
    criterion_: Array = learned("information criterion at each knot", shape="knots")
    noise_variance_: float = learned("noise variance used")
    n_iter_: int = learned("number of steps of the path")

    lasso = True
    title = "lasso by least angle regression with an information criterion"
    reference = "Zou, Hastie and Tibshirani, On the degrees of freedom of the lasso, Annals of Statistics 35, 2007"

    def fit(self, X: Any, y: Any, copy_X: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and targets `y`; `copy_X` is accepted for compatibility, nothing is changed.

        A weight of 3 counts a row as three copies, so weights also say how many rows the criterion counts.
        """
        return self._fit_checked(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        data = matrix_products.counted(data)
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        rows, noise = float(weight.sum()), self._noise(data, weight)
        problem = self._problem(data, self.max_iter)
        (path,) = problem.follow(self._rules(), 0.0, self.max_iter, trace)
        units, dtype = problem.units, data.X.dtype
        coefs, intercepts = units.coefficients(path.coefs), units.intercepts(path.coefs)
        squared_errors = _scaled_squared_errors(data, weight, noise, coefs, intercepts)
        parts = np.abs(path.coefs) * problem.sources[0].norms
        freedom = (parts > EPSILON * parts.max(initial=0.0)).sum(axis=1)
        constant = rows * (np.log(2 * np.pi) + 2 * np.log(noise))
        self.criterion_ = constant + squared_errors + penalty_per_parameter(self.criterion, rows) * freedom
        best = int(np.argmin(self.criterion_))
        self.noise_variance_ = noise**2 if self.noise_variance is None else self.noise_variance
        self.alphas_ = units.alphas(path.levels).astype(dtype)
        self.alpha_, self.n_iter_ = self.alphas_[best], path.steps
        coef, intercept = units.stored(path.coefs[best : best + 1], dtype)
        self.coef_, self.intercept_ = coef[0], intercept[0]
        certify_paths(trace, problem, [path], dtype)

    def _noise(self, data: Data, weight: Array) -> float:
        """The standard deviation of the noise as given, or that of the least-squares fit with all columns."""
        if self.noise_variance is not None:
            return float(np.sqrt(self.noise_variance))
        rows = float(weight.sum())
        freedom = rows - data.p - self.fit_intercept
        if freedom <= 0:
            raise DataError(
                f"LassoLarsIC: n_samples={rows:g} is too few to estimate the noise variance with {data.p} columns; it "
                "needs more samples than coefficients: give noise_variance"
            )
        X, y = data.X.astype(np.float64, copy=False), data.y.astype(np.float64)[:, None]
        unit, scale_y = scaling.unit_of(X), scaling.power_of_two_scales(y)
        solve = nonnegative_least_squares if self.positive else least_squares
        fit = solve(X if unit == 1 else X * unit, y * scale_y, data.weight, self.fit_intercept)
        size = float(np.sqrt(weight @ (y[:, 0] * scale_y[0]) ** 2))
        deviation = max(float(fit.deviation[0]), EPSILON * size, 1e-150)
        return float(deviation / float(scale_y[0]) / np.sqrt(freedom))


def _scaled_squared_errors(data: Data, weight: Array, noise: float, coefs: Array, intercepts: Array) -> Array:
    """The squares of the residuals in units of the noise at each knot, summed over some rows after the other."""
    squared_errors, height = np.zeros(len(intercepts)), max(1, ENTRIES_AT_ONCE // len(intercepts))
    for rows in (slice(first, first + height) for first in range(0, data.n, height)):
        residual = (data.y[rows, None] - matrix_products.scores(data.X[rows], coefs, intercepts)).astype(np.float64)
        squared_errors += weight[rows] @ (residual / noise) ** 2
    return squared_errors
