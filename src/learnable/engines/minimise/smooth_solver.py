"""Driver of smooth problems: choice of solver, scaling, solution and certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core.runtime.trace import Trace
from ...core.validate.features import Array, Matrix
from ..iterate import Method, State, iterate
from .column_scaling import ScaledColumns
from .lbfgs import LBFGS, MAX_FULL_CURVATURE
from .newton import Newton
from .orthogonalise import RotatedL2, far_off, nearly_dependent
from .problem import Model, Point, Problem
from .row_losses import RowLoss

MAX_COLUMNS = 2000  # beyond it, factorising the curvature costs more than many passes over the data
MIN_TOLERANCE = 1e-10

Solver = Literal["lbfgs", "newton-cholesky"]


@dataclass(frozen=True, slots=True)
class Smooth:
    """minimise over w, b    rows(Xw + b) + strength |w|^2 / 2,   with its solver, iteration limit and tolerance.

    If the minimum is not unique, the one with the smallest |w| is found from a start at zero.
    """

    X: Matrix
    rows: RowLoss
    alpha: float
    fit_intercept: bool
    solver: Solver
    max_iter: int
    tol: float
    newton: Callable[[Problem, float, Point, Model], Method] = Newton

    def solve(self, coef: Array, intercept: float, trace: Trace) -> tuple[Array, float]:
        """Coefficients and intercept, found from those given; `trace` records iterations and certificate."""
        row_weight = self.rows.row_weight
        columns = ScaledColumns.penalised(self.X, row_weight, self.fit_intercept, self.alpha)
        problem, first, model = self._start_at(columns, coef, intercept)
        fixed = columns.separately_scaled or columns.rotation is not None
        if (
            not fixed
            and model is not None
            and (nearly_dependent(columns.X, model.moments) or far_off(columns.X, model.moments))
        ):
            columns = columns.rotated(row_weight, self.fit_intercept)
            problem, first, model = self._start_at(columns, coef, intercept)
        state = iterate(self._method(problem, first, model), self.max_iter, trace)
        if trace.stopped == "stalled" and model is not None and trace.iterations < self.max_iter:
            state = self._finish_by_newton(problem, state, trace)
        certify_gradient(state["criterion"], self.tol, self.X.dtype, trace)
        return columns.outward(state["coef"], state["intercept"])

    def _finish_by_newton(self, problem: Problem, state: State, trace: Trace) -> State:
        """Continue by Newton's method where the search stalled in the rounding of large columns beside small ones."""
        point = Point.of(problem, state["coef"], state["intercept"])
        newton = Newton(problem, gradient_tolerance(self.tol), point, Model(problem, point))
        return iterate(newton, self.max_iter - trace.iterations, trace)

    def _start_at(self, columns: ScaledColumns, coef: Array, intercept: float) -> tuple[Problem, Point, Model | None]:
        penalty = columns.penalty(self.alpha)
        problem = Problem(columns.X, self.rows, penalty, self.fit_intercept, columns.norm)
        first = Point.of(problem, *columns.inward(coef, intercept))
        return problem, first, self._model(problem, first)

    def _model(self, problem: Problem, first: Point) -> Model | None:
        """The quadratic model to start from, unless there are too many columns."""
        most = MAX_FULL_CURVATURE if self._searches(problem) else MAX_COLUMNS
        return Model(problem, first, caution=1.0) if problem.X.shape[1] <= most else None

    def _method(self, problem: Problem, first: Point, model: Model | None) -> Method:
        tolerance = gradient_tolerance(self.tol)
        if not self._searches(problem) and model is not None:
            return self.newton(problem, tolerance, first, model)
        return LBFGS(problem, tolerance, first, model)

    def _searches(self, problem: Problem) -> bool:
        """Whether to use L-BFGS, which starts from the diagonal of the curvature of many columns.

        The penalty of rotated columns is far from diagonal: nearly empty columns would slow the search without end.
        """
        return self.solver == "lbfgs" and not (isinstance(problem.penalty, RotatedL2) and self.alpha > 0)


def certify_gradient(criterion: float, tol: float, dtype: Any, trace: Trace) -> None:
    """Certify the relative gradient norm, for coefficients that are stored in the type of the data.

    Where rounding stopped the search, for example with nearly dependent columns, `tol` itself is enough.
    """
    rounding = float(np.finfo(dtype).eps)
    tolerance = max(gradient_tolerance(tol), 64 * rounding)
    claim = "the largest partial derivative, relative to the norm of its column times that of the row gradients"
    if trace.stopped == "stalled" and tolerance < criterion + rounding <= tol:
        trace.stopped, tolerance = "converged", tol
        claim += "; rounding allows for little less"
    trace.certify("gradient norm", criterion + rounding, tolerance, claim)


def gradient_tolerance(tol: float) -> float:
    """What the gradient must reach for a user's `tol`: its square as far as rounding allows, and never more than `tol`.

    A gradient of size tol leaves the objective about tol squared above its minimum, and the coefficients tol away;
    the last step of Newton's method squares it anyway.

    >>> gradient_tolerance(1e-4), gradient_tolerance(1e-12)
    (1e-08, 1e-12)
    """
    return min(tol, max(tol * tol, MIN_TOLERANCE))
