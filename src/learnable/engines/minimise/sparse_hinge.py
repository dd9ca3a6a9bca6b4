"""The squared hinge with an absolute penalty: a lasso on the rows whose margin is short, again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..iterate import Progress, State
from .bounded import relative
from .coordinate import Effort, Problem, WorkingSets

ROUNDING = 1e-12  # weights below this share of the largest that are about to vanish have vanished
ROUNDS = 1000  # of working sets, in one lasso


@dataclass(frozen=True, slots=True)
class SparseHinge:
    """minimise over w    |w|_1  +  sum_i limit_i max(0, 1 - y_i x_i w)^2,    y_i in {-1, 1}

    Where the same rows stay short of their margin the objective is that of a lasso, so its minimum there is a step as
    good as Newton's, and the last one is exact. Dual variables 2 limit_i max(0, 1 - y_i x_i w), shortened until no
    column of X earns more than one, prove the gap. Converged when it is at most `tolerance` of the objective.
    """

    X: Matrix
    sign: Array
    limit: Array
    tolerance: float

    def start(self) -> State:
        """No column has a weight."""
        return self._look(np.zeros(self.X.shape[1]), np.zeros(len(self.sign)))

    def step(self, state: State) -> State:
        """Towards the lasso's answer, as far as the objective falls."""
        w, scores = state["w"], state["scores"]
        short = self.sign * scores < 1
        aim = self._lasso(short, w, state["gap"] / state["objective"])
        move = aim - w
        along = design.precise_scores(self.X, move, 0.0)
        length = self._length(w, move, scores, along)
        ahead = w + length * move
        ahead[(aim == 0) & (np.abs(ahead) <= ROUNDING * np.abs(ahead).max(initial=0.0))] = 0
        return self._look(ahead, scores + length * along)

    def progress(self, state: State) -> Progress:
        """The gap as a share of the objective."""
        return Progress(state["objective"], relative(state["gap"], state["objective"]), self.tolerance)

    def _lasso(self, short: Array, w: Array, gap: float) -> Array:
        """The minimum if exactly the rows `short` counted, to a gap well below the present one."""
        weight = np.where(short, self.limit, 0.0)
        total = float(weight.sum())
        if total == 0:
            return np.zeros_like(w)
        problem = Problem(self.X, weight, centre=False)
        problem.aim(self.sign)
        effort = Effort(min(1e-3, 1e-2 * max(gap, self.tolerance)), 100_000)
        method = WorkingSets(problem, 0.5 / total, 0.0, effort, problem.start(w))
        state = method.step(method.start())
        for _ in range(ROUNDS):
            here = method.progress(state)
            if here.criterion <= here.tolerance or here.exhausted:
                break
            state = method.step(state)
        return np.asarray(problem.coefficients(state["w"])[0][0], dtype=np.float64)

    def _length(self, w: Array, move: Array, scores: Array, along: Array) -> float:
        """Where the slope of the objective along the move changes its sign; all of it where it hardly rises there."""

        def slope(s: float) -> float:
            ahead = w + s * move
            lacking = np.maximum(1 - self.sign * (scores + s * along), 0)
            pull = float((np.where(ahead == 0, np.sign(move), np.sign(ahead)) * move).sum())
            return pull - 2 * float((self.limit * lacking * self.sign) @ along)

        if slope(1.0) <= 1e-3 * abs(slope(0.0)):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if slope(middle) > 0 else (middle, high)
        return low if low > 0 else high

    def _look(self, w: Array, scores: Array) -> State:
        lacking = np.maximum(1 - self.sign * scores, 0)
        objective = float(np.abs(w).sum() + self.limit @ (lacking * lacking))
        dual = 2 * self.limit * lacking
        most = float(np.abs(design.pullback(self.X, self.sign * dual)).max(initial=0.0))
        dual = dual / max(1.0, most)
        proven = float(dual.sum() - (dual * dual / (4 * self.limit)).sum())
        return {"w": w, "scores": scores, "objective": objective, "gap": max(0.0, objective - proven)}
