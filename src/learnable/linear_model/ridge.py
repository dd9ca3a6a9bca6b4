"""Ridge regression: least squares with a squared penalty."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.folds import Fold
from ..engines.minimise.closed import LARGEST_GRAM, LinearFit, Method, least_squares, nonnegative_least_squares, stacked
from ..engines.minimise.spectrum import Spectrum, fold_spectra
from ..engines.shortcut import Answers, FoldPaths, predictions
from .direct import keep, keep_solver
from .summary import Statistics, Summary, summarise

Solver = Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
METHODS: dict[Solver, Method] = {
    "auto": "by shape", "cholesky": "by shape", "svd": "orthogonal",
    "lsqr": "iterative", "sparse_cg": "iterative", "sag": "iterative", "saga": "iterative", "lbfgs": "iterative",
}  # fmt: skip


def strengths_allowed(alpha: Any) -> bool:
    """Whether `alpha` is a strength, or strengths."""
    strengths = np.asarray(alpha)
    return strengths.dtype.kind in "iuf" and bool(((strengths >= 0) & (strengths < np.inf)).all())


@estimator
class Ridge(Regressor):
    """Least squares with coefficients held short, which steadies them where columns resemble each other.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2

    Solved exactly: by the normal equations where rows outnumber columns, by the dual where they do not, by an
    orthogonal factorisation where either is ill conditioned. Cost n p min(n, p). [Hoerl and Kennard, 1970]

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> Ridge(alpha=2.0).fit(X, y).coef_
    array([0.5])
    """

    alpha: float | Array = param(
        1.0, "strength of the penalty, or one per target", kw_only=False,
        accepts=strengths_allowed, says="at least 0 and finite",
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="larger",
    )  # fmt: skip
    fit_intercept: bool = param(True, "whether to learn a constant term")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int | None = param(None, "accepted for compatibility; iterations go on to rounding", at_least=1)
    tol: float = param(1e-4, "accepted for compatibility; answers are accurate to rounding", at_least=0)
    solver: Solver = param(
        "auto",
        '"auto" and "cholesky": normal equations or their dual, by shape, and an orthogonal factorisation where these '
        'are ill conditioned; "svd": that factorisation; all others: an iteration that only multiplies by X',
    )
    positive: bool = param(False, "whether coefficients must be at least zero; by an active set, whatever the solver")
    random_state: RandomState = param(None, "accepted for compatibility; nothing is random")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    n_iter_: int | Array = learned("iterations for each target; 1 if the method is direct, where scikit-learn has None")
    solver_: str = learned("`solver`, or what scikit-learn takes for auto")
    method_: str = learned("how the answer was found: cholesky, dual cholesky, qr, svd, lsmr or active set")
    statistics_: Statistics = learned("what the coefficient table is made of")

    sparse = True
    storage = "csr"
    multi_target = True
    flat_target = True
    validation_paths = ("alpha",)
    reference = "Hoerl and Kennard, Ridge regression, Technometrics 12, 1970"

    def _fit(self, data: Data, trace: Trace) -> None:
        fit = _solved(self, data, data.y.reshape(data.n, -1))
        keep_solver(self, fit, data)
        keep(self, fit, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        alphas = np.array(values, dtype=np.float64)
        if self.positive or alphas.ndim != 1 or METHODS[self.solver] != "by shape" or min(data.X.shape) > LARGEST_GRAM:
            return None
        try:
            spectra = fold_spectra(data.X, data.y.reshape(data.n, -1), data.weight, self.fit_intercept, parts)
        except design.OutOfRange:
            return None
        if not all(spectrum.is_sound(alphas.min()) for spectrum in spectra):
            return None
        return [partial(_answers, spectrum, alphas, data.X, data.y.shape[1:]) for spectrum in spectra]

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table; it says that classical p values do not apply, unless alpha is 0."""
        return summarise(self, level)


def _answers(spectrum: Spectrum, alphas: Array, X: Matrix, shape: tuple[int, ...], rows: Array) -> list[Answers]:
    """What the model of one fold predicts for some rows with each strength."""
    return predictions(spectrum.predictions(design.rows(X, rows), alphas), shape)


def _solved(model: Ridge, data: Data, y: Array) -> LinearFit:
    """Solve all targets together, or one by one where each has its own strength."""
    solve = nonnegative_least_squares if model.positive else partial(least_squares, method=METHODS[model.solver])
    strengths = np.asarray(model.alpha, dtype=np.float64).reshape(-1).tolist()
    if len(strengths) not in (1, y.shape[1]):
        from ..core import ParameterError

        raise ParameterError(
            f"Ridge: alpha has {len(strengths)} values for {y.shape[1]} targets; give one, or one per target"
        )
    if len(set(strengths)) == 1:
        return solve(data.X, y, data.weight, model.fit_intercept, strengths[0])
    each = enumerate(strengths)
    return stacked([solve(data.X, y[:, [t]], data.weight, model.fit_intercept, strength) for t, strength in each])
