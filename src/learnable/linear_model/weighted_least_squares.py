"""Weighted least squares."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Trace, Traits, estimator, learned, param
from ..core.declare import params
from ..core.validate.targets import as_column_array
from ..engines import matrix_products
from ..engines.minimise.least_squares.solve import least_squares
from ._closed_form import keep
from ._linear_summary import Statistics, Summary, summarise


@estimator
class WeightedLeastSquares(Regressor):
    """Weighted least squares: linear regression with a known variance of the noise of each row.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / v_i

    `fit` takes the variance v_i of the noise of each row, up to a common factor; without it the noise is
    homoscedastic. It is the best linear unbiased estimator if the variances are right. `sample_weight` s_i counts rows
    as everywhere, and standard errors follow the number of rows, not the sum of 1 / v_i; for coefficients alone,
    LinearRegression with sample_weight = 1 / v is the same. Cost n p^2. [Aitken, 1936]

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 5.0]
    >>> WeightedLeastSquares().fit(X, y, variance=[1.0, 1.0, 1e6]).coef_.round(3)
    array([1.])
    """

    fit_intercept: bool = param(True, "whether to fit an intercept")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    rank_: int = learned("rank of the centred columns")
    statistics_: Statistics = learned("statistics of the coefficient table")

    traits = Traits(sparse=True, storage="csr", multi_target=True)
    title = "weighted least squares"
    reference = (
        "Aitken, On least squares and linear combination of observations, Proc. Royal Soc. of Edinburgh 55, 1936"
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, variance: Any = None) -> Self:
        """Learn from rows `X` and their targets `y`, whose noise has the given `variance` up to a common factor."""
        if variance is None:
            return super().fit(X, y, sample_weight)
        params.check(self)
        data, names = self._training_data(X, y, sample_weight)
        known = self._variances(variance, data.n)
        with self._fitting(data.X, data.y, data.weight, known) as trace:
            self._remember_columns(data.X, names)
            self._learn(data, known, trace)
        return self

    def _variances(self, variance: Any, rows: int) -> Array:
        values = np.asarray(as_column_array(variance), dtype=np.float64)
        rule = f"{type(self).__name__}: variance must be a finite number above 0 for each of {rows} rows"
        if values.shape != (rows,):
            raise DataError(f"{rule}; got shape {values.shape}")
        good = (values > 0) & np.isfinite(values)
        if not good.all():
            row = int(np.argmin(good))
            raise DataError(f"{rule}; got {values[row]:g} in row {row}")
        return values

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data, None, trace)

    def _learn(self, data: Data, variance: Array | None, trace: Trace) -> None:
        """Rows are weighted by their precision, scaled to the total sample weight."""
        weight, count = data.weight, np.ones(data.n) if data.weight is None else data.weight
        if variance is not None:
            precision = variance[count > 0].min() / variance
            precision *= count.sum() / (count @ precision)
            weight = count * precision
        fit = least_squares(data.X, data.y.reshape(data.n, -1), weight, self.fit_intercept)
        self.rank_ = fit.rank
        keep(self, fit, Data(data.X, data.y, weight, data.names), trace)
        if variance is not None:
            self.statistics_["log_precision"] = float(count @ np.log(precision))

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, t, p and intervals at `level`, and the quality of the fit."""
        return summarise(self, level)
