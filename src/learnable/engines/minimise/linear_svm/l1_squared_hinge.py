"""The squared hinge with an l1 penalty: a sequence of lassos on the rows with a margin below one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....core.validate.features import Array, Matrix
from ....parts.penalties import ElasticNet
from ... import matrix_products
from ...iterate import Progress, State
from ..coordinate import SolverSettings, StandardisedLeastSquares, WorkingSets
from ..duality import gap_between, relative_gap

ROUNDING = 1e-12  # weights below this fraction of the largest are set to zero if they are about to vanish
ROUNDS = 1000  # of working sets, in one lasso
EXACT = 1e-12  # relative gap of a lasso that counts as exact
INITIAL_COST_RATIO = 300.0  # first costs, relative to those at which the first column gets a weight
COST_GROWTH = 10.0  # factor by which costs grow from one problem to the next
PATIENCE = 5  # steps without progress that end a fit
INTERMEDIATE_GAP = 0.01  # relative gap to which the problems on the way are solved


@dataclass(frozen=True, slots=True)
class L1SquaredHinge:
    """minimise over w    |w|_1  +  sum_i limit_i max(0, 1 - y_i x_i w)^2,    y_i in {-1, 1}

    Where the same rows stay short of their margin the objective is that of a lasso, so its minimum there is a step as
    good as Newton's, and the last one is exact. Dual variables 2 limit_i max(0, 1 - y_i x_i w), scaled until dual
    feasible, give the duality gap. High costs are reached from lower ones, as otherwise many columns have a weight on
    the way to few. Converged when the gap is at most `tolerance` of the objective.
    """

    X: Matrix
    sign: Array
    limit: Array
    tolerance: float

    def start(self) -> State:
        """All weights zero, and costs at a fraction of those requested, at which few columns will have a weight."""
        evaluate = self._evaluated(np.zeros(self.X.shape[1]), np.zeros(len(self.sign)))
        most = float(np.abs(matrix_products.transposed_product(self.X, 2 * self.limit * self.sign)).max(initial=0.0))
        return evaluate | {"fraction": min(1.0, INITIAL_COST_RATIO / most) if most > 0 else 1.0, "idle": 0}

    def step(self, state: State) -> State:
        """One lasso at the present fraction of the costs, and a larger fraction next if it is nearly solved."""
        fraction = state["fraction"]
        part = replace(self, limit=self.limit * fraction)
        before = part.evaluate(state)
        after = part.descend(before)
        if after["gap"] <= INTERMEDIATE_GAP * after["objective"]:
            fraction = min(1.0, COST_GROWTH * fraction)
        fallen = after["objective"] < (1 - EXACT) * before["objective"] or after["gap"] < 0.9 * before["gap"]
        idle = 0 if fallen or fraction > state["fraction"] else state["idle"] + 1
        return self.evaluate(after) | {"fraction": fraction, "idle": idle}

    def evaluate(self, state: State) -> State:
        """Objective and gap of the weights of `state` at these costs."""
        return self._evaluated(state["w"], state["scores"])

    def descend(self, state: State) -> State:
        """A step to the lasso solution, as far as the objective falls; the exact one if a rough one does not help."""
        gap = state["gap"] / state["objective"]
        after = self._step_towards(state, min(1e-3, 1e-2 * max(gap, self.tolerance)))
        return after if after["objective"] < state["objective"] else self._step_towards(state, EXACT)

    def _step_towards(self, state: State, tolerance: float) -> State:
        w, scores = state["w"], state["scores"]
        goal = self._lasso(self.sign * scores < 1, w, tolerance)
        move = goal - w
        along = matrix_products.precise_scores(self.X, move, 0.0)
        length = self._length(w, move, scores, along)
        ahead = w + length * move
        ahead[(goal == 0) & (np.abs(ahead) <= ROUNDING * np.abs(ahead).max(initial=0.0))] = 0
        return self._evaluated(ahead, scores + length * along)

    def progress(self, state: State) -> Progress:
        """The gap relative to the objective."""
        fraction = relative_gap(state["gap"], state["objective"])
        return Progress(state["objective"], fraction, self.tolerance, stalled=state["idle"] >= PATIENCE)

    def _lasso(self, short: Array, w: Array, tolerance: float) -> Array:
        """The minimum if exactly the rows `short` counted, to this relative gap."""
        weight = np.where(short, self.limit, 0.0)
        total = float(weight.sum())
        if total == 0:
            return np.zeros_like(w)
        problem = StandardisedLeastSquares(self.X, weight, centre=False)
        problem.set_target(self.sign)
        settings = SolverSettings(tolerance, 100_000)
        method = WorkingSets(problem, ElasticNet(0.5 / total, l1_ratio=1.0), settings, problem.start(w))
        state = method.step(method.start())
        for _ in range(ROUNDS):
            here = method.progress(state)
            if here.criterion <= here.tolerance or here.exhausted:
                break
            state = method.step(state)
        return np.asarray(problem.coefficients(state["w"])[0][0], dtype=np.float64)

    def _length(self, w: Array, move: Array, scores: Array, along: Array) -> float:
        """The root of the derivative along the move; the full step where the derivative there is hardly positive."""

        def derivative(s: float) -> float:
            ahead = w + s * move
            lacking = np.maximum(1 - self.sign * (scores + s * along), 0)
            by_penalty = float((np.where(ahead == 0, np.sign(move), np.sign(ahead)) * move).sum())
            return by_penalty - 2 * float((self.limit * lacking * self.sign) @ along)

        if derivative(1.0) <= 1e-3 * abs(derivative(0.0)):
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (low, middle) if derivative(middle) > 0 else (middle, high)
        return low if low > 0 else high

    def _evaluated(self, w: Array, scores: Array) -> State:
        lacking = np.maximum(1 - self.sign * scores, 0)
        objective = float(np.abs(w).sum() + self.limit @ (lacking * lacking))
        dual = 2 * self.limit * lacking
        most = float(np.abs(matrix_products.transposed_product(self.X, self.sign * dual)).max(initial=0.0))
        shorter = 1 / max(1.0, most)
        proven = shorter * float(dual.sum() - shorter * (self.limit @ (lacking * lacking)))
        return {"w": w, "scores": scores, "objective": objective, "gap": gap_between(objective, proven)}
