"""Newton's method on residuals whose scale may vanish: continuation in a lower bound of the scale."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....core.validate.features import Array
from ...iterate import Progress, State
from ..newton import Newton
from ..problem import Model, Point, Problem
from .huber_scale import ConcomitantHuber

FLOOR_RATIO = 0.01  # first floor relative to the initial scale, and each floor relative to the one before


@dataclass(frozen=True, slots=True)
class ScaleContinuation:
    """Newton's method for `ConcomitantHuber`, first with a floor of the scale not far below the initial scale.

    As the scale falls, ever fewer rows have curvature: at the smallest floor all rows could be outside the quadratic
    part, as in least absolute deviations, and Newton's method would stall. So the floor is lowered only when the
    minimum for it is found, and only if the scale there would be smaller.  [Madsen and Nielsen, A finite smoothing
    algorithm for linear l1 estimation, 1993]
    """

    rows: ConcomitantHuber
    problem: Problem
    tolerance: float
    first: Point
    model: Model

    def start(self) -> State:
        """The state before the first step, on the highest floor."""
        z = self.first.scores
        floor = max(FLOOR_RATIO * float(np.abs(self.rows.y - z).mean()), self.rows.floor)
        if self.rows.scale(z) < floor:
            return self._on(floor, self.first.coef, self.first.intercept, z)
        return self._newton(floor, self.first, self.model).start() | {"floor": floor}

    def step(self, state: State) -> State:
        """A step of Newton's method, and down to the next floor if there is nothing more to gain on this one."""
        floor = state["floor"]
        after = self._newton(floor, self.first, self.model).step(state) | {"floor": floor}
        while self._settled(after) and self._at(floor).scale(after["scores"]) <= floor and floor > self.rows.floor:
            floor = max(FLOOR_RATIO * floor, self.rows.floor)
            after = self._on(floor, after["coef"], after["intercept"], after["scores"])
        return after

    def progress(self, state: State) -> Progress:
        """How far the gradient is from zero, on the floor that was reached."""
        return self._newton(state["floor"], self.first, self.model).progress(state)

    def _settled(self, state: State) -> bool:
        return bool(state["stalled"] or state["criterion"] <= self.tolerance)

    def _at(self, floor: float) -> ConcomitantHuber:
        return replace(self.rows, floor=floor)

    def _newton(self, floor: float, point: Point, model: Model) -> Newton:
        return Newton(replace(self.problem, rows=self._at(floor)), self.tolerance, point, model)

    def _on(self, floor: float, coef: Array, intercept: float, scores: Array) -> State:
        """The state on a floor, at a point that was found on another."""
        rows = self._at(floor)
        point = Point(coef, intercept, scores, rows.terms(scores))
        model = Model(replace(self.problem, rows=rows), point, caution=1.0)
        return self._newton(floor, point, model).start() | {"floor": floor}
