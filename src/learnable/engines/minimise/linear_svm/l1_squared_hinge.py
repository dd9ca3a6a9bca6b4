"""The squared hinge with an absolute penalty: a lasso on the rows whose margin is short, again and again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...iterate import Progress, State
from ..coordinate import Problem, SolverSettings, WorkingSets
from ..duality import gap_between, relative_gap

ROUNDING = 1e-12  # weights below this share of the largest that are about to vanish have vanished
ROUNDS = 1000  # of working sets, in one lasso
EXACT = 1e-12  # gap of a lasso that is as good as none
FEW = 300.0  # how far above the prices at which the first column gets a weight the first ones are
FASTER = 10.0  # by how much prices grow from one problem to the next
PATIENCE = 5  # steps without progress that end a fit
NEARLY = 0.01  # share of its objective by which a problem on the way may miss its optimum


@dataclass(frozen=True, slots=True)
class L1SquaredHinge:
    """minimise over w    |w|_1  +  sum_i limit_i max(0, 1 - y_i x_i w)^2,    y_i in {-1, 1}

    Where the same rows stay short of their margin the objective is that of a lasso, so its minimum there is a step as
    good as Newton's, and the last one is exact. Dual variables 2 limit_i max(0, 1 - y_i x_i w), shortened until no
    column of X earns more than one, prove the gap. High prices are reached from lower ones, as many columns have a
    weight on the way to few otherwise. Converged when the gap is at most `tolerance` of the objective.
    """

    X: Matrix
    sign: Array
    limit: Array
    tolerance: float

    def start(self) -> State:
        """No column has a weight, and prices are a share of those asked for, at which few columns will have one."""
        look = self._look(np.zeros(self.X.shape[1]), np.zeros(len(self.sign)))
        most = float(np.abs(matrix_products.transposed_product(self.X, 2 * self.limit * self.sign)).max(initial=0.0))
        return look | {"fraction": min(1.0, FEW / most) if most > 0 else 1.0, "idle": 0}

    def step(self, state: State) -> State:
        """One lasso at the present share of the prices, and a larger share next if that problem is nearly solved."""
        fraction = state["fraction"]
        part = replace(self, limit=self.limit * fraction)
        before = part.look(state)
        after = part.descended(before)
        if after["gap"] <= NEARLY * after["objective"]:
            fraction = min(1.0, FASTER * fraction)
        fallen = after["objective"] < (1 - EXACT) * before["objective"] or after["gap"] < 0.9 * before["gap"]
        idle = 0 if fallen or fraction > state["fraction"] else state["idle"] + 1
        return self.look(after) | {"fraction": fraction, "idle": idle}

    def look(self, state: State) -> State:
        """What these prices say of the weights of `state`."""
        return self._look(state["w"], state["scores"])

    def descended(self, state: State) -> State:
        """Towards the lasso's answer, as far as the objective falls; the exact one where a rough one is no better."""
        gap = state["gap"] / state["objective"]
        after = self._towards(state, min(1e-3, 1e-2 * max(gap, self.tolerance)))
        return after if after["objective"] < state["objective"] else self._towards(state, EXACT)

    def _towards(self, state: State, tolerance: float) -> State:
        w, scores = state["w"], state["scores"]
        aim = self._lasso(self.sign * scores < 1, w, tolerance)
        move = aim - w
        along = matrix_products.precise_scores(self.X, move, 0.0)
        length = self._length(w, move, scores, along)
        ahead = w + length * move
        ahead[(aim == 0) & (np.abs(ahead) <= ROUNDING * np.abs(ahead).max(initial=0.0))] = 0
        return self._look(ahead, scores + length * along)

    def progress(self, state: State) -> Progress:
        """The gap as a share of the objective."""
        fraction = relative_gap(state["gap"], state["objective"])
        return Progress(state["objective"], fraction, self.tolerance, stalled=state["idle"] >= PATIENCE)

    def _lasso(self, short: Array, w: Array, tolerance: float) -> Array:
        """The minimum if exactly the rows `short` counted, to a gap of this share of it."""
        weight = np.where(short, self.limit, 0.0)
        total = float(weight.sum())
        if total == 0:
            return np.zeros_like(w)
        problem = Problem(self.X, weight, centre=False)
        problem.set_target(self.sign)
        settings = SolverSettings(tolerance, 100_000)
        method = WorkingSets(problem, 0.5 / total, 0.0, settings, problem.start(w))
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
        most = float(np.abs(matrix_products.transposed_product(self.X, self.sign * dual)).max(initial=0.0))
        shorter = 1 / max(1.0, most)
        proven = shorter * float(dual.sum() - shorter * (self.limit @ (lacking * lacking)))
        return {"w": w, "scores": scores, "objective": objective, "gap": gap_between(objective, proven)}
