"""Huber regression."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param, scaling
from ..engines import matrix_products
from ..engines.minimise.newton import Newton
from ..engines.minimise.quantile.solve import QuantileTask
from ..engines.minimise.robust.huber_scale import ConcomitantHuber
from ..engines.minimise.robust.scale_continuation import ScaleContinuation
from ..engines.minimise.row_losses import counted_rows, normalised_weights
from ..engines.minimise.smooth_solver import Smooth
from ..parts.losses.optimal_constants import quantile

NEARLY_ABSOLUTE = 1.02
MIN_SCALE = 1e-12  # of the largest target: below it, residuals are rounding errors
MAX_DEVIATIONS = 1e4  # of the usual deviation from the median


@estimator
class HuberRegressor(Regressor):
    """Huber regression: robust linear regression with Huber's loss and a concomitant scale.

    minimise over w, b, c > 0    sum_i s_i (c + c H((y_i - x_i w - b) / c)) + alpha / W |w|^2,   s_i = weight_i / W
                                 H(u) = u^2 where |u| <= epsilon, else 2 epsilon |u| - epsilon^2,   W = sum weight

    The scale c is eliminated, which leaves a convex problem in w and b; Newton's method solves it in a few passes, each
    of cost n p^2. An outlier in y has no more influence than a residual of epsilon * c; leverage points in X still
    have. [Huber, 1981]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.0, 1.1, 2.0, 2.9, 4.0, 50.0]
    >>> model = HuberRegressor(alpha=0.0).fit(X, y)
    >>> model.coef_.round(1), bool(model.outliers_[5])
    (array([1.]), True)
    """

    epsilon: float = param(1.35, "residuals beyond this multiple of the scale count as outliers", at_least=1)
    max_iter: int = param(100, "maximum number of iterations", at_least=0)
    alpha: float = param(
        0.0001, "regularisation strength", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    warm_start: bool = param(False, "whether to start from the previous solution")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    tol: float = param(
        1e-5, "relative gradient norm that ends the fit; its square is reached if rounding allows", at_least=0
    )
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    scale_: float = learned("scale of the residuals")
    n_iter_: int = learned("number of iterations")
    outliers_: Array = learned("whether each row's residual is beyond epsilon times the scale", shape="samples")

    traits = Traits(sparse=True, storage="csr")
    title = "Huber regression"
    reference = "Huber and Ronchetti, Robust Statistics, 2009, section 7.7"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data)
        row_weight, total = normalised_weights(weight, len(y)), float(len(y) if weight is None else weight.sum())
        near = _clip_outliers(y, row_weight)
        coef, intercept, scale = self._solve(X, near, row_weight, total, trace)
        beyond = (near - matrix_products.precise_scores(X, coef, intercept)) * np.sign(y - near)
        if (beyond[near != y] <= self.epsilon * scale).any() and trace.stopped not in ("budget", "interrupted"):
            coef, intercept, scale = self._solve(X, y, row_weight, total, trace)
        self.n_iter_ = trace.iterations
        self.coef_ = coef.astype(data.X.dtype)
        self.intercept_, self.scale_ = intercept if self.fit_intercept else 0.0, scale
        self.outliers_ = np.abs(data.y - self._predict(data.X)) > self.epsilon * self.scale_

    def _solve(self, X: Matrix, y: Array, row_weight: Array, total: float, trace: Trace) -> tuple[Array, float, float]:
        """Coefficients, intercept and scale for these targets."""
        unit = scaling.unit_of(y)
        floor = MIN_SCALE * (float(np.abs(y).max()) * unit or 1.0)
        rows = ConcomitantHuber(y * unit, row_weight, self.epsilon, floor)
        alpha, max_iter = 2 * self.alpha / (total * unit), max(self.max_iter - trace.iterations, 1)
        method = Newton if self.epsilon < NEARLY_ABSOLUTE else partial(ScaleContinuation, rows)
        task = Smooth(X, rows, alpha, self.fit_intercept, "newton-cholesky", max_iter, self.tol, method)
        coef, intercept = task.solve(*self._initial_values(X, rows, unit, alpha), trace)
        return coef / unit, intercept / unit, rows.scale(matrix_products.precise_scores(X, coef, intercept)) / unit

    def _initial_values(self, X: Matrix, rows: ConcomitantHuber, unit: float, alpha: float) -> tuple[Array, float]:
        """The previous solution, or the median; near epsilon = 1 the median regression, which is the solution at 1."""
        if self.warm_start and "coef_" in self.__dict__:
            return self.coef_.astype(np.float64) * unit, self.intercept_ * unit
        if self.epsilon < NEARLY_ABSOLUTE:
            ridge = alpha / (4 * self.epsilon)
            median = QuantileTask(X, rows.y, rows.row_weight, 0.5, 0.0, self.fit_intercept, "highs", None, 100, ridge)
            return median.solve(Trace())
        return np.zeros(self.n_features_in_), quantile(rows.y, rows.row_weight, 0.5) if self.fit_intercept else 0.0

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


def _clip_outliers(y: Array, row_weight: Array) -> Array:
    """Targets clipped so that no outlier takes the digits of sums from the others.

    All outliers on one side have the same gradient: if clipped targets remain outliers, the solution is that for `y`.
    """
    middle = quantile(y, row_weight, 0.5)
    usual = float(np.median(np.abs(y - middle)))
    return np.clip(y, middle - MAX_DEVIATIONS * usual, middle + MAX_DEVIATIONS * usual) if usual > 0 else y
