"""Least angle regression and the lasso, followed exactly from knot to knot.

At level c every active column has a product of size c with the residual, and no other column more. Between knots the
coefficients are b - c w with G b = X'y and G w = s (G the Gram matrix of the active columns, s their signs), so nothing
is added up from knot to knot and errors do not grow. A knot is where another column reaches the level or, for the
lasso, where an active coefficient reaches zero. [Efron, Hastie, Johnstone and Tibshirani, 2004]

Columns that reach the level together are sorted out by pivoting on the violating column of smallest index
(Murty), which terminates; a column that depends on the active ones stays out as long as they are all there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.numeric import EPSILON, TINY
from ...core.runtime.native import kernels
from ...core.runtime.trace import Trace
from ...core.validate.features import Array
from ..iterate import Progress, State, iterate
from .cholesky_update import ChangingFactor
from .lars_products import Products, Segment

ROUNDING = 32 * EPSILON
EXACT_VIOLATION = 1e-9  # the largest violation with which a path counts as exact


@dataclass(frozen=True, slots=True)
class LarsPath:
    """A coefficient path: `levels` and `coefs` (knots, features) from the empty model on, and its certificate.

    `violation` is the most by which the condition of any column was broken at any knot, or is broken at the floor of a
    lasso path that does not reach it, relative to the length of the column times that of the target.
    """

    levels: Array
    coefs: Array
    active: list[int]
    steps: int
    violation: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The kind of path: coefficients may leave (`lasso`) or must be at least zero, and where it ends."""

    lasso: bool
    positive: bool = False
    floor: float = 0.0
    most_active: int | None = None
    keep_path: bool = True
    independence: float = 1e-14


class PathEvent(NamedTuple):
    """What ends a segment at `level`: `column` enters with `sign`, or leaves (sign 0); -1 for no column."""

    level: float
    column: int = -1
    sign: int = 0


def follow(products: Products, rules: Rules, limit: int, trace: Trace, weight: float = 1.0) -> LarsPath:
    """Follow the path that `rules` ask for over at most `limit` knots; `trace` gets a row per knot."""
    method = Homotopy(products, rules, weight)
    state = method.start()
    if state["level"] > rules.floor and limit > 0:
        state = iterate(method, limit, trace)
    else:
        trace.record(state["objective"], level=state["level"], active=0)
        trace.stopped = "limit" if state["level"] > rules.floor else "converged"
    coefs = np.zeros((len(state["knots"]), len(products.cross)))
    for row, (columns, values) in zip(coefs, state["knots"], strict=True):
        row[columns] = values
    short = state["levels"][-1] - rules.floor if rules.lasso else 0.0
    shortest = float(products.norms.min(initial=np.inf, where=products.norms > 0))
    violation = max(state["violation"], short / shortest) / max(products.length, TINY)
    return LarsPath(np.array(state["levels"]), coefs, state["active"].tolist(), len(state["levels"]) - 1, violation)


