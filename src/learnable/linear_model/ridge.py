"""Ridge regression."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Estimator,
    Matrix,
    ParameterError,
    RandomState,
    Regressor,
    Trace,
    Traits,
    declaring,
    estimator,
    learned,
    param,
)
from ..core.errors import ErrorOwner
from ..engines import matrix_products
from ..engines.cv_path import FoldPaths, MethodOutputs
from ..engines.folds import Fold
from ..engines.minimise.least_squares.select_solver import MAX_GRAM, Method, serves_every_alpha
from ..engines.minimise.least_squares.solve import least_squares, nonnegative_least_squares
from ..engines.minimise.linear_fit import LinearFit, fit_each_alpha
from ..engines.minimise.ridge_path.gram_path import GramPath, fold_spectra
from ._closed_form import keep
from ._gram_on_blocks import FitsMoments
from ._linear_summary import Statistics, Summary, summarise

Solver = Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
METHODS: dict[Solver, Method] = {
    "auto": "by shape", "cholesky": "by shape", "svd": "orthogonal",
    "lsqr": "iterative", "sparse_cg": "iterative", "sag": "iterative", "saga": "iterative", "lbfgs": "iterative",
}  # fmt: skip


@declaring
class RidgeBase(Estimator):
    """Base class of ridge regression and of the ridge classifier: least squares with a squared l2 penalty."""

    alpha: float | Array = param(
        1.0, "regularisation strength, or one per target or class", kw_only=False, at_least=0,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="larger",
    )  # fmt: skip
    fit_intercept: bool = param(True, "whether to fit an intercept")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int | None = param(None, "accepted for compatibility; iterations converge to rounding", at_least=1)
    tol: float = param(1e-4, "accepted for compatibility; solutions are accurate to rounding", at_least=0)
    solver: Solver = param(
        "auto",
        '"auto" and "cholesky": normal equations or their dual, by shape, and an orthogonal factorisation where these '
        'are ill conditioned; "svd": that factorisation; "lbfgs": an active set, for positive coefficients; all '
        "others: an iteration that only multiplies by X",
    )
    positive: bool = param(
        False, 'whether coefficients are constrained to be non-negative, with the solvers "auto" and "lbfgs"'
    )
    random_state: RandomState = param(None, "accepted for compatibility; nothing is random")
    n_iter_: int | Array = learned("number of iterations per target; 1 for direct methods, where scikit-learn has None")
    solver_: str = learned("`solver`, or what scikit-learn uses for auto")
    method_: str = learned("factorisation or method used: cholesky, dual cholesky, qr, svd, lsmr or active set")

    traits = Traits(sparse=True, storage="csr")
    reference = "Hoerl and Kennard, Ridge regression, Technometrics 12, 1970"

    def _solve(self, data: Data, y: Array) -> LinearFit:
        """The fit for all columns of `y`; also sets the solver attributes."""
        self._check_solver()
        fit = self._fit_targets(data, y)
        usual = "lbfgs" if self.positive else "sparse_cg" if matrix_products.is_sparse(data.X) else "cholesky"
        self.solver_ = usual if self.solver == "auto" else self.solver
        self.n_iter_ = 1 if fit.iterations is None else fit.iterations
        self.method_ = fit.method
        return fit

    def _fit_targets(self, data: Data, y: Array) -> LinearFit:
        """All columns of `y` solved together, or one by one where each has its own alpha."""
        alphas = np.asarray(self.alpha, dtype=np.float64).reshape(-1)
        if len(alphas) not in (1, y.shape[1]):
            raise ParameterError(
                f"{type(self).__name__}: alpha has {len(alphas)} values for {y.shape[1]} targets; "
                "give one, or one per target"
            )
        solve = nonnegative_least_squares if self.positive else partial(least_squares, method=METHODS[self.solver])
        if len(alphas) == 1:
            return solve(data.X, y, data.weight, self.fit_intercept, float(alphas[0]))
        return fit_each_alpha(solve, data.X, y, data.weight, self.fit_intercept, alphas)

    def _check_solver(self) -> None:
        """Refuse a solver that is for positive coefficients alone, or for any but these."""
        owner = type(self).__name__
        if self.solver == "lbfgs" and not self.positive:
            raise ParameterError(
                f"{owner}: solver='lbfgs' fits only positive coefficients; set positive=True, or solver='auto'"
            )
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(
                f"{owner}: solver={self.solver!r} does not support positive coefficients; use 'auto' or 'lbfgs' with "
                "positive=True"
            )


@estimator
class Ridge(FitsMoments, RidgeBase, Regressor):
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
        if self.positive or alphas.ndim != 1 or METHODS[self.solver] != "by shape" or min(data.X.shape) > MAX_GRAM:
            return None
        try:
            spectra = fold_spectra(data.X, data.y.reshape(data.n, -1), data.weight, self.fit_intercept, parts)
        except matrix_products.OutOfRange:
            return None
        if not all(serves_every_alpha(spectrum.values, alphas.min()) for spectrum in spectra):
            return None
        return [partial(_fold_outputs, spectrum, alphas, data.X) for spectrum in spectra]

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table; it says that classical p values do not apply, unless alpha is 0."""
        return summarise(self, level)


def _fold_outputs(spectrum: GramPath, alphas: Array, X: Matrix, rows: Array) -> list[MethodOutputs]:
    """The predictions of the model of one fold for some rows at each alpha."""
    return [{"predict": at} for at in spectrum.predictions(matrix_products.rows(X, rows), alphas)]


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
    if return_intercept and solver not in ("auto", "sag"):
        raise ParameterError(
            "ridge_regression: In Ridge, only 'sag' solver can directly fit the intercept. Please change solver to "
            "'sag' or set return_intercept=False; Ridge fits an intercept with every solver"
        )
    model = Ridge(
        alpha, fit_intercept=return_intercept, max_iter=max_iter, tol=tol, solver=solver, positive=positive,
        random_state=random_state,
    )  # fmt: skip
    with ErrorOwner("ridge_regression"):
        model.fit(X, y, sample_weight)
    outputs = ((model.n_iter_, return_n_iter), (model.intercept_, return_intercept))
    more = [value for value, requested in outputs if requested]
    return (model.coef_, *more) if more else model.coef_
