"""Base class of ridge regression and of the ridge classifier."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..core import Array, Data, Estimator, ParameterError, RandomState, Traits, declaring, learned, param
from ..engines import matrix_products
from ..engines.minimise.least_squares.select_solver import Method
from ..engines.minimise.least_squares.solve import least_squares, nonnegative_least_squares
from ..engines.minimise.linear_fit import LinearFit, each

Solver = Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"]
METHODS: dict[Solver, Method] = {
    "auto": "by shape", "cholesky": "by shape", "svd": "orthogonal",
    "lsqr": "iterative", "sparse_cg": "iterative", "sag": "iterative", "saga": "iterative", "lbfgs": "iterative",
}  # fmt: skip


@declaring
class RidgeBase(Estimator):
    """Base class of least squares with a squared l2 penalty."""

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
        return each(solve, data.X, y, data.weight, self.fit_intercept, alphas)

    def _check_solver(self) -> None:
        """Refuse a solver that is for positive coefficients alone, or for any but these."""
        owner = type(self).__name__
        if self.solver == "lbfgs" and not self.positive:
            raise ParameterError(
                f"{owner}: solver='lbfgs' fits positive coefficients alone; set positive=True, or 'auto'"
            )
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(
                f"{owner}: solver={self.solver!r} does not support positive coefficients; use 'auto' or 'lbfgs' with "
                "positive=True"
            )
