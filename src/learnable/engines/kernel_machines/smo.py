"""The dual of kernel machines: a quadratic problem with bounds, solved by sequential minimal optimisation.

    minimise over b    b'Kb / 2 + q'b,    low <= b <= high,    the sum of b over each group stays what it was

Support vector classifiers, regressions and the one-class machine are such problems: b are the dual variables with the
signs of their classes, so that K b are the decision values without their constant. A regression has two variables
for each row of K, one pulling up and one pulling down. [Fan, Chen and Lin, 2005; Joachims, 1999]
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...core.errors import DataError
from ...core.runtime.native import kernels
from ...core.runtime.trace import Trace
from ...core.validate.features import Array
from ..iterate import Progress, State, iterate
from .interior_point import Boxed, without_fixed

# Work between two rows of the trace, which is also how soon a budget or Ctrl-C is heard.
STEPS_AT_ONCE = 4096
WORK_AT_ONCE = 20_000  # rows of the kernel matrix that are used
DEFAULT_MAX_STEPS = 10_000_000
# Where SMO makes hardly any progress, an interior-point method takes over. Without it, 300 rows of 4 columns with a
# linear kernel and C = 1e4 did not converge in these 10 million steps (2.6 s; 0.07 s with it), nor did polynomial
# kernels with C = 1e6; regressions with C = 1e3 took 4.0 s instead of 0.3 s. With it all 23 problems of that kind
# converged within 1 s. Its cost grows as the cube of the variables, hence the limit.
MAX_INTERIOR_VARIABLES = 2048
MAX_INTERIOR_SOLVES = 2  # solves that may fail to halve the violation before the fit counts as stalled
MAX_BOUND = 1e12  # bounds of its problem, in units of the kernel, where there are none: beyond, scores are rounding
MAX_DECISION_VALUE = 1e100  # decision values that can still be computed with
# Precision of kernel values: single where the tolerance is far above its rounding and the matrix is large.
DOUBLE_PRECISION_ROWS = 2048
SINGLE_PRECISION_TOL = 1e-4
SHRINK_TIMES = 4  # how often variables may be shrunk before all are checked again
NONE_MOVED = 0  # rows that have moved since all were active; once they are many, others may be shrunk
EPSILON = 2.0**-52
SEPARATED = 1e-13  # relative squared distance of two convex hulls below which they count as touching


class DualProblem(NamedTuple):
    """The kernel table; bounds, linear terms and groups (0 or 1) of variables; the error if it is unbounded."""

    table: Any
    low: Array
    high: Array
    q: Array
    group: Array
    unbounded: str = "the classes are not separable with this kernel, so C=inf has no solution: C must be finite"

    @property
    def rows(self) -> int:
        """Rows of the kernel matrix."""
        return int(self.table.size)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds."""
        return self.low, self.high


class SmoSettings(NamedTuple):
    """When to stop: the largest violation of the conditions of an optimum, or a number of steps (-1: many).

    With `shrinking`, variables that have settled at a bound are skipped until the others have converged.
    """

    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 200.0
    shrinking: bool = True

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel rows; the parameter counts megabytes."""
        return int(self.cache_size * 2**20)

    def up_to(self, problem: DualProblem) -> SmoSettings:
        """The same with a finite limit of steps, far above what a problem with a solution needs."""
        most = self.max_iter if self.max_iter >= 0 else max(DEFAULT_MAX_STEPS, 100 * problem.rows)
        return SmoSettings(self.tol, most, self.cache_size, self.shrinking)


class DualSolution(NamedTuple):
    """Variables, K b, the objective, the largest violation, steps done, and each group's multiplier at the optimum."""

    b: Array
    scores: Array
    objective: float
    violation: float
    steps: int
    levels: Array


class Start(NamedTuple):
    """Variables to begin with, within their bounds, whose sums are kept; K b, where it is known."""

    b: Array
    scores: Array | None = None

    @classmethod
    def zero(cls, problem: DualProblem) -> Start:
        """No variable has moved."""
        return cls(np.zeros(len(problem.q)), np.zeros(problem.rows))


def solve(problem: DualProblem, settings: SmoSettings, trace: Trace, start: Start | None = None) -> DualSolution:
    """Solve from `start`; from zero by default."""
    first, settings = Start.zero(problem) if start is None else start, settings.up_to(problem)
    single_precision = problem.rows > DOUBLE_PRECISION_ROWS and settings.tol >= SINGLE_PRECISION_TOL
    row_norms = np.sqrt(np.abs(problem.table.diagonal))
    solver = _solver(problem, settings, single_precision)
    method = _SmoIterations(problem, settings, first, 0, single_precision, solver, row_norms)
    state = method.with_all_active(iterate(method, 10**9, trace))
    if single_precision and trace.stopped == "converged" and _precision_error(problem, state["b"]) > 0.1 * settings.tol:
        solver = _solver(problem, settings, False)
        method = _SmoIterations(problem, settings, Start(state["b"]), state["steps"], False, solver, row_norms)
        state = method.with_all_active(iterate(method, 10**9, trace))
    return method.solution(state)


