"""Driver of quantile regression: choice of the solver, scaling, solution and duality gap."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ....core import scaling
from ....core.errors import ConvergenceWarning, warn
from ....core.numeric import HUGE
from ....core.runtime.context import current, give_way
from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Matrix
from ....parts.losses.optimal_constants import quantile
from ... import matrix_products
from ...algebra.interruptible_lapack import run_in_thread
from ...iterate import Method, iterate
from ..duality import gap_between
from .dual_bound import EXTENDED, extended_scores, proven_bound
from .interior_point import InteriorPoint
from .irls import ReweightedLeastSquares
from .linear_program import solve_programme
from .pinball import Pinball
from .vertex_solution import ROUNDING_GAP

TOLERANCE = 1e-8  # of the objective of the best constant
MAX_OFFSET = 1e4  # of the squared mean of a column against its variance
MAX_COLUMNS = 500  # for methods that factorise a matrix of that size in every step
MIN_LEVEL = 1e-15  # nearer to 0 or 1, only the ratio of the penalty to what the level leaves counts
NEGLIGIBLE = 1e-12  # of that objective: penalty of a coefficient that counts as zero

Solver = Literal["highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex", "irls"]


@dataclass(frozen=True, slots=True)
class QuantileSolution:
    """Coefficients, intercept, objective, and a lower bound of the objective."""

    coef: Array
    intercept: float
    objective: float
    bound: float

    @classmethod
    def of(cls, problem: Pinball, coef: Array, intercept: float, dual: Array) -> QuantileSolution:
        """The solution, with the bound that the dual variables prove."""
        objective = problem.value(coef, problem.target - problem.scores(coef, intercept))
        dual = problem.balance_dual(coef, dual)
        return cls(coef, intercept, objective, proven_bound(problem, coef, intercept, dual, objective))

    def without_rounding(self, problem: Pinball, unit: float) -> QuantileSolution:
        """The solution with penalised coefficients of rounding size set to zero, if that is as good."""
        coef = np.where(problem.alpha * np.abs(self.coef) > NEGLIGIBLE * unit, self.coef, 0.0)
        coef = np.where(problem.alpha > 0, coef, self.coef)
        without = self.with_coef(problem, coef)
        return without if without.gap <= max(self.gap, NEGLIGIBLE * unit) else self

    def with_coef(self, problem: Pinball, coef: Array) -> QuantileSolution:
        """Other coefficients, with the best intercept for these, and the same bound."""
        intercept = self.intercept
        if problem.fit_intercept:
            intercept = quantile(
                problem.y - matrix_products.precise_scores(problem.X, coef, 0.0), problem.row_weight, problem.level
            )
        return QuantileSolution(
            coef, intercept, problem.value(coef, problem.target - problem.scores(coef, intercept)), self.bound
        )

    @property
    def gap(self) -> float:
        """The duality gap."""
        return gap_between(self.objective, self.bound)


@dataclass(frozen=True, slots=True)
class QuantileTask:
    """A quantile regression and how to solve it."""

    X: Matrix
    y: Array
    row_weight: Array
    level: float
    alpha: float
    fit_intercept: bool
    solver: Solver
    options: dict[str, Any] | None
    max_iter: int
    ridge: float = 0.0

    def solve(self, trace: Trace) -> tuple[Array, float]:
        """Coefficients and the middle of the best intercepts; `trace` records iterations and certificate."""
        origin = quantile(self.y, self.row_weight, self.level) if self.fit_intercept else 0.0
        unit_y = scaling.unit_of(self.y - origin)
        X, scale, norm = _scale_columns(self.X, self.row_weight, self.fit_intercept, together=self.ridge > 0)
        level, penalty_factor = self._level()
        # beyond twice its root mean square a penalty has long made a coefficient zero
        alpha = np.minimum(min(self.alpha * penalty_factor, HUGE) * scale, 2 * norm)
        ridge = min(self.ridge * penalty_factor, HUGE) * float(scale[0]) ** 2 / unit_y if self.ridge > 0 else 0.0
        problem = Pinball(X, (self.y - origin) * unit_y, self.row_weight, level, alpha, self.fit_intercept, ridge)
        solution, unit = self._solve_scaled(problem, trace)
        solution = solution.without_rounding(problem, unit)
        coef = (solution.coef * scale / unit_y).astype(self.X.dtype).astype(np.float64)
        penalised = coef / scale * unit_y
        residual = self.y.astype(EXTENDED) - extended_scores(self.X, coef)
        intercept, objective = self._stored_intercept(
            residual, lambda rows: problem.value(penalised, np.append(rows * unit_y, penalised[problem.penalised]))
        )
        self._certify(gap_between(objective, solution.bound) / unit, trace)
        return coef, intercept

    def _stored_intercept(self, residual: Array, value: Callable[[Array], float]) -> tuple[float, float]:
        """The best intercept that can be stored, and the objective with it, rounding of residuals included."""
        if not self.fit_intercept:
            return 0.0, value(residual)
        middle = float(np.median(residual))
        best = middle + quantile((residual - middle).astype(np.float64), self.row_weight, self.level)
        near = (best, float(np.nextafter(best, -np.inf)), float(np.nextafter(best, np.inf)))
        return min(((one, value(residual - one)) for one in near), key=lambda pair: pair[1])

    def _level(self) -> tuple[float, float]:
        """A level distinguishable from 0 and 1 in floating point, and the factor of the penalties that goes with it."""
        least = min(self.level, 1 - self.level)
        return min(max(self.level, MIN_LEVEL), 1 - MIN_LEVEL), min(max(MIN_LEVEL / least, 1.0), HUGE)

    def _solve_scaled(self, problem: Pinball, trace: Trace) -> tuple[QuantileSolution, float]:
        """The solution by our own method where that is quick and certified; else, or with its options, by HiGHS.

        Also the objective of the best constant, the unit of the certificate.
        """
        zero = np.zeros(problem.X.shape[1])
        unit = problem.value(zero, problem.target)
        if unit == 0:
            trace.record(0.0)
            trace.stopped = "exact"
            return QuantileSolution(zero, 0.0, 0.0, 0.0), 1.0
        own = self.solver in ("interior-point", "irls") or problem.ridge > 0
        rows, columns = problem.X.shape
        # HiGHS has no intermediate solution, where our method keeps that of its last step
        most = rows if current().deadline < np.inf else min(MAX_COLUMNS, rows)
        if own or (self.solver == "highs" and self.options is None and columns <= most):
            solution = self._solve_iteratively(problem, unit, trace)
            if own or solution.gap <= TOLERANCE * unit or trace.stopped in ("budget", "interrupted"):
                return solution, unit
        return self._solve_program(problem, trace), unit

    def _solve_iteratively(self, problem: Pinball, unit: float, trace: Trace) -> QuantileSolution:
        method: Method = InteriorPoint(problem, ROUNDING_GAP, unit)
        if self.solver == "irls":
            method = ReweightedLeastSquares(problem, ROUNDING_GAP, unit, np.zeros(problem.X.shape[1]), 0.0)
        state = iterate(method, self.max_iter, trace)
        return QuantileSolution.of(problem, state["coef"], state["intercept"], state["dual"])

    def _solve_program(self, problem: Pinball, trace: Trace) -> QuantileSolution:
        method = {"revised simplex": "highs-ds"}.get(self.solver, self.solver)
        left = current().deadline - time.monotonic()
        # HiGHS checks the time too seldom, and in some phases not at all: its limit only ends an abandoned thread
        options = self.options if left == np.inf else {"time_limit": max(left, 0.01), **(self.options or {})}
        call = partial(solve_programme, problem, method, options)
        coef, intercept, dual, report = call() if left == np.inf else run_in_thread(call)
        if not report.success:
            give_way()
        solution = QuantileSolution.of(problem, coef, intercept, dual)
        trace.record(solution.objective, bound=solution.bound, iterations=float(report.nit))
        trace.stopped = "exact" if report.success else "limit"
        if not report.success:
            warn(f"the linear programme of a quantile regression was not solved: {report.message}", ConvergenceWarning)
        return solution

    def _certify(self, gap: float, trace: Trace) -> None:
        """Certify the gap of the coefficients as they are stored, relative to the objective of the best constant."""
        rounding = float(np.finfo(self.X.dtype).eps)
        trace.certify(
            "duality gap",
            gap + rounding,
            max(TOLERANCE, 64 * rounding),
            "no other coefficients can lower the objective by more than this fraction of that of the best constant.",
        )
        if trace.certificate is not None and trace.certificate.holds and trace.stopped in ("limit", "stalled"):
            trace.stopped = "converged"


def _scale_columns(X: Matrix, row_weight: Array, centre: bool, together: bool) -> tuple[Matrix, Array, Array]:
    """X with columns that can be squared and whose means do not dominate their spread; their scales
    and the root mean squares.

    The matrix returned is (X - mean) * scale; X itself where possible.
    """
    X, scale, squares = matrix_products.in_range(X, row_weight, together)
    if centre and not matrix_products.is_sparse(X):
        means = matrix_products.column_means(X, row_weight)
        if (means**2 > MAX_OFFSET * np.abs(squares - means**2)).any():
            return X - means, scale, np.sqrt(squares)
    return X, scale, np.sqrt(squares)
