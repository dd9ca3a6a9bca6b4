"""Student's t regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param, scaling
from ..engines import matrix_products
from ..engines.iterate import iterate
from ..engines.minimise.column_scaling import ScaledColumns
from ..engines.minimise.quantile.irls import ReweightedLeastSquares
from ..engines.minimise.quantile.pinball import Pinball
from ..engines.minimise.robust.student_t import StudentEM
from ..engines.minimise.row_losses import counted_rows, normalised_weights
from ..engines.minimise.smooth_solver import gradient_tolerance
from ..parts.losses.optimal_constants import quantile

MIN_SCALE = 1e-12  # of the largest target: below it, residuals are rounding errors
FIRST_STEPS = 5  # iterations of reweighted least squares towards the median, for the initial values


@estimator
class StudentTRegressor(Regressor):
    """Student's t regression: robust linear regression with heavy-tailed noise.

    maximise over w, b, c    sum_i s_i log t((y_i - x_i w - b) / c) - log c - alpha penalty(w)
                             penalty(w) = l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2,   s_i = weight_i / sum weight

    t is the density with the given degrees of freedom, or with those that fit best. The EM algorithm never lowers the
    objective; a step is a weighted least squares with weights (d + 1) / (d + (r / c)^2) and costs n p^2. The objective
    is not concave: far outliers may leave several local optima, and the search starts near the median regression.
    [Lange, Little and Taylor, 1989]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.1, 0.9, 2.1, 2.9, 90.0]
    >>> StudentTRegressor(degrees=2.0).fit(X, y).coef_.round(2)
    array([0.95])
    """

    degrees: float | None = param(4.0, "degrees of freedom of the noise; None to estimate them", above=0)
    scale: float | None = param(None, "scale of the noise; None to estimate it", above=0)
    alpha: float = param(
        0.0, "regularisation strength", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    l1_ratio: float = param(0.0, "fraction of the l1 part in the penalty", between=(0, 1))
    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    tol: float = param(
        1e-5, "relative gradient norm that ends the fit; its square is reached if rounding allows", at_least=0
    )
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    scale_: float = learned("scale of the noise")
    degrees_: float = learned("degrees of freedom of the noise")
    weights_: Array = learned("weight of each row in the fit, from 0 to (degrees + 1) / degrees", shape="samples")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr")
    title = "Student's t regression"
    reference = "Lange, Little and Taylor, Robust statistical modeling using the t distribution, JASA 84, 1989"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data)
        row_weight = normalised_weights(weight, len(y))
        unit = scaling.unit_of(y)
        squared = self.alpha == 0 or self.l1_ratio == 0
        columns = ScaledColumns.of(X, row_weight, self.fit_intercept, together=self.alpha > 0, rotate=squared)
        columns = columns.distinct(row_weight, self.fit_intercept) if squared else columns
        method = self._method(columns, y * unit, row_weight, unit)
        state = iterate(method, self.max_iter, trace)
        rounding = float(np.finfo(X.dtype).eps)
        trace.certify(
            "gradient norm", state["criterion"] + rounding, max(method.tolerance, 64 * rounding),
            "no derivative of the likelihood is larger than this fraction of the norms whose product it is",
        )  # fmt: skip
        coef, intercept = columns.outward(state["coef"], state["intercept"])
        self.n_iter_ = trace.iterations
        self.coef_ = (coef / unit).astype(data.X.dtype)
        self.intercept_ = intercept / unit if self.fit_intercept else 0.0
        self.scale_, self.degrees_ = state["scale"] / unit, state["degrees"]
        self.weights_ = self._weights(data)

    def _method(self, columns: ScaledColumns, y: Array, row_weight: Array, unit: float) -> StudentEM:
        scale = None if self.scale is None else self.scale * unit
        floor = MIN_SCALE * (float(np.abs(y).max()) or 1.0)
        squared = columns.penalty(self.alpha * (1 - self.l1_ratio) / unit**2)
        absolute = self.alpha * self.l1_ratio * float(columns.scale[0]) / unit if self.alpha > 0 else 0.0
        return StudentEM(
            columns.X, y, row_weight, squared, absolute, self.fit_intercept, self.degrees, scale, floor,
            gradient_tolerance(self.tol), columns.norm, *_near_the_median(columns.X, y, row_weight, self.fit_intercept),
        )  # fmt: skip

    def _weights(self, data: Data) -> Array:
        with np.errstate(over="ignore"):
            squares = np.square((data.y - self._predict(data.X)) / self.scale_, dtype=np.float64)
        return (self.degrees_ + 1) / (self.degrees_ + squares)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


def _near_the_median(X: Any, y: Array, row_weight: Array, fit_intercept: bool) -> tuple[Array, float]:
    """Initial values: a few iterations towards least absolute deviations."""
    middle = quantile(y, row_weight, 0.5) if fit_intercept else 0.0
    problem = Pinball(X, y, row_weight, 0.5, np.zeros(X.shape[1]), fit_intercept)
    unit = problem.value(np.zeros(X.shape[1]), y - middle) or 1.0
    search = ReweightedLeastSquares(problem, 0.0, unit, np.zeros(X.shape[1]), middle)
    state = search.start()
    for _ in range(FIRST_STEPS):
        state = search.step(state)
    return state["coef"], state["intercept"]
