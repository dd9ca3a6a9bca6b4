"""Ridge regression."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, Traits, estimator, learned
from ..core.errors import ErrorOwner
from ..engines import matrix_products
from ..engines.cv_path import FoldPaths, MethodOutputs, predictions
from ..engines.folds import Fold
from ..engines.minimise.least_squares.select_solver import LARGEST_GRAM, serves_every_alpha
from ..engines.minimise.ridge_path.gram_path import GramPath, fold_spectra
from ._closed_form import keep
from ._linear_summary import Statistics, Summary, summarise
from ._ridge_base import METHODS, RidgeBase, Solver


@estimator
class Ridge(RidgeBase, Regressor):
    """Ridge regression: least squares with a squared l2 penalty.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

    Solved exactly: by the normal equations where rows outnumber columns, by the dual where they do not, by an
    orthogonal factorisation where either is ill conditioned. Cost n p min(n, p). [Hoerl and Kennard, 1970]

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> Ridge(alpha=2.0).fit(X, y).coef_
    array([0.5])
    """

    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    statistics_: Statistics = learned("statistics of the coefficient table")

    title = "ridge regression"
    traits = Traits(multi_target=True, flat_target=True)
    validation_paths = ("alpha",)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit = self._solve(data, data.y.reshape(data.n, -1))
        keep(self, fit, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        alphas = np.array(values, dtype=np.float64)
        if self.positive or alphas.ndim != 1 or METHODS[self.solver] != "by shape" or min(data.X.shape) > LARGEST_GRAM:
            return None
        try:
            spectra = fold_spectra(data.X, data.y.reshape(data.n, -1), data.weight, self.fit_intercept, parts)
        except matrix_products.OutOfRange:
            return None
        if not all(serves_every_alpha(spectrum.values, alphas.min()) for spectrum in spectra):
            return None
        return [partial(_fold_outputs, spectrum, alphas, data.X, data.y.shape[1:]) for spectrum in spectra]

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table; it says that classical p values do not apply, unless alpha is 0."""
        return summarise(self, level)


def _fold_outputs(
    spectrum: GramPath, alphas: Array, X: Matrix, shape: tuple[int, ...], rows: Array
) -> list[MethodOutputs]:
    """The predictions of the model of one fold for some rows at each alpha."""
    return predictions(spectrum.predictions(matrix_products.rows(X, rows), alphas), shape)


def ridge_regression(
    X: Any,
    y: Any,
    alpha: Any,
    *,
    sample_weight: Any = None,
    solver: Solver = "auto",
    max_iter: int | None = None,
    tol: float = 1e-4,
    verbose: int | bool = 0,
    positive: bool = False,
    random_state: RandomState = None,
    return_n_iter: bool = False,
    return_intercept: bool = False,
    check_input: bool = True,
) -> Array | tuple[Any, ...]:
    """The coefficients of a ridge regression; then the number of iterations and the intercept, if requested.

    minimise over w    sum_i s_i (y_i - x_i w)^2  +  alpha |w|^2

    As `Ridge`, but without an intercept unless it is requested. `verbose` and `check_input` are accepted for
    compatibility.

    >>> ridge_regression([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], alpha=14.0)
    array([0.5])
    """
    model = Ridge(
        alpha, fit_intercept=return_intercept, max_iter=max_iter, tol=tol, solver=solver, positive=positive,
        random_state=random_state,
    )  # fmt: skip
    with ErrorOwner("ridge_regression"):
        model.fit(X, y, sample_weight)
    outputs = ((model.n_iter_, return_n_iter), (model.intercept_, return_intercept))
    more = [value for value, requested in outputs if requested]
    return (model.coef_, *more) if more else model.coef_
