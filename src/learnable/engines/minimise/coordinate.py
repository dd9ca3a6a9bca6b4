"""Lasso and elastic net by coordinate descent on working sets, to a certified duality gap.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  penalty(w),      sum_i s_i = 1

The penalty is `ElasticNet`, or `GroupL2` for several targets: w then has a row per column of X. A round solves the
problem on a working set of columns, then evaluates all columns once; only the working set is copied or centred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.errors import BudgetError, DataError
from ...core.runtime.context import reason_to_stop
from ...core.runtime.native import kernels
from ...core.runtime.trace import Stopped, Trace
from ...core.validate.features import Array, Matrix
from ...parts.penalties.blended import Blended
from .. import matrix_products
from ..iterate import Progress, State, iterate
from .duality import gap_between
from .least_squares.solve import least_squares

MAX_TARGET = 1e152  # the largest target whose squares can be summed
MAX_WORK = 1e9  # multiplications up to which a second lower bound is computed
GRAM_AFTER_PASSES = 40  # passes after which products of columns pay


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """Stopping rule: a gap of `tol` times the weighted square of the centred target, or `max_iter` passes.

    With a `seed` each round visits its columns in a random order.
    """

    tol: float = 1e-4
    max_iter: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PenalisedSolution:
    """Coefficients (targets, features), objective and duality gap; the gap is a bound if there is a penalty."""

    coef: Array
    intercept: Array
    objective: float
    gap: float
    tolerance: float
    passes: int


class StandardisedLeastSquares:
    """Least squares on the standardised columns of `X`, prepared for any target and any penalty.

    >>> problem = StandardisedLeastSquares(np.array([[0.0], [1.0], [2.0]]), targets=1)
    >>> problem.set_target(np.array([0.0, 1.0, 2.0]))
    >>> problem.l1_max
    0.6666666666666666
    """

    def __init__(
        self, X: Matrix, weight: Array | None = None, *, centre: bool = True, positive: bool = False, targets: int = 1
    ) -> None:
        self.kernel = kernels.LassoProblem(X, weight, centre, positive, targets)
        self.weight, self.centre, self.positive, self.targets = weight, centre, positive, targets
        self.X, self.dtype = X, X.dtype
        self.mean_x: Array = self.kernel.mean
        self.shape = X.shape
        too_large = np.isnan(self.kernel.squares)
        if too_large.any():
            column = too_large.argmax()
            raise DataError(f"values of X in column {column} are too large to be squared; scale the columns")

    def with_weight(self, X: Matrix, weight: Array) -> StandardisedLeastSquares:
        """The same problem with other weights of the rows."""
        return StandardisedLeastSquares(X, weight, centre=self.centre, positive=self.positive, targets=self.targets)

    def set_target(self, y: Array) -> None:
        """Set the target: (samples,) or (samples, targets); rows of weight zero may hold values too large to square."""
        rows = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        large = np.abs(rows) > MAX_TARGET
        if large.any():
            if self.weight is None or self.weight[large.any(axis=1)].any():
                raise DataError(f"values of y are beyond {MAX_TARGET:g} and too large to be squared; scale y")
            rows = np.where(large, 0.0, rows)
        self.mean_y: Array = np.average(rows, axis=0, weights=self.weight) if self.centre else np.zeros(rows.shape[1])
        self.kernel.set_target(np.ascontiguousarray((rows - self.mean_y).T))
        self.y, self.unit = rows, self.kernel.unit
        self.scale: float = self.kernel.norm**2

    @property
    def l1_max(self) -> float:
        """The smallest l1 at which all coefficients are zero."""
        return float(self.kernel.alpha_max())

    def gram_pays(self, alphas: int) -> bool:
        """Whether a path of `alphas` values is cheaper with a precomputed Gram matrix."""
        return bool(self.kernel.products_pay(alphas))

    def use_gram(self, gram: Array) -> None:
        """Use a given Gram matrix of the centred columns, for row weights that sum to one."""
        self.kernel.adopt(np.ascontiguousarray(gram, dtype=np.float64))

    def start(self, coef: Array | None = None) -> Array:
        """Coefficients (targets, features), zero by default, in the units of the kernel."""
        if coef is None:
            return np.zeros((self.shape[1], self.targets))
        usable = self.unit > 0
        w = np.zeros((self.shape[1], self.targets))
        w[usable] = np.asarray(coef, dtype=np.float64).reshape(self.targets, -1).T[usable] / self.unit[usable, None]
        return np.maximum(w, 0) if self.positive else w

    def coefficients(self, w: Array) -> tuple[Array, Array]:
        """Coefficients (targets, features) in the dtype of `X`, and the matching intercept of each target."""
        coef = (w * self.unit[:, None] + 0.0).T.astype(self.dtype, copy=False)
        return np.ascontiguousarray(coef), self.mean_y - coef @ self.mean_x

    def lower_bound(self) -> float:
        """A lower bound of the objective with any penalty: the minimum without one; 0 where that would take long.

        The residual of least squares is dual feasible for every penalty. It certifies solutions under very weak
        penalties, where products of columns with any other residual exceed the penalty by rounding.
        """
        rows, columns = self.shape
        if columns >= rows or rows * columns**2 > MAX_WORK:
            return 0.0
        fit = least_squares(self.X, self.y, self.weight, self.centre)
        return float(np.square(fit.deviation / np.sqrt(fit.weight)).sum() / 2)

    def value(self, coef: Array, intercept: Array, penalty: Blended) -> float:
        """The objective of coefficients as they are stored, and of intercepts, in double precision."""
        coef = coef.astype(np.float64)
        residual = self.y - matrix_products.precise_products(self.X, coef.T, intercept.astype(np.float64))
        loss = np.average(np.square(residual).sum(axis=1), weights=self.weight) / 2
        return float(sum(penalty.terms(coef.T), loss))


@dataclass(frozen=True, slots=True)
class WorkingSets:
    """The method, for `iterate`: a step is a round on a working set."""

    problem: StandardisedLeastSquares
    penalty: Blended
    settings: SolverSettings
    first: Array

    def start(self) -> State:
        """Before the first round."""
        return {
            "w": self.first,
            "objective": np.inf,
            "gap": np.inf,
            "size": 0,
            "passes": 0,
            "round": 0,
            "care": 0,
            "left": self.settings.max_iter,
        }

    def step(self, state: State) -> State:
        """One round, in higher precision after one with many passes or with little progress and no new columns."""
        w, care = state["w"].copy(), state["care"]
        seed = self.settings.seed and self.settings.seed + state["round"]
        limit = state["left"] if care else min(state["left"], GRAM_AFTER_PASSES)
        objective, gap, noise, support, passes, size = self.problem.kernel.improve(
            w, self.penalty.l1, self.penalty.l2, self.settings.tol, limit, care, seed
        )
        return {
            "w": w, "objective": objective, "gap": gap, "noise": noise, "support": support, "size": size,
            "passes": state["passes"] + passes, "left": max(1, state["left"] - passes), "round": state["round"] + 1,
            "care": max(care, _precision_needed(state, gap, passes, size)),
            "stuck": care == 2 and size <= state["size"] and passes < limit
            and gap >= state["gap"] and objective >= state["objective"] - noise,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """Objective and duality gap in the units of the data."""
        scale = self.problem.scale
        return Progress(
            state["objective"] * scale,
            state["gap"] * scale,
            max(self.settings.tol, state["noise"]) * scale,
            {"passes": state["passes"], "working_set": state["size"], "support": state["support"]},
            stalled=state["stuck"],
            exhausted=state["passes"] >= self.settings.max_iter,
        )


def _precision_needed(state: State, gap: float, passes: int, size: int) -> int:
    """The level for the next round: 1, products of columns, after many passes; 2, double precision, if stuck."""
    if size > state["size"]:
        return 0
    return 2 if gap > state["gap"] / 2 else int(passes >= GRAM_AFTER_PASSES)


def solve(
    problem: StandardisedLeastSquares,
    penalty: Blended,
    settings: SolverSettings,
    trace: Trace,
    start: Array | None = None,
) -> PenalisedSolution:
    """The optimum for one penalty, from `start` (targets, features) if given."""
    method = WorkingSets(problem, penalty, settings, problem.start(start))
    state = iterate(method, settings.max_iter, trace)
    solution = _solution(problem, penalty, settings, state)
    if trace.stopped in ("stalled", "limit") and penalty.l1 + penalty.l2 > 0:
        solution = replace(solution, gap=min(solution.gap, gap_between(solution.objective, problem.lower_bound())))
        trace.stopped = "converged" if solution.gap <= solution.tolerance else trace.stopped
    return solution


def _solution(
    problem: StandardisedLeastSquares, penalty: Blended, settings: SolverSettings, state: State
) -> PenalisedSolution:
    coef, intercept = problem.coefficients(state["w"])
    scale = problem.scale
    objective, gap = state["objective"] * scale, state["gap"] * scale
    tolerance = max(settings.tol, state["noise"]) * scale
    if (
        problem.dtype != np.float64 and penalty.l1 + penalty.l2 > 0
    ):  # the gap was computed before rounding to the storage type
        gap = max(gap, problem.value(coef, intercept, penalty) - (objective - gap))
    return PenalisedSolution(coef, intercept, objective, gap, tolerance, state["passes"])


@dataclass(frozen=True, slots=True)
class PenaltyPath:
    """Solutions along a path: coefficients (targets, features, alphas), and gap, tolerance and passes of each."""

    coef: Array
    gap: Array
    tolerance: Array
    passes: Array


def solve_path(
    problem: StandardisedLeastSquares,
    penalties: Sequence[Blended],
    settings: SolverSettings,
    start: Array | None = None,
) -> PenaltyPath:
    """The optimum for each of the penalties, each started from the one before; fastest from strong to weak."""
    coef = np.zeros((problem.targets, problem.shape[1], len(penalties)))
    paths = _path([problem], penalties, settings, start)
    (figures,), stopped = _follow(paths, (1, len(penalties)), coef, np.empty((0, 0)))
    if stopped:
        raise BudgetError("the budget ended, or a watcher stopped the fit, before the path was complete")
    gap, noise, passes = figures[:, 1], figures[:, 2], figures[:, 3]
    tolerance = np.maximum(settings.tol, noise) * problem.scale
    return PenaltyPath(coef.astype(problem.dtype, copy=False), gap * problem.scale, tolerance, passes.astype(int))


def path_errors(
    problems: list[StandardisedLeastSquares], penalties: Sequence[Blended], settings: SolverSettings, test_weight: Array
) -> tuple[Array, Array, Stopped]:
    """Mean squared errors (problems, alphas) on test rows, whether paths converged, and the reason of an early stop.

    `test_weight` (problems, samples) holds the weights of the test rows. The problems have X in common and differ in
    the weights of its rows, so that their paths are followed in lockstep. Errors that were not reached are NaN.
    """
    paths, size = _path(problems, penalties, settings, None), (len(problems), len(penalties))
    figures, stopped = _follow(paths, size, np.empty((0, 0, 0)), np.ascontiguousarray(test_weight))
    unfinished = figures[:, :, 1] > np.maximum(settings.tol, figures[:, :, 2])
    return figures[:, :, 4], ~unfinished, stopped


def _path(
    problems: list[StandardisedLeastSquares],
    penalties: Sequence[Blended],
    settings: SolverSettings,
    start: Array | None,
) -> kernels.LassoPath:
    """The paths of all problems in lockstep, each from `start` if given."""
    l1 = np.array([penalty.l1 for penalty in penalties], dtype=np.float64)
    l2 = np.array([penalty.l2 for penalty in penalties], dtype=np.float64)
    paths = kernels.LassoPath(
        [problem.kernel for problem in problems], l1, l2, settings.tol, settings.max_iter, settings.seed
    )
    for index, problem in enumerate(problems):
        paths.start(index, problem.start(start))
    return paths


def _follow(paths: kernels.LassoPath, size: tuple[int, int], coef: Array, test_weight: Array) -> tuple[Array, Stopped]:
    """Objective, gap, noise, passes and error (problems, alphas, 5) of all points, and the reason of an early stop."""
    figures = np.full((*size, 5), np.nan)
    try:
        while paths.advance(figures, coef, test_weight):
            if reason := reason_to_stop():
                return figures, reason
    except BudgetError:
        return figures, "budget"
    return figures, ""


def certify(trace: Trace, gap: float, tolerance: float, bound: bool) -> None:
    """Certify the duality gap; without any penalty there is none, and the gradient norm is certified instead."""
    if bound:
        trace.certify("duality gap", gap, tolerance, "no other coefficients can lower the objective by more than this.")
    else:
        trace.certify("squared gradient", gap, tolerance, "the squared length of the gradient on standardised columns.")


def alpha_grid(alpha_max: float, eps: float, count: int) -> Array:
    """`count` values of alpha, geometric from `alpha_max` down to `eps` times that; tiny where nothing correlates."""
    smallest = np.finfo(np.float64).resolution
    return np.full(count, smallest) if alpha_max <= smallest else np.geomspace(alpha_max, alpha_max * eps, count)
