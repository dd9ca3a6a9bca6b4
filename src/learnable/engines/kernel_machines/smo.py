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

STEPS_AT_ONCE = 4096
WORK_AT_ONCE = 20_000  # rows of the matrix used before the trace is recorded
MOST_TO_LEAP = 2048  # variables up to which linear systems in all of them are worth solving
FEW_ROWS = 2048  # up to here kernel values are kept in double precision
COARSE = 1e-4  # tolerances from here on may use kernel values in single precision
MOVED_AT_FIRST = 0  # rows that have moved; once they are many, others may be put to rest
TIMES = 4  # how often variables may be shrunk before all are checked again
EPSILON = 2.0**-52
MANY_STEPS = 10_000_000
MOST_IN_VAIN = 2  # leaps that may fail to help before it gives up
WIDEST = 1e12  # bounds, in units of the kernel, in place of none: beyond it decision values are all rounding
HOPELESS = 1e100  # decision values with which nothing can be computed
SEPARATED = 1e-13  # relative squared distance of two convex hulls below which they count as touching


class DualProblem(NamedTuple):
    """The kernel table; bounds, linear terms and groups (0 or 1) of variables; the error if there is no optimum."""

    table: Any
    low: Array
    high: Array
    q: Array
    group: Array
    hopeless: str = "the classes are not separable with this kernel, so that no margin is hard: C must be finite"

    @property
    def rows(self) -> int:
        """Rows of the kernel matrix."""
        return int(self.table.size)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds."""
        return self.low, self.high


class Effort(NamedTuple):
    """When to stop: the largest violation of the conditions of an optimum, or a number of steps (-1: many).

    With `shrinking`, variables that have settled at a bound rest: they are skipped until the others are done.
    """

    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 200.0
    shrinking: bool = True

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel rows; the parameter counts megabytes."""
        return int(self.cache_size * 2**20)

    def up_to(self, problem: DualProblem) -> Effort:
        """The same with a finite limit of steps, far above what a problem with a solution needs."""
        most = self.max_iter if self.max_iter >= 0 else max(MANY_STEPS, 100 * problem.rows)
        return Effort(self.tol, most, self.cache_size, self.shrinking)


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


def solve(problem: DualProblem, effort: Effort, trace: Trace, start: Start | None = None) -> DualSolution:
    """Solve from `start`; from zero by default."""
    first, effort = Start.zero(problem) if start is None else start, effort.up_to(problem)
    single_precision = problem.rows > FEW_ROWS and effort.tol >= COARSE
    lengths = np.sqrt(np.abs(problem.table.diagonal))
    method = _Rounds(problem, effort, first, 0, single_precision, _solver(problem, effort, single_precision), lengths)
    state = method.awake(iterate(method, 10**9, trace))
    if single_precision and trace.stopped == "converged" and _precision_error(problem, state["b"]) > 0.1 * effort.tol:
        again, solver = Start(state["b"]), _solver(problem, effort, False)
        method = _Rounds(problem, effort, again, state["steps"], False, solver, lengths)
        state = method.awake(iterate(method, 10**9, trace))
    return method.solution(state)


def _solver(problem: DualProblem, effort: Effort, single_precision: bool) -> kernels.Smo:
    """The compiled solver, with kernel values in single precision if `single_precision`."""
    return kernels.Smo(
        problem.table,
        problem.low,
        problem.high,
        problem.q,
        problem.group,
        effort.cache_bytes,
        single_precision,
        effort.shrinking,
    )


def _precision_error(problem: DualProblem, b: Array) -> float:
    """How far decision values may be off with kernel values in single precision: equal ones err alike, and all add."""
    return float(problem.table.f32_error * np.abs(b).sum() * problem.table.largest)


