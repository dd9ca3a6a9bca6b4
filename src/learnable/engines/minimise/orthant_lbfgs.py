"""L-BFGS for a smooth convex function plus an absolute penalty: OWL-QN, and plain L-BFGS where the penalty is zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core.runtime.context import give_way
from ...core.validate.features import Array
from ..iterate import Progress, State
from .lbfgs import two_loops

DECREASE, CURVATURE = 1e-4, 0.9  # of the weak Wolfe conditions
ROUNDING = 1e-13  # relative accuracy of the objective


@dataclass(frozen=True)
class OrthantLBFGS:
    """Minimise smooth(x) + l1 |x|_1.  [Andrew & Gao, 2007]

    With an absolute penalty each step stays within one orthant: the direction comes from the smallest subgradient, and
    coordinates that change their sign become zero. Converged when the norm of that subgradient is at most `tolerance`
    times the norm of x, or 1 if that is larger; out of patience when `period` iterations have lowered the objective by
    less than `min_gain` of it, or if no step lowers it and strong `convexity` proves that little is left.
    """

    smooth: Callable[[Array], tuple[float, Array]]
    first: Array
    l1: float
    memory: int
    tolerance: float
    period: int
    min_gain: float
    most_trials: int
    convexity: float = 0.0

    def start(self) -> State:
        """The state at the first point."""
        empty = np.zeros((0, len(self.first)))
        return {"steps": empty, "changes": empty, "values": np.zeros(0)} | self._at(self.first)

    def step(self, state: State) -> State:
        """One line search along the quasi-Newton direction."""
        give_way()
        subgradient = self.subgradient(state["x"], state["gradient"])
        direction = -two_loops(state["steps"], state["changes"], subgradient, lambda vector: vector)
        if self.l1 > 0:
            direction[direction * subgradient >= 0] = 0.0
        size = 1.0 if len(state["steps"]) else 1 / max(float(np.linalg.norm(subgradient)), 1e-300)
        search = self._projected if self.l1 > 0 else self._wolfe
        after = search(state, subgradient, direction, size)
        if after is None:
            return state | {
                "steps": state["steps"][:0],
                "changes": state["changes"][:0],
                "stalled": self._is_stuck(state),
            }
        step, change = after["x"] - state["x"], after["gradient"] - state["gradient"]
        steps, changes = state["steps"], state["changes"]
        if step @ change > 1e-300:
            steps = np.vstack([steps, step])[-self.memory :]
            changes = np.vstack([changes, change])[-self.memory :]
        values = np.append(state["values"], state["objective"])[-self.period :]
        return after | {"steps": steps, "changes": changes, "values": values}

    def progress(self, state: State) -> Progress:
        """The norm of the subgradient relative to that of x."""
        values, objective = state["values"], state["objective"]
        slow = len(values) == self.period and values[0] - objective < self.min_gain * abs(objective)
        near = state["stalled"] and self.excess(state) <= self.min_gain * abs(objective)
        stalled, criterion = state["stalled"] and not near, self.relative_norm(state)
        return Progress(objective, criterion, self.tolerance, stalled=stalled, patience=bool(slow or near))

    def excess(self, state: State) -> float:
        """How far the objective is above its minimum at most: |subgradient|^2 / (2 convexity)."""
        found = self.subgradient(state["x"], state["gradient"])
        return float(found @ found) / (2 * self.convexity) if self.convexity else np.inf

    def relative_norm(self, state: State) -> float:
        """The norm of the smallest subgradient, divided by the norm of x, or by 1."""
        norm = np.linalg.norm(self.subgradient(state["x"], state["gradient"]))
        return float(norm) / max(float(np.linalg.norm(state["x"])), 1.0)

    def subgradient(self, x: Array, gradient: Array) -> Array:
        """The subgradient of the objective with the smallest norm."""
        if self.l1 == 0:
            return gradient
        shrunk = np.sign(gradient) * np.maximum(np.abs(gradient) - self.l1, 0.0)
        return np.where(x != 0, gradient + self.l1 * np.sign(x), shrunk)

    def _is_stuck(self, state: State) -> bool:
        return len(state["steps"]) == 0

    def _at(self, x: Array) -> State:
        value, gradient = self.smooth(x)
        objective = value + (self.l1 * float(np.abs(x).sum()) if self.l1 else 0.0)
        return {"x": x, "objective": objective, "gradient": gradient, "stalled": False}

    def _wolfe(self, state: State, gradient: Array, direction: Array, size: float) -> State | None:
        """A point that satisfies the weak Wolfe conditions, by bisection; the best one found if none does."""
        derivative, low, high, best = float(gradient @ direction), 0.0, np.inf, None
        room = ROUNDING * abs(state["objective"])
        if not derivative < 0:
            return None
        for _ in range(self.most_trials):
            there = self._at(state["x"] + size * direction)
            if not there["objective"] <= state["objective"] + DECREASE * size * derivative + room:
                high = size
            elif there["gradient"] @ direction < CURVATURE * derivative:
                low, best = size, there
            else:
                return there
            size = (low + high) / 2 if np.isfinite(high) else 2 * size
        return best

    def _projected(self, state: State, subgradient: Array, direction: Array, size: float) -> State | None:
        """A point of the same orthant that is lower by enough, by halving the step."""
        x = state["x"]
        room = ROUNDING * abs(state["objective"])
        orthant = np.where(x != 0, np.sign(x), -np.sign(subgradient))
        for _ in range(self.most_trials):
            moved = x + size * direction
            moved[moved * orthant <= 0] = 0.0
            there = self._at(moved)
            gain = float(subgradient @ (moved - x))
            if gain < 0 and there["objective"] <= state["objective"] + DECREASE * gain + room:
                return there
            size /= 2
        return None
