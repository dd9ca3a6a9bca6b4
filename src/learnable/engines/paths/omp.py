"""Orthogonal matching pursuit: the column most correlated with the residual joins, and the active set is refitted.

The Cholesky factor of their Gram matrix gains a row at each step, so a step costs one product of all columns with the
residual plus the square of the number of active columns. [Pati, Rezaiifar and Krishnaprasad, 1993; Rubinstein,
Zibulevsky and Elad, 2008]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from ...core.numeric import EPSILON
from ...core.runtime.trace import Trace
from ...core.validate.features import Array
from ..iterate import Progress, State, iterate
from .cholesky_update import ChangingFactor

ROUNDING = 32 * EPSILON
EXACT_VIOLATION = (
    1e-9  # largest product of a chosen column with the residual, relative, with which a fit counts as exact
)


@dataclass(frozen=True, slots=True)
class Pursuit:
    """Columns in the order they joined, their coefficients after each step, and the residuals.

    `squares` are the residual sums of squares after each step; `violation` is the largest product of a chosen column
    with the last residual, relative to its length times that of the target.
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


class ProductSource(Protocol):
    """Where products come from; `active` are the columns that have joined, in order."""

    cross: Array
    norms: Array
    length: float
    active: Array

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""

    def enter(self, j: int) -> None:
        """Make column j the last active one."""

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""


def pursue(source: ProductSource, count: int, tolerance: float | None, trace: Trace, weight: float = 1.0) -> Pursuit:
    """Let columns join until there are `count`, or the residual sum of squares is at most `tolerance` if it is given.

    It ends earlier when no column is correlated with the residual; `trace.stopped` is then "stalled".
    """
    method = Matching(source, count, tolerance, weight)
    state = method.start()
    if method.missing(state) and state["next"] >= 0:
        state = iterate(method, len(source.norms) + 1, trace)
    else:
        trace.record(0.5 * source.length**2 / weight, columns=0)
        trace.stopped = "stalled" if method.missing(state) else "converged"
    return Pursuit(state["chosen"], state["steps"], state["squares"], state["off"])


class Matching:
    """The pursuit as a method of the common loop: a step lets one column join."""

    def __init__(self, source: ProductSource, count: int, tolerance: float | None, weight: float) -> None:
        self.source, self.count, self.tolerance, self.weight = source, count, tolerance, weight
        self.noise = ROUNDING * source.norms * source.length
        self.factor = ChangingFactor()
        self.open = source.norms > 0
        self._row_of = -1

    def start(self) -> State:
        """Nothing chosen."""
        first = self._most_correlated(self.source.cross)
        return {"chosen": [], "steps": [], "squares": [], "left": self.source.length**2, "off": 0.0, "next": first}

    def step(self, state: State) -> State:
        """Let the next column join, fit all that have joined, and find which comes next."""
        self._replay(state["chosen"])
        self._join(state["next"])
        chosen = self.source.active
        (coef,) = self.factor.solve(self.source.cross[chosen])
        products, left = self.source.residual(coef)
        if self._relative_product(products[chosen]) > ROUNDING:
            coef = coef + self.factor.solve(products[chosen])[0]
            products, left = self.source.residual(coef)
        off = self._relative_product(products[chosen])
        return {
            "chosen": chosen.tolist(), "steps": [*state["steps"], coef], "squares": [*state["squares"], left],
            "left": left, "off": off, "next": self._most_correlated(products),
        }  # fmt: skip

    def _relative_product(self, products: Array) -> float:
        """The largest product of a chosen column, relative to its length times that of the target."""
        return float((np.abs(products) / self.source.norms[self.source.active]).max()) / self.source.length

    def progress(self, state: State) -> Progress:
        """Done when there are enough columns, or little enough is left; stalled when no column can explain more."""
        more = {"columns": float(len(state["chosen"]))}
        objective = 0.5 * state["left"] / self.weight
        return Progress(objective, self.missing(state), 0.0, more, stalled=state["next"] < 0)

    def missing(self, state: State) -> float:
        """How many columns are still to join, or by how much too much is left; zero at the end."""
        left = self.count - len(state["chosen"]) if self.tolerance is None else state["left"] - self.tolerance
        return max(float(left), 0.0)

    def _most_correlated(self, products: Array) -> int:
        """The column with the largest product with the residual of those that do not depend on the chosen; or -1."""
        size = np.abs(products)
        size[~self.open] = 0.0
        while True:
            j = int(np.argmax(size))
            if size[j] <= self.noise[j]:
                return -1
            if self._independent(j):
                return j
            self.open[j] = False
            size[j] = 0.0

    def _independent(self, j: int) -> bool:
        """Whether column j has a part that the chosen columns do not span; its row of the factor is then in place."""
        square, apart = float(self.source.norms[j]) ** 2, partial(self.source.distance, j)
        self._row_of = j
        return self.factor.prepare(self.source.with_active(j), square, distance=apart)

    def _join(self, j: int) -> None:
        if self._row_of != j:
            self._independent(j)
        self.factor.accept()
        self.source.enter(j)
        self.open[j] = False

    def _replay(self, chosen: list[int]) -> None:
        """Replay the columns of a stored state, unless this object has them already."""
        for j in chosen[len(self.source.active) :]:
            self._join(j)