def _solver(problem: DualProblem, settings: SmoSettings, single_precision: bool) -> kernels.Smo:
    """The compiled solver, with kernel values in single precision if `single_precision`."""
    return kernels.Smo(
        problem.table,
        problem.low,
        problem.high,
        problem.q,
        problem.group,
        settings.cache_bytes,
        single_precision,
        settings.shrinking,
    )


def _precision_error(problem: DualProblem, b: Array) -> float:
    """How far decision values may be off with kernel values in single precision: equal ones err alike, and all add."""
    return float(problem.table.f32_error * np.abs(b).sum() * problem.table.largest)


class _SmoIterations(NamedTuple):
    """The method, for `iterate`: a step is some rounds of the compiled solver; `row_norms` are roots of k(x, x)."""

    problem: DualProblem
    settings: SmoSettings
    first: Start
    steps: int
    single_precision: bool
    solver: kernels.Smo
    row_norms: Array

    def start(self) -> State:
        """Before the first round."""
        b, scores = self.first.b, self.first.scores
        if scores is None:
            scores = np.zeros(self.problem.rows)
            self.solver.score(b, scores)
        return {
            "b": b, "scores": scores, "inactive": np.zeros(self.problem.rows, dtype=np.uint8),
            "b_when_shrunk": np.zeros((SHRINK_TIMES, len(b))), "rows_moved": NONE_MOVED, "working_set": [],
            "steps": self.steps, "objective": self.solver.objective(b, scores), "interior_solves": 0,
            "previous_violation": np.inf,
        }  # fmt: skip

    def step(self, state: State) -> State:
        """A few rounds of SMO; where these are slow, an interior-point solve first, unless solves no longer help."""
        if self._is_slow(state):
            in_vain = state["violation"] > state["previous_violation"] / 2
            if state["interior_solves"] >= MAX_INTERIOR_SOLVES and in_vain:
                return state | {"stalled": 1}
            state = self._solve_by_interior_point(state) | {"previous_violation": state["violation"]}
            if state["stalled"] or self._tolerance < self._violation_rounding(state["b"]) >= state["violation"]:
                return state  # steps would follow rounding
        b, scores, inactive = (state[name].copy() for name in ("b", "scores", "inactive"))
        b_when_shrunk = state["b_when_shrunk"].copy()
        violation, steps, objective, rows_moved, unbounded, stalled, working_set = self.solver.descend(
            b, scores, inactive, b_when_shrunk, state["rows_moved"], state["working_set"], self._violation_to_reach(b),
            max(1, WORK_AT_ONCE // self.problem.rows), STEPS_AT_ONCE, state["steps"], self.settings.max_iter,
            state["objective"],
        )  # fmt: skip
        self._refuse_unbounded(b, scores, objective, unbounded)
        return {
            "b": b, "scores": scores, "inactive": inactive, "b_when_shrunk": b_when_shrunk, "rows_moved": rows_moved,
            "working_set": working_set, "steps": state["steps"] + steps, "violation": violation,
            "objective": objective, "stalled": int(stalled or steps == 0), "interior_solves": state["interior_solves"],
            "previous_violation": state["previous_violation"],
        }  # fmt: skip

    def _is_slow(self, state: State) -> bool:
        """Whether the steps so far have cost more than solving linear systems in all variables would."""
        variables = len(state["b"])
        return variables <= MAX_INTERIOR_VARIABLES and state["steps"] > 4 ** state["interior_solves"] * variables**2

    def _solve_by_interior_point(self, state: State) -> State:
        """The state near the optimum by an interior-point method; the old variables if that is no better."""
        unchanged, problem = state | {"interior_solves": state["interior_solves"] + 1}, self.problem
        size = problem.table.largest
        most = MAX_BOUND / size
        low, high = (np.nan_to_num(bound, nan=0.0, posinf=most, neginf=-most) for bound in problem.bounds)
        if not (high - low).max() * size < MAX_DECISION_VALUE:
            return unchanged | {"stalled": 1}
        K = problem.table.rows(np.arange(problem.rows, dtype=np.int32))
        copies = len(problem.q) // problem.rows
        groups = np.array([problem.group == g for g in range(int(problem.group.max()) + 1)], dtype=np.float64)
        box = Boxed(np.tile(K, (copies, copies)), low, high, problem.q, groups, groups @ state["b"])
        b, scores = without_fixed(box, state["b"]), np.zeros(problem.rows)
        self.solver.score(b, scores)
        objective = self.solver.objective(b, scores)
        if not objective < state["objective"]:
            return unchanged
        inactive = np.zeros(problem.rows, dtype=np.uint8)
        shrunk = state["b_when_shrunk"].copy()
        violation, *_ = self.solver.improve(b, scores, inactive, shrunk, NONE_MOVED, [], 0.0, 0, 0)
        there = {"b": b, "scores": scores, "objective": objective, "inactive": inactive, "rows_moved": NONE_MOVED}
        return unchanged | there | {"violation": violation, "stalled": 0}

    def with_all_active(self, state: State) -> State:
        """The state with all variables active: scores, objective and violation computed over all rows."""
        if not np.count_nonzero(state["inactive"]):
            return state
        b, scores, inactive = state["b"], state["scores"].copy(), state["inactive"].copy()
        violation = self.solver.activate(b, scores, inactive, state["b_when_shrunk"])
        return state | {
            "scores": scores, "inactive": inactive, "violation": violation,
            "objective": self.solver.objective(b, scores),
        }  # fmt: skip

    def solution(self, state: State) -> DualSolution:
        """The solution, with the multiplier of each group; violations within rounding count as violated."""
        b, scores = state["b"], state["scores"]
        levels = self.solver.levels(b, scores)
        return DualSolution(b, scores, state["objective"], self._kkt_violation(state), state["steps"], levels)

    def _of_variables(self, scores: Array) -> Array:
        """The score of the row of each variable."""
        copies = len(self.problem.q) // len(scores)
        return scores if copies == 1 else np.tile(scores, copies)

    def _refuse_unbounded(self, b: Array, scores: Array, objective: float, unbounded: bool) -> None:
        """Refuse problems without a solution."""
        if not math.isfinite(objective):
            raise DataError(
                "kernel values are too large to compute with; scale the columns of X or choose a smaller gamma"
            )
        if unbounded or not (self.solver.bounded or self._hulls_apart(b, self._of_variables(scores))):
            raise DataError(self.problem.unbounded)

    def progress(self, state: State) -> Progress:
        """Violations within rounding cannot get smaller."""
        violation, kkt_violation, most = state["violation"], self._kkt_violation(state), self.settings.max_iter
        size = 0.0 if violation <= self._tolerance else np.abs(state["scores"]).max() + np.abs(self.problem.q).max()
        return Progress(
            -state["objective"],
            kkt_violation,
            self._tolerance,
            {"steps": float(state["steps"])},
            stalled=bool(state["stalled"]) or violation <= max(4 * EPSILON * size, kkt_violation - violation),
            exhausted=most <= state["steps"],
        )

    @property
    def _tolerance(self) -> float:
        """Single precision must leave something to what it cannot see."""
        return self.settings.tol * (0.9 if self.single_precision else 1.0)

    def _violation_to_reach(self, b: Array) -> float:
        """The violation at which steps may end: the tolerance less what rounding hides, if that is the smaller part."""
        return max(self._tolerance - self._violation_rounding(b), self._tolerance / 2)

    def _score_rounding(self, b: Array) -> float:
        """How far rounding may move a decision value, in units of the row's length: it sums k(x_i, x_j) b_j."""
        parts = b * self._of_variables(self.row_norms)
        return 2 * EPSILON * math.sqrt(float(parts @ parts))

    def _violation_rounding(self, b: Array) -> float:
        """How far rounding may set the decision values of any two rows apart."""
        return 2 * math.sqrt(self.problem.table.largest) * self._score_rounding(b)

    def _kkt_violation(self, state: State) -> float:
        """The largest violation that rounding leaves possible; a long row may be far from where its length matters."""
        b, violation = state["b"], float(state["violation"])
        most = violation + self._violation_rounding(b)
        if violation > self._tolerance or most <= self._tolerance:
            return most
        gradient = -(self._of_variables(state["scores"]) + self.problem.q)
        error = self._score_rounding(b) * self._of_variables(self.row_norms)
        active = self._of_variables(state["inactive"]) == 0
        rise, fall = active & (b < self.problem.high), active & (b > self.problem.low)
        for group in range(int(self.problem.group.max()) + 1):
            mine = self.problem.group == group
            above = (gradient + error)[rise & mine].max(initial=-np.inf)
            violation = max(violation, float(above - (gradient - error)[fall & mine].min(initial=np.inf)))
        return violation

    def _hulls_apart(self, b: Array, scores: Array) -> bool:
        """Whether the hulls of both classes are apart; variables without bounds grow for ever where they are not."""
        total = float(np.abs(b) @ self._of_variables(self.row_norms))
        return total == 0 or 4 * float(b @ scores) > SEPARATED * total**2
