"""Orthogonal matching pursuit: the column most like the residual joins, and all that have joined are fitted anew.

The Cholesky factor of their Gram matrix gains a row at each step, so a step costs one look at all columns plus the
square of the number that have joined. [Pati, Rezaiifar and Krishnaprasad, 1993; Rubinstein, Zibulevsky and Elad, 2008]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..core.data import Array
from ..core.trace import Trace
from .factor import Factor
from .iterate import Progress, State, iterate
from .products import Products

ROUNDING = 32 * float(np.finfo(np.float64).eps)
SETTLED = 1e-9  # largest product of a chosen column with the residual, relative, with which a fit counts as exact


@dataclass(frozen=True, slots=True)
class Pursuit:
    """Columns in the order they joined, their coefficients after each step, and what is left.

    `squares` are the residual sums of squares after each step; `violation` is the largest product of a chosen column
    with the last residual, relative to the largest product of any column with the target.
    """

    chosen: list[int]
    steps: list[Array]
    squares: list[float]
    violation: float

    def coefs(self, features: int) -> Array:
        """Coefficients of all columns after each step, of shape (steps, features)."""
        path = np.zeros((len(self.steps), features))
        for row, values in zip(path, self.steps, strict=True):
            row[self.chosen[: len(values)]] = values
        return path


def pursue(source: Products, count: int, tolerance: float | None, trace: Trace, weight: float = 1.0) -> Pursuit:
    """Let columns join until there are `count`, or the residual sum of squares is at most `tolerance` if it is given.

    It ends before when nothing is left that a column could explain; `trace.stopped` is then "stalled".
    """
    method = Matching(source, count, tolerance, weight)
    state = method.start()
    if method.missing(state) and not method.exhausted(state):
        state = iterate(method, len(source.norms) + 1, trace)
    else:
        trace.record(0.5 * source.length**2 / weight, columns=0)
        trace.stopped = "stalled" if method.missing(state) else "converged"
    largest = max(float(np.abs(source.cross).max(initial=0.0)), np.finfo(np.float64).tiny)
    off = float(np.abs(state["products"][state["chosen"]]).max(initial=0.0))
    return Pursuit(state["chosen"], state["steps"], state["squares"], off / largest)


class Matching:
    """The pursuit as a method of the common loop: a step lets one column join."""

    def __init__(self, source: Products, count: int, tolerance: float | None, weight: float) -> None:
        self.source, self.count, self.tolerance, self.weight = source, count, tolerance, weight
        self.noise = ROUNDING * source.norms * source.length
        self.factor = Factor()
        self.chosen: list[int] = []
        self.open = np.ones(len(source.norms), dtype=bool)

    def start(self) -> State:
        """Nothing chosen."""
        return {
            "chosen": [], "steps": [], "squares": [], "products": self.source.cross, "left": self.source.length**2,
            "barred": np.empty(0, dtype=np.int64),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """Let the column join that has the largest product with the residual, if it can."""
        self._catch_up(state)
        if not self._join(state["products"]):
            return {**state, "barred": np.arange(len(self.open))}
        (coef,) = self.factor.solve(self.source.cross[self.chosen])
        products, left = self.source.residual(coef)
        (change,) = self.factor.solve(products[self.chosen])
        if np.abs(change).max() > ROUNDING * np.abs(coef).max():
            coef = coef + change
            products, left = self.source.residual(coef)
        return {
            "chosen": list(self.chosen), "steps": [*state["steps"], coef], "squares": [*state["squares"], left],
            "products": products, "left": left, "barred": np.flatnonzero(~self.open),
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """Done when there are enough columns, or little enough is left; stalled when no column can explain more."""
        more = {"columns": float(len(state["chosen"]))}
        objective = 0.5 * state["left"] / self.weight
        return Progress(objective, self.missing(state), 0.0, more, stalled=self.exhausted(state))

    def missing(self, state: State) -> float:
        """How many columns are still to join, or by how much too much is left; zero at the end."""
        left = self.count - len(state["chosen"]) if self.tolerance is None else state["left"] - self.tolerance
        return max(float(left), 0.0)

    def exhausted(self, state: State) -> bool:
        """Whether every column that has not joined explains nothing more, as far as rounding lets see."""
        candidates = np.delete(np.abs(state["products"]) - self.noise, state["barred"])
        return bool(candidates.max(initial=0.0) <= 0)

    def _join(self, products: Array) -> bool:
        """Choose the next column; False if all that are left depend on the chosen ones."""
        while True:
            size = np.where(self.open & (np.abs(products) > self.noise), np.abs(products), 0.0)
            j = int(np.argmax(size))
            if size[j] == 0:
                return False
            self.open[j] = False
            square, apart = float(self.source.norms[j]) ** 2, partial(self.source.distance, j)
            if self.factor.append(self.source.with_active(j), square, distance=apart):
                self.source.enter(j)
                self.chosen.append(j)
                return True

    def _catch_up(self, state: State) -> None:
        """Come to the columns of a stored state by the same road, if this object is not there already."""
        for j in state["chosen"][len(self.chosen) :]:
            self.factor.append(self.source.with_active(j), float(self.source.norms[j]) ** 2,
                               distance=partial(self.source.distance, j))  # fmt: skip
            self.source.enter(j)
            self.chosen.append(j)
        self.open[state["barred"]] = False