class Homotopy:
    """The path as a method of the common loop: one step goes from a knot to the next."""

    def __init__(self, products: Products, rules: Rules, weight: float = 1.0) -> None:
        self.products, self.rules, self.weight = products, rules, weight
        self.noise = ROUNDING * products.norms * products.length
        self.negligible = 16 * self.noise
        self.sizes = np.maximum(products.norms, TINY)
        self.factor = ChangingFactor()
        self.signs = np.empty(0)
        self.idle = np.ones(len(products.norms), dtype=bool)
        self.barred: list[int] = []
        self.history: list[int] = []

    def start(self) -> State:
        """The empty model, at the level where the first column enters."""
        size = self._size(self.products.cross)
        level = max(float(size.max(initial=0.0, where=size > self.negligible)), self.rules.floor)
        nothing = self.products.active, np.empty(0)
        return {
            "level": level, "levels": [level], "active": nothing[0], "values": nothing[1], "knots": [nothing],
            "next": 0, "violation": 0.0, "objective": 0.5 * self.products.length**2 / self.weight,
            "barred": [], "history": [], "memory": {},
        }  # fmt: skip

    def step(self, state: State) -> State:
        """Go to the next knot."""
        self._replay(state)
        coef = np.zeros(len(self.idle))
        coef[state["active"]] = state["values"]
        if state["next"]:
            self._enter(abs(state["next"]) - 1, 1 if state["next"] > 0 else -1)
        (b, w), segment, off, event = self._pivot(state["level"], coef)
        if self._has_too_many():
            return {**state, "level": self.rules.floor}
        level = event.level
        values = b - level * w
        if self.rules.lasso:
            off = max(off, self._cut(values, level))
        if event.column >= 0 and event.sign == 0:
            values = np.delete(values, self._leave(event.column))
        size = level * float(np.abs(values).sum()) if self.rules.lasso else 0.0
        above = (self._size(segment.fixed + level * segment.rate) - level) / self.sizes[segment.columns]
        violation = max(state["violation"], float(above.max(initial=0.0)), off)
        knot = self.products.active, values
        return {
            "level": level, "levels": [*state["levels"], level], "active": knot[0], "values": values,
            "knots": [*state["knots"], knot] if self.rules.keep_path else [knot],
            "next": event.sign * (event.column + 1), "violation": violation,
            "objective": (0.5 * (segment.rest + level**2 * segment.curvature) + size) / self.weight,
            "barred": list(self.barred), "history": list(self.history), "memory": self.products.memory(),
        }  # fmt: skip

    def _cut(self, values: Array, level: float) -> float:
        """Set coefficients to zero whose sign is wrong by rounding; returns the most that one of them contributed.

        The level may be within rounding for a column that is much longer than others: its sign does not matter then.
        """
        active = self.products.active
        parts = np.abs(values) * self.products.norms[active]
        significant = self.rules.positive | (level > self.negligible[active])
        wrong = (values * self.signs < 0) & (significant | (parts <= 16 * ROUNDING * self.products.length))
        values[wrong] = 0.0
        return float(parts.max(initial=0.0, where=wrong))

    def progress(self, state: State) -> Progress:
        """The path is complete when the level is down to its floor."""
        more = {"active": float(len(state["active"])), "level": state["level"]}
        return Progress(state["objective"], state["level"] - self.rules.floor, 0.0, more)

    def _pivot(self, level: float, coef: Array) -> tuple[Array, Segment, float, PathEvent]:
        """Make the active set one that can move on from `level`, and find how far it goes."""
        pivots = 0
        while True:
            line, segment, off = self._segment(level)
            event = self._first_event(segment, line, level, coef)
            if event.level < level and not self.products.overlooks_none(level, event.level):
                segment = self.products.whole_segment(level)
                event = self._first_event(segment, line, level, coef)
            if event.level < level or self._has_too_many():
                return line, segment, off, event
            pivots += 1
            if event.sign:
                self._enter(event.column, event.sign)
            else:
                self._leave(event.column)
                if pivots > 10 * len(self.idle):  # rounding can make the pivots cycle
                    self._bar(event.column)

    def _has_too_many(self) -> bool:
        return self.rules.most_active is not None and len(self.signs) > self.rules.most_active

    def _segment(self, level: float) -> tuple[Array, Segment, float]:
        """The line (b, w) of active coefficients b - c w, refined if its products with the residual are off."""
        line = self.factor.solve(self.products.cross[self.products.active], self.signs)
        segment = self.products.segment(line)
        off = self._inexactness(segment, level)
        if off > 16 * ROUNDING * self.products.length:
            line = line + self.factor.solve(segment.fixed_active, self.signs - segment.rate_active)
            segment = self.products.segment(line)
            off = self._inexactness(segment, level)
        return line, segment, off

    def _inexactness(self, segment: Segment, level: float) -> float:
        """The most by which the product of an active column is off the level, relative to its length."""
        off = np.abs(segment.fixed_active) + level * np.abs(segment.rate_active - self.signs)
        return float((off / self.sizes[self.products.active]).max(initial=0.0))

    def _size(self, products: Array) -> Array:
        return products if self.rules.positive else np.abs(products)

    def _first_event(self, segment: Segment, line: Array, level: float, coef: Array) -> PathEvent:
        """The first event from `level` down; of those at the level itself, the one of the least column."""
        first = self._entry(segment, level)
        if self.rules.lasso and len(self.signs):
            first = min(first, self._exit(line, level, coef), key=lambda event: (-event.level, event.column))
        return first if first.level > self.rules.floor else PathEvent(self.rules.floor)

    def _entry(self, segment: Segment, level: float) -> PathEvent:
        """Where the next idle column reaches the level."""
        turning = 2 * math.sqrt(segment.curvature) / max(self.products.length, TINY)  # of the residual, per level
        met = kernels.first_entry(
            segment.columns, segment.fixed, segment.rate, self.idle, self.noise, level, 2 * ROUNDING, turning,
            not self.rules.lasso, self.rules.positive,
        )  # fmt: skip
        return PathEvent(*met)

    def _exit(self, line: Array, level: float, coef: Array) -> PathEvent:
        """Where the next active coefficient comes back to zero; all are compared by their contributions."""
        active, norms = self.products.active, self.products.norms
        b, w = line * norms[active]
        unclear = ROUNDING * float(np.abs(w).max())
        noise = np.zeros_like(self.noise) if self.rules.positive else self.noise
        return PathEvent(*kernels.first_exit(active, coef * norms, self.signs, b, w, noise, level, unclear))

    def _enter(self, column: int, sign: int) -> None:
        """Make a column active, unless it depends on those that are; either way it is idle no more."""
        square = float(self.products.norms[column]) ** 2
        apart = partial(self.products.distance, column)
        if self.factor.append(self.products.with_active(column), square, self.rules.independence, apart):
            self.idle[column] = False
            self.products.enter(column)
            self.signs = np.concatenate([self.signs, (float(sign),)])
            self.history.append(sign * (column + 1))
        else:
            self._bar(column)

    def _bar(self, column: int) -> None:
        """Keep a column out until an active one leaves."""
        self.idle[column] = False
        self.barred.append(column)

    def _leave(self, column: int) -> int:
        """Make an active column idle, and readmit those that depended on it; returns its position."""
        position = int(np.flatnonzero(self.products.active == column)[0])
        self.factor.delete(position)
        self.products.leave(position)
        self.signs = np.delete(self.signs, position)
        self.idle[column] = True
        self.idle[self.barred] = True
        self.barred.clear()
        self.history += [0, position]
        return position

    def _replay(self, state: State) -> None:
        """Replay the history of `state`, unless this object has it already."""
        if len(self.history) == len(state["history"]):
            return
        entries = iter(state["history"])
        self.products.recall(state["memory"])
        for entry in entries:
            if entry:
                self._enter(abs(entry) - 1, 1 if entry > 0 else -1)
            else:
                self._leave(int(self.products.active[next(entries)]))
        for column in state["barred"]:
            self._bar(column)
        self.products.recall(state["memory"])
