"""What ridge regressions of numbers and of classes declare alike, and how they are solved."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ..core import Array, Data, Estimator, ParameterError, RandomState, declaring, learned, param
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
class Shrunken(Estimator):
    """Least squares with coefficients held short by the square of their length."""

    alpha: float | Array = param(
        1.0, "strength of the penalty, or one per target or class", kw_only=False, at_least=0,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="larger",
    )  # fmt: skip
    fit_intercept: bool = param(True, "whether to learn a constant term")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int | None = param(None, "accepted for compatibility; iterations go on to rounding", at_least=1)
    tol: float = param(1e-4, "accepted for compatibility; answers are accurate to rounding", at_least=0)
    solver: Solver = param(
        "auto",
        '"auto" and "cholesky": normal equations or their dual, by shape, and an orthogonal factorisation where these '
        'are ill conditioned; "svd": that factorisation; "lbfgs": an active set, for positive coefficients; all '
        "others: an iteration that only multiplies by X",
    )
    positive: bool = param(False, 'whether coefficients must be at least zero, with the solvers "auto" and "lbfgs"')
    random_state: RandomState = param(None, "accepted for compatibility; nothing is random")
    n_iter_: int | Array = learned("iterations for each answer; 1 if the method is direct, where scikit-learn has None")
    solver_: str = learned("`solver`, or what scikit-learn takes for auto")
    method_: str = learned("how the answer was found: cholesky, dual cholesky, qr, svd, lsmr or active set")

    sparse = True
    storage = "csr"
    reference = "Hoerl and Kennard, Ridge regression, Technometrics 12, 1970"

    def _solved(self, data: Data, y: Array) -> LinearFit:
        """The answer for all columns of `y`; also sets how it was found."""
        self._check_solver()
        fit = self._fitted(data, y)
        usual = "lbfgs" if self.positive else "sparse_cg" if matrix_products.is_sparse(data.X) else "cholesky"
        self.solver_ = usual if self.solver == "auto" else self.solver
        self.n_iter_ = 1 if fit.iterations is None else fit.iterations
        self.method_ = fit.method
        return fit

    def _fitted(self, data: Data, y: Array) -> LinearFit:
        """All columns of `y` solved together, or one by one where each has its own strength."""
        strengths = np.asarray(self.alpha, dtype=np.float64).reshape(-1)
        if len(strengths) not in (1, y.shape[1]):
            raise ParameterError(
                f"{type(self).__name__}: alpha has {len(strengths)} values for {y.shape[1]} targets; "
                "give one, or one per target"
            )
        solve = nonnegative_least_squares if self.positive else partial(least_squares, method=METHODS[self.solver])
        return each(solve, data.X, y, data.weight, self.fit_intercept, strengths)

    def _check_solver(self) -> None:
        """Refuse a solver that is for positive coefficients alone, or for any but these."""
        owner = type(self).__name__
        if self.solver == "lbfgs" and not self.positive:
            raise ParameterError(
                f"{owner}: solver='lbfgs' fits positive coefficients alone; set positive=True, or 'auto'"
            )
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(
                f"{owner}: solver={self.solver!r} cannot hold coefficients above zero; use 'auto' or 'lbfgs' with "
                "positive=True"
            )
