"""The multiclass support vector machine of Crammer and Singer, by an interior-point method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array
from ...algebra.interruptible_lapack import interruptibly
from ...iterate import Progress, State
from ..duality import relative_gap
from .crammer_singer import CrammerSinger

STEP_TO_BOUNDARY = 0.995  # fraction of the way to its bound that a variable may go in a step
PATIENCE = 8  # steps without a smaller gap that end a fit


class _SlackStep(NamedTuple):
    """Changes of slacks, multipliers and weights, and the step length that the bounds allow."""

    slack: Array
    multiplier: Array
    w: Array
    step_length: float


@dataclass(frozen=True, slots=True)
class CrammerSingerInteriorPoint:
    """The dual of the same problem by an interior-point method: some thirty steps however large the limits are.

    minimise over a    |X'a|^2 / 2 - sum_i a_{i y_i},    sum_k a_ik = 0,    a_ik <= limit_i [k = y_i]

    A row keeps the distances of its variables to their bounds ("slack") and what each is worth ("multiplier"); their
    products go to zero together. A step solves one system in the weights, sum_i P_i (x) x_i x_i' + 1 with a small
    matrix P_i for each row: a predictor says how far it can be trusted, a corrector uses that. [Mehrotra, 1992]
    """

    problem: CrammerSinger
    tolerance: float

    def start(self) -> State:
        """The centre of all bounds, with multipliers as large as the gradient there."""
        problem = self.problem
        slack = np.repeat(problem.limit[:, None] / problem.classes, problem.classes, axis=1)
        dual = self._dual(slack)
        found = problem.evaluate(dual)
        gradient = self._gradient(found["w"])
        multiplier = gradient.max(axis=1, keepdims=True) - gradient + max(float(np.abs(gradient).max()), 1e-300)
        return {"slack": slack, "multiplier": multiplier, "now": found["w"], "dual": dual, "idle": 0} | found

    def step(self, state: State) -> State:
        """One predictor and one corrector, from the same system; "dual" and "w" are the best ones so far."""
        slack, multiplier = state["slack"], state["multiplier"]
        system, product = self._system(slack / multiplier), slack * multiplier
        try:
            guess = self._direction(system, state, -product)
            ahead = (slack + guess.step_length * guess.slack) * (multiplier + guess.step_length * guess.multiplier)
            goal = float(product.mean()) * (float(ahead.mean()) / float(product.mean())) ** 3
            move = self._direction(system, state, goal - product - guess.slack * guess.multiplier)
        except np.linalg.LinAlgError:  # nothing but rounding is left
            return state | {"idle": PATIENCE}
        slack, multiplier = (
            self._rescaled(slack + move.step_length * move.slack),
            multiplier + move.step_length * move.multiplier,
        )
        dual, w = self._dual(slack), state["now"] + move.step_length * move.w
        found = self.problem.evaluate(dual, w)
        if not (np.isfinite(found["gap"]) and slack.min() > 0 and multiplier.min() > 0):
            return state | {"idle": PATIENCE}
        idle = 0 if found["gap"] < 0.9 * state["gap"] else state["idle"] + 1
        after = state | {"slack": slack, "multiplier": multiplier, "now": w, "idle": idle}
        return after | {"dual": dual} | found if found["gap"] < state["gap"] else after

    def progress(self, state: State) -> Progress:
        """The gap as a share of the objective."""
        criterion = relative_gap(state["gap"], state["objective"])
        return Progress(state["objective"], criterion, self.tolerance, stalled=state["idle"] >= PATIENCE)

    def _dual(self, slack: Array) -> Array:
        """The dual variables that are so far from their bounds."""
        dual, rows, label = -slack, np.arange(len(slack)), self.problem.label
        dual[rows, label] = slack.sum(axis=1) - slack[rows, label]
        return np.ascontiguousarray(dual)

    def _rescaled(self, slack: Array) -> Array:
        """The same but for rounding, with sums of rows that are their limits."""
        return np.asarray(slack * (self.problem.limit / slack.sum(axis=1))[:, None])

    def _gradient(self, w: Array) -> Array:
        """x_i w_k - [k = y_i] for every row and class."""
        gradient = self.problem.scores(w)
        gradient[np.arange(len(gradient)), self.problem.label] -= 1
        return gradient

    def _system(self, soft: Array) -> Array:
        """1 + sum_i P_i (x) x_i x_i' for all classes but the last, whose weights are what makes their sum zero.

        P_i = diag(soft_i) - soft_i soft_i' / sum soft_i.
        """
        problem, last = self.problem, self.problem.classes - 1
        size, rows, total = (
            problem.X.shape[1] + (problem.intercept_scaling != 0),
            np.arange(len(soft)),
            soft.sum(axis=1),
        )
        shared = np.zeros((last + 1, last + 1, size, size))
        for k in range(last + 1):
            for m in range(k):
                products = np.zeros((size, size))
                factor = soft[:, k] * (soft[:, m] / total)
                kernels.selected_gram(problem.X, rows, factor, problem.intercept_scaling, products)
                shared[k, m] = shared[m, k] = np.triu(products) + np.triu(products, 1).T
        matrix = shared[:last, last:] - shared[:last, :last]
        for k in range(last):
            matrix[k, k] = np.eye(size) + shared[k].sum(axis=0) + shared[k, last]
        return np.ascontiguousarray(matrix.transpose(0, 2, 1, 3).reshape(last * size, last * size))

    def _direction(self, system: Array, state: State, change: Array) -> _SlackStep:
        """The Newton direction that changes slack times multiplier by `change` and restores feasibility."""
        problem, slack, multiplier = self.problem, state["slack"], state["multiplier"]
        target = self._gradient(state["now"]) + multiplier + change / slack
        dual_residual = state["now"] - problem.transposed_product(self._dual(slack))
        right = -problem.transposed_product(_spread(slack / multiplier, target)) - dual_residual
        largest = interruptibly(np.linalg.solve, system, right.T[:-1].ravel()).reshape(problem.classes - 1, -1).T
        w = np.column_stack([largest, -largest.sum(axis=1)])
        slacks = _spread(slack / multiplier, target + problem.scores(w))
        return _SlackStep(
            slacks,
            multipliers := (change - multiplier * slacks) / slack,
            w,
            min(_step_length(slack, slacks), _step_length(multiplier, multipliers)),
        )


def _spread(soft: Array, values: Array) -> Array:
    """P_i times the values of each row; the softest place, whose digits would cancel, is what the others leave."""
    rows, softest = np.arange(len(soft)), soft.argmax(axis=1)
    apart = values - values[rows, softest][:, None]
    spread = soft * (apart - (soft * apart).sum(axis=1, keepdims=True) / soft.sum(axis=1, keepdims=True))
    spread[rows, softest] = 0.0
    spread[rows, softest] = -spread.sum(axis=1)
    return np.asarray(spread)


def _step_length(values: Array, change: Array) -> float:
    """The longest step, at most one, that keeps a little of every value."""
    largest = float(np.max(-change / values))
    return 1.0 if largest <= STEP_TO_BOUNDARY else STEP_TO_BOUNDARY / largest
