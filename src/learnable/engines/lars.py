"""Least angle regression and the lasso, followed exactly from knot to knot.

At level c every active column has a product of size c with the residual, and no other column more. Between knots the
coefficients are b - c w with G b = X'y and G w = s (G the Gram matrix of the active columns, s their signs), so nothing
is added up from knot to knot and errors do not grow. A knot is where another column reaches the level or, for the
lasso, where an active coefficient reaches zero. [Efron, Hastie, Johnstone and Tibshirani, 2004]

Columns that reach the level together are sorted out by pivoting on the one of least index that does not fit (Murty),
which ends; a column that depends on the active ones stays out as long as they are all there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core.data import Array
from ..core.native import kernels
from ..core.trace import Trace
from .factor import Factor
from .iterate import Progress, State, iterate
from .products import Products, Stretch

ROUNDING = 32 * float(np.finfo(np.float64).eps)
SETTLED = 1e-9  # the largest violation with which a path counts as exact


@dataclass(frozen=True, slots=True)
class Path:
    """A coefficient path: `levels` and `coefs` (knots, features) from the empty model on, and what proves it.

    `violation` is the most by which the conditions of optimality were broken at any knot, or are broken at the floor of
    a lasso path that does not reach it, relative to the largest product of a column with the target.
    """

    levels: Array
    coefs: Array
    active: list[int]
    steps: int
    violation: float


@dataclass(frozen=True, slots=True)
class Rules:
    """Which path is wanted: coefficients may leave (`lasso`), must be at least zero, and where it ends."""

    lasso: bool
    positive: bool = False
    floor: float = 0.0
    most_active: int | None = None
    keep_path: bool = True
    independence: float = 1e-14


@dataclass(frozen=True, slots=True)
class Event:
    """What ends a stretch after `distance`: `column` enters with `sign`, or leaves (sign 0); -1 for no column."""

    distance: float
    column: int = -1
    sign: int = 0


def follow(products: Products, rules: Rules, limit: int, trace: Trace, weight: float = 1.0) -> Path:
    """Follow the path that `rules` ask for over at most `limit` knots; `trace` gets a row per knot."""
    method = Homotopy(products, rules, weight)
    state = method.start()
    if state["level"] > rules.floor and limit > 0:
        state = iterate(method, limit, trace)
    else:
        trace.record(state["objective"], level=state["level"], active=0)
        trace.stopped = "limit" if state["level"] > rules.floor else "converged"
    short = state["levels"][-1] - rules.floor if rules.lasso else 0.0
    largest = max(float(np.abs(products.cross).max(initial=0.0)), np.finfo(np.float64).tiny)
    violation = max(state["violation"], short) / largest
    coefs = np.array(state["coefs"])
    return Path(np.array(state["levels"]), coefs, list(state["active"]), state["steps"], violation)


class Homotopy:
    """The path as a method of the common loop: one step goes from a knot to the next."""

    def __init__(self, products: Products, rules: Rules, weight: float = 1.0) -> None:
        self.products, self.rules, self.weight = products, rules, weight
        self.noise = ROUNDING * products.norms * products.length
        self.longest = float(products.norms.max(initial=0.0))
        self.negligible = 16 * float(self.noise.max(initial=0.0))
        self._begin()

    def _begin(self) -> None:
        self.factor = Factor()
        self.active: list[int] = []
        self.signs = np.empty(0)
        self.idle = np.ones(len(self.products.norms), dtype=bool)
        self.history: list[int] = []

    def start(self) -> State:
        """The empty model, at the level where the first column enters."""
        cross = self.products.cross
        level = max(float((cross if self.rules.positive else np.abs(cross)).max(initial=0.0)), 0.0)
        level = self.rules.floor if level <= max(self.rules.floor, self.negligible) else level
        coef = np.zeros(len(cross))
        return {
            "level": level, "levels": [level], "coef": coef, "coefs": [coef], "steps": 0, "next": 0, "violation": 0.0,
            "objective": 0.5 * self.products.length**2 / self.weight, "active": [], "history": [],
            "barred": np.empty(0, dtype=np.int64), "memory": self.products.memory(),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """Go to the next knot."""
        self._synchronise(state)
        if state["next"]:
            self._enter(abs(state["next"]) - 1, int(np.sign(state["next"])))
        level, coef = state["level"], state["coef"]
        b, w, stretch, event = self._settled(level, coef)
        if self.rules.most_active is not None and len(self.active) > self.rules.most_active:
            return {**state, "level": self.rules.floor}
        level = max(level - event.distance, self.rules.floor)
        reached = np.zeros_like(coef)
        values = b - level * w
        if self.rules.lasso:
            values[values * self.signs < 0] = 0.0  # rounding, as coefficients leave when they come to zero
        reached[self.active] = values
        if event.column >= 0 and event.sign == 0:
            reached[event.column] = 0.0
            self._leave(event.column)
        return self._knot(state, level, reached, stretch, event)

    def progress(self, state: State) -> Progress:
        """The path is complete when the level is down to its floor."""
        more = {"active": float(len(state["active"])), "level": state["level"]}
        return Progress(state["objective"], state["level"] - self.rules.floor, 0.0, more)

    def _knot(self, state: State, level: float, coef: Array, stretch: Stretch, event: Event) -> State:
        half_squares = 0.5 * (stretch.rest + level**2 * stretch.bend)
        objective = half_squares + (level * float(np.abs(coef).sum()) if self.rules.lasso else 0.0)
        pending = event.sign * (event.column + 1)
        return {
            "level": level, "levels": [*state["levels"], level], "coef": coef,
            "coefs": [*state["coefs"], coef] if self.rules.keep_path else [coef],
            "steps": state["steps"] + 1, "next": pending, "objective": objective / self.weight,
            "violation": max(state["violation"], self._violation(stretch, level)),
            "active": list(self.active), "history": list(self.history),
            "barred": np.flatnonzero(~self.idle), "memory": self.products.memory(),
        }  # fmt: skip

    def _violation(self, stretch: Stretch, level: float) -> float:
        """The most by which a product with the residual at `level` is above it, or an active one is not at it."""
        products = stretch.fixed + level * stretch.slope
        excess = float((products if self.rules.positive else np.abs(products)).max(initial=0.0)) - level
        if not len(stretch.fixed_active):
            return max(excess, 0.0)
        return max(excess, self._inexactness(stretch, level))

    def _inexactness(self, stretch: Stretch, level: float) -> float:
        """How far products of active columns are from what they should be (a column may have left since)."""
        on_level = np.abs(stretch.fixed_active + level * stretch.slope_active)
        return float(np.abs(on_level - level).max(initial=0.0))

    def _settled(self, level: float, coef: Array) -> tuple[Array, Array, Stretch, Event]:
        """Make the active set one that can move on from `level`, and find how far it goes."""
        pivots = 0
        while True:
            b, w, stretch = self._stretch(level)
            event = self._first_event(stretch, w, level, coef)
            if event.distance > 0 and not self.products.overlooks_none(level, level - event.distance):
                stretch = self.products.whole_stretch(level)
                event = self._first_event(stretch, w, level, coef)
            full = self.rules.most_active is not None and len(self.active) > self.rules.most_active
            if event.distance > 0 or full:
                return b, w, stretch, event
            pivots += 1
            if event.sign:
                self._enter(event.column, event.sign)
            else:
                self._leave(event.column)
                self.idle[event.column] = pivots < 10 * len(self.idle)  # rounding can make the pivots go round

    def _stretch(self, level: float) -> tuple[Array, Array, Stretch]:
        """Coefficients b - c w of the active columns, refined if their products with the residual are off."""
        b, w = self.factor.solve(self.products.cross[self.active], self.signs)
        stretch = self.products.stretch(self.active, b, w)
        off_b, off_w = stretch.fixed_active, self.signs - stretch.slope_active
        if max(np.abs(off_b).max(initial=0.0), level * np.abs(off_w).max(initial=0.0)) > self.negligible:
            change_b, change_w = self.factor.solve(off_b, off_w)
            b, w = b + change_b, w + change_w
            stretch = self.products.stretch(self.active, b, w)
        return b, w, stretch

    def _first_event(self, stretch: Stretch, w: Array, level: float, coef: Array) -> Event:
        """The first event below `level`; of those at the level itself, the one of the least column."""
        events = [self._entry(stretch, level)]
        if self.rules.lasso and self.active:
            events.append(self._exit(w, coef))
        first = min(events, key=lambda event: (event.distance, event.column))
        if level - first.distance <= max(self.rules.floor, self.negligible):
            return Event(level - self.rules.floor)
        return first

    def _entry(self, stretch: Stretch, level: float) -> Event:
        """When the next idle column reaches the level."""
        unclear = 2 * ROUNDING * (1 + self.longest * np.sqrt(stretch.bend))
        met = kernels.first_entry(
            stretch.columns, stretch.fixed, stretch.slope, self.idle, self.noise, level, unclear,
            not self.rules.lasso, self.rules.positive,
        )  # fmt: skip
        return Event(*met)

    def _exit(self, w: Array, coef: Array) -> Event:
        """When the next active coefficient comes back to zero."""
        unclear = ROUNDING * float(np.abs(w).max())
        return Event(*kernels.first_exit(np.array(self.active), coef, self.signs, w, unclear))

    def _enter(self, column: int, sign: int) -> None:
        """Make a column active, unless it depends on those that are; either way it is idle no more."""
        self.idle[column] = False
        square = float(self.products.norms[column]) ** 2
        apart = partial(self.products.distance, column)
        if self.factor.append(self.products.with_active(column), square, self.rules.independence, apart):
            self.products.enter(column)
            self.active.append(column)
            self.signs = np.append(self.signs, float(sign))
            self.history.append(sign * (column + 1))

    def _leave(self, column: int) -> None:
        """Make an active column idle, and give another chance to those that depended on it."""
        position = self.active.index(column)
        self.factor.delete(position)
        self.products.leave(position)
        del self.active[position]
        self.signs = np.delete(self.signs, position)
        self.idle[:] = True
        self.idle[self.active] = False
        self.history.append(0)
        self.history.append(position)

    def _synchronise(self, state: State) -> None:
        """Come to the active set of `state` by the same road, if this object is not there already."""
        if len(self.history) == len(state["history"]):
            return
        self._begin()
        entries: Any = iter(state["history"])
        for entry in entries:
            if entry:
                self._enter(abs(entry) - 1, int(np.sign(entry)))
            else:
                self._leave(self.active[next(entries)])
        self.idle[:] = True
        self.idle[state["barred"]] = False
        self.products.recall(state["memory"])
