"""The support vector machine that learns several classes at once, from the inside of its bounds."""

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

CLOSEST = 0.995  # how much of the way to its bound a variable may go at once
PATIENCE = 8  # steps without a smaller gap that end a fit


class _Move(NamedTuple):
    """Changes of rooms, prices and weights, and how much of them the bounds allow."""

    room: Array
    price: Array
    w: Array
    reach: float


@dataclass(frozen=True, slots=True)
class CrammerSingerInteriorPoint:
    """The dual of the same problem by an interior-point method: some thirty steps however large the limits are.

    minimise over a    |X'a|^2 / 2 - sum_i a_{i y_i},    sum_k a_ik = 0,    a_ik <= limit_i [k = y_i]

    A row keeps the distances of its variables to their bounds ("room") and what each is worth ("price"); their products
    go to zero together. A step solves one system in the weights, sum_i P_i (x) x_i x_i' + 1 with a small matrix P_i for
    each row: a predictor says how far it can be trusted, a corrector uses that. [Mehrotra, 1992]
    """

    problem: CrammerSinger
    tolerance: float

    def start(self) -> State:
        """The middle of all bounds, with prices as large as the slopes there."""
        problem = self.problem
        room = np.repeat(problem.limit[:, None] / problem.classes, problem.classes, axis=1)
        dual = self._dual(room)
        found = problem.look(dual)
        slope = self._slope(found["w"])
        price = slope.max(axis=1, keepdims=True) - slope + max(float(np.abs(slope).max()), 1e-300)
        return {"room": room, "price": price, "now": found["w"], "dual": dual, "idle": 0} | found

    def step(self, state: State) -> State:
        """One predictor and one corrector, from the same system; "dual" and "w" are the best ones so far."""
        room, price = state["room"], state["price"]
        system, product = self._system(room / price), room * price
        try:
            guess = self._direction(system, state, -product)
            ahead = (room + guess.reach * guess.room) * (price + guess.reach * guess.price)
            goal = float(product.mean()) * (float(ahead.mean()) / float(product.mean())) ** 3
            move = self._direction(system, state, goal - product - guess.room * guess.price)
        except np.linalg.LinAlgError:  # nothing but rounding is left
            return state | {"idle": PATIENCE}
        room, price = self._balanced(room + move.reach * move.room), price + move.reach * move.price
        dual, w = self._dual(room), state["now"] + move.reach * move.w
        found = self.problem.look(dual, w)
        if not (np.isfinite(found["gap"]) and room.min() > 0 and price.min() > 0):
            return state | {"idle": PATIENCE}
        idle = 0 if found["gap"] < 0.9 * state["gap"] else state["idle"] + 1
        after = state | {"room": room, "price": price, "now": w, "idle": idle}
        return after | {"dual": dual} | found if found["gap"] < state["gap"] else after

    def progress(self, state: State) -> Progress:
        """The gap as a share of the objective."""
        criterion = relative_gap(state["gap"], state["objective"])
        return Progress(state["objective"], criterion, self.tolerance, stalled=state["idle"] >= PATIENCE)

    def _dual(self, room: Array) -> Array:
        """The dual variables that are so far from their bounds."""
        dual, rows, label = -room, np.arange(len(room)), self.problem.label
        dual[rows, label] = room.sum(axis=1) - room[rows, label]
        return np.ascontiguousarray(dual)

    def _balanced(self, room: Array) -> Array:
        """The same but for rounding, with sums of rows that are their limits."""
        return np.asarray(room * (self.problem.limit / room.sum(axis=1))[:, None])

    def _slope(self, w: Array) -> Array:
        """x_i w_k - [k = y_i] for every row and class."""
        slope = self.problem.scores(w)
        slope[np.arange(len(slope)), self.problem.label] -= 1
        return slope

    def _system(self, soft: Array) -> Array:
        """1 + sum_i P_i (x) x_i x_i' for all classes but the last, whose weights are what makes their sum zero.

        P_i = diag(soft_i) - soft_i soft_i' / sum soft_i.
        """
        problem, last = self.problem, self.problem.classes - 1
        size, rows, total = problem.X.shape[1] + (problem.constant != 0), np.arange(len(soft)), soft.sum(axis=1)
        shared = np.zeros((last + 1, last + 1, size, size))
        for k in range(last + 1):
            for m in range(k):
                products = np.zeros((size, size))
                factor = soft[:, k] * (soft[:, m] / total)
                kernels.chosen_products(problem.X, rows, factor, problem.constant, products)
                shared[k, m] = shared[m, k] = np.triu(products) + np.triu(products, 1).T
        matrix = shared[:last, last:] - shared[:last, :last]
        for k in range(last):
            matrix[k, k] = np.eye(size) + shared[k].sum(axis=0) + shared[k, last]
        return np.ascontiguousarray(matrix.transpose(0, 2, 1, 3).reshape(last * size, last * size))

    def _direction(self, system: Array, state: State, change: Array) -> _Move:
        """What changes the products of room and price by `change` and mends slopes and weights, to first order."""
        problem, room, price = self.problem, state["room"], state["price"]
        requested = self._slope(state["now"]) + price + change / room
        astray = state["now"] - problem.pull(self._dual(room))
        right = -problem.pull(_spread(room / price, requested)) - astray
        most = interruptibly(np.linalg.solve, system, right.T[:-1].ravel()).reshape(problem.classes - 1, -1).T
        w = np.column_stack([most, -most.sum(axis=1)])
        rooms = _spread(room / price, requested + problem.scores(w))
        return _Move(
            rooms, prices := (change - price * rooms) / room, w, min(_reach(room, rooms), _reach(price, prices))
        )


def _spread(soft: Array, values: Array) -> Array:
    """P_i times the values of each row; the softest place, whose digits would cancel, is what the others leave."""
    rows, softest = np.arange(len(soft)), soft.argmax(axis=1)
    apart = values - values[rows, softest][:, None]
    spread = soft * (apart - (soft * apart).sum(axis=1, keepdims=True) / soft.sum(axis=1, keepdims=True))
    spread[rows, softest] = 0.0
    spread[rows, softest] = -spread.sum(axis=1)
    return np.asarray(spread)


def _reach(values: Array, change: Array) -> float:
    """The longest step, at most one, that keeps a little of every value."""
    most = float(np.max(-change / values))
    return 1.0 if most <= CLOSEST else CLOSEST / most