class _Rounds(NamedTuple):
    """The method, for `iterate`: a step is some rounds of the compiled solver; `lengths` are roots of k(x, x)."""

    problem: DualProblem
    effort: Effort
    first: Start
    steps: int
    single_precision: bool
    solver: kernels.Smo
    lengths: Array

    def start(self) -> State:
        """Before the first round."""
        b, scores = self.first.b, self.first.scores
        if scores is None:
            scores = np.zeros(self.problem.rows)
            self.solver.score(b, scores)
        return {
            "b": b, "scores": scores, "resting": np.zeros(self.problem.rows, dtype=np.uint8),
            "then": np.zeros((TIMES, len(b))), "moved": MOVED_AT_FIRST, "set": [],
            "steps": self.steps, "objective": self.solver.objective(b, scores), "leaps": 0, "earlier": np.inf,
        }  # fmt: skip

    def step(self, state: State) -> State:
        """A few rounds; where these get slow, after a leap, and none where leaps have brought it no nearer."""
        if self._slow(state):
            if state["leaps"] >= MOST_IN_VAIN and state["violation"] > state["earlier"] / 2:
                return state | {"stuck": 1}
            state = self._leapt(state) | {"earlier": state["violation"]}
            if state["stuck"] or self._tolerance < self._blur(state["b"]) >= state["violation"]:
                return state  # steps would follow rounding
        b, scores, resting, then = (state[name].copy() for name in ("b", "scores", "resting", "then"))
        violation, steps, objective, moved, unbounded, stuck, chosen = self.solver.descend(
            b, scores, resting, then, state["moved"], state["set"], self._within(b),
            max(1, WORK_AT_ONCE // self.problem.rows), STEPS_AT_ONCE, state["steps"], self.effort.max_iter,
            state["objective"],
        )  # fmt: skip
        self._refuse(b, scores, objective, unbounded)
        return {
            "b": b, "scores": scores, "resting": resting, "then": then, "moved": moved,
            "set": chosen, "steps": state["steps"] + steps, "violation": violation,
            "objective": objective, "stuck": int(stuck or steps == 0), "leaps": state["leaps"],
            "earlier": state["earlier"],
        }  # fmt: skip

    def _slow(self, state: State) -> bool:
        """Whether the steps so far have cost more than solving linear systems in all variables would."""
        variables = len(state["b"])
        return variables <= MOST_TO_LEAP and state["steps"] > 4 ** state["leaps"] * variables**2

    def _leapt(self, state: State) -> State:
        """Leap near the optimum by an interior-point method; the old state if that is no better."""
        leaps, problem = state | {"leaps": state["leaps"] + 1}, self.problem
        size = problem.table.largest
        low, high = (np.nan_to_num(b, nan=0.0, posinf=WIDEST / size, neginf=-WIDEST / size) for b in problem.bounds)
        if not (high - low).max() * size < HOPELESS:
            return leaps | {"stuck": 1}
        K = problem.table.rows(np.arange(problem.rows, dtype=np.int32))
        copies = len(problem.q) // problem.rows
        groups = np.array([problem.group == g for g in range(int(problem.group.max()) + 1)], dtype=np.float64)
        box = Boxed(np.tile(K, (copies, copies)), low, high, problem.q, groups, groups @ state["b"])
        b, scores = without_fixed(box, state["b"]), np.zeros(problem.rows)
        self.solver.score(b, scores)
        objective = self.solver.objective(b, scores)
        if not objective < state["objective"]:
            return leaps
        resting = np.zeros(problem.rows, dtype=np.uint8)
        violation, *_ = self.solver.improve(b, scores, resting, state["then"].copy(), MOVED_AT_FIRST, [], 0.0, 0, 0)
        there = {"b": b, "scores": scores, "objective": objective, "resting": resting, "moved": MOVED_AT_FIRST}
        return leaps | there | {"violation": violation, "stuck": 0}

    def awake(self, state: State) -> State:
        """The state with nothing at rest: scores, objective and violation computed over all rows."""
        if not np.count_nonzero(state["resting"]):
            return state
        b, scores, resting = state["b"], state["scores"].copy(), state["resting"].copy()
        violation = self.solver.activate(b, scores, resting, state["then"])
        return state | {
            "scores": scores, "resting": resting, "violation": violation,
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

    def _refuse(self, b: Array, scores: Array, objective: float, unbounded: bool) -> None:
        """Refuse problems without a solution."""
        if not math.isfinite(objective):
            raise DataError(
                "kernel values are too large to compute with; scale the columns of X or choose a smaller gamma"
            )
        if unbounded or not (self.solver.bounded or self._hulls_apart(b, self._of_variables(scores))):
            raise DataError(self.problem.hopeless)

    def progress(self, state: State) -> Progress:
        """Violations within rounding cannot get smaller."""
        violation, kkt_violation, most = state["violation"], self._kkt_violation(state), self.effort.max_iter
        size = 0.0 if violation <= self._tolerance else np.abs(state["scores"]).max() + np.abs(self.problem.q).max()
        return Progress(
            -state["objective"],
            kkt_violation,
            self._tolerance,
            {"steps": float(state["steps"])},
            stalled=bool(state["stuck"]) or violation <= max(4 * EPSILON * size, kkt_violation - violation),
            exhausted=most <= state["steps"],
        )

    @property
    def _tolerance(self) -> float:
        """Single precision must leave something to what it cannot see."""
        return self.effort.tol * (0.9 if self.single_precision else 1.0)

    def _within(self, b: Array) -> float:
        """The violation at which steps may end: the tolerance less what rounding hides, if that is the smaller part."""
        return max(self._tolerance - self._blur(b), self._tolerance / 2)

    def _rounding(self, b: Array) -> float:
        """How far rounding may move a decision value, in units of the row's length: it sums k(x_i, x_j) b_j."""
        parts = b * self._of_variables(self.lengths)
        return 2 * EPSILON * math.sqrt(float(parts @ parts))

    def _blur(self, b: Array) -> float:
        """How far rounding may set the decision values of any two rows apart."""
        return 2 * math.sqrt(self.problem.table.largest) * self._rounding(b)

    def _kkt_violation(self, state: State) -> float:
        """The largest violation that rounding leaves possible; a long row may be far from where its length matters."""
        b, violation = state["b"], float(state["violation"])
        most = violation + self._blur(b)
        if violation > self._tolerance or most <= self._tolerance:
            return most
        gradient = -(self._of_variables(state["scores"]) + self.problem.q)
        error = self._rounding(b) * self._of_variables(self.lengths)
        awake = self._of_variables(state["resting"]) == 0
        rise, fall = awake & (b < self.problem.high), awake & (b > self.problem.low)
        for group in range(int(self.problem.group.max()) + 1):
            mine = self.problem.group == group
            above = (gradient + error)[rise & mine].max(initial=-np.inf)
            violation = max(violation, float(above - (gradient - error)[fall & mine].min(initial=np.inf)))
        return violation

    def _hulls_apart(self, b: Array, scores: Array) -> bool:
        """Whether the hulls of both classes are apart; variables without bounds grow for ever where they are not."""
        total = float(np.abs(b) @ self._of_variables(self.lengths))
        return total == 0 or 4 * float(b @ scores) > SEPARATED * total**2
