"""Matrix factorisation of explicit ratings: alternating least squares, gradients, and stochastic gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core import Array, Matrix
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State
from ._factor_base import NONE, solve_factors
from ._ratings import RatingTable, parts

SIDE = 16  # tiles of users, and of items, in an epoch of stochastic gradients


@dataclass(frozen=True)
class FactorSearch:
    """A search for factors from given ones; biases are learned if `biased`."""

    table: RatingTable
    mean: float
    P: Array
    Q: Array
    penalty: float
    biased: bool
    tolerance: float

    def start(self) -> State:
        """The initial factors, and biases of zero."""
        n, m = self.table.matrix.shape
        first = {"P": self.P, "Q": self.Q, "user": np.zeros(n), "item": np.zeros(m), "before": np.inf}
        return first | {"objective": self._objective(first)[0], "rmse": 0.0}

    def _objective(self, state: State) -> tuple[float, float]:
        """Half the weighted squared error and the penalties, and the root mean squared error."""
        table = self.table
        start, index, value = parts(table.matrix)
        product = np.empty(len(value))
        kernels.entry_products(start, index, state["P"], state["Q"], product)
        error = value - self.mean - state["user"][table.user] - state["item"][table.item] - product
        square = float(table.weights @ error**2)
        objective = 0.5 * (square + self.penalty * self._size(state))
        return objective, float(np.sqrt(square / table.weights.sum()))

    def _size(self, state: State) -> float:
        """The sum of the squares that are penalised."""
        biases = float(state["user"] @ state["user"] + state["item"] @ state["item"]) if self.biased else 0.0
        return float((state["P"] ** 2).sum() + (state["Q"] ** 2).sum()) + biases

    def _advanced(self, state: State, after: State) -> State:
        objective, rmse = self._objective(after)
        return after | {"before": state["objective"], "objective": objective, "rmse": rmse}

    def progress(self, state: State) -> Progress:
        """The relative change of the objective."""
        before, here = state["before"], state["objective"]
        change = abs(before - here) / max(before, 1e-300) if np.isfinite(before) else 1e300
        diverged = not np.isfinite(here) or (np.isfinite(before) and here > 1e6 * max(before, 1.0))
        return Progress(here, change, self.tolerance, {"rmse": state["rmse"]}, diverged=diverged)


@dataclass(frozen=True)
class AlternatingSquares(FactorSearch):
    """Alternates the factors and biases of all users and of all items, each the exact optimum for the others."""

    def step(self, state: State) -> State:
        """Users for items, items for users."""
        give_way()
        R, weight = self.table.matrix, self.table.weight
        P, user = self._half(R, weight, state["Q"], state["item"])
        flipped = None if weight is None else weight.T.tocsr()
        Q, item = self._half(R.T.tocsr(), flipped, P, user)
        return self._advanced(state, {"P": P, "Q": Q, "user": user, "item": item})

    def _half(self, R: Matrix, weight: Matrix | None, V: Array, biases: Array) -> tuple[Array, Array]:
        """Factors and biases of the rows; a bias is one more factor, whose counterpart is one."""
        residual = R.data - self.mean - biases[R.indices]
        row_weights = NONE if weight is None else np.ascontiguousarray(weight.data)
        if self.biased:
            V = np.hstack([V, np.ones((len(V), 1))])
        value = residual if weight is None else residual * row_weights
        U = solve_factors(R, V, value, row_weights, self.penalty * np.eye(V.shape[1]))
        return (np.ascontiguousarray(U[:, :-1]), U[:, -1].copy()) if self.biased else (U, np.zeros(len(U)))


@dataclass(frozen=True)
class GradientSteps(FactorSearch):
    """Both factors at once along the gradient over all ratings: U += rate E V, V += rate E'U."""

    rate: float = 0.005

    def step(self, state: State) -> State:
        """One step."""
        from scipy.sparse import csr_array

        give_way()
        table, P, Q = self.table, state["P"], state["Q"]
        start, index, value = parts(table.matrix)
        product = np.empty(len(value))
        kernels.entry_products(start, index, P, Q, product)
        error = value - self.mean - state["user"][table.user] - state["item"][table.item] - product
        E = csr_array((table.weights * error, table.matrix.indices, table.matrix.indptr), shape=table.matrix.shape)
        after = {
            "P": P + self.rate * (E @ Q - self.penalty * P),
            "Q": Q + self.rate * (E.T @ P - self.penalty * Q),
            "user": state["user"],
            "item": state["item"],
        }
        if self.biased:
            for name, sums in (("user", E.sum(axis=1)), ("item", E.sum(axis=0))):
                after[name] = state[name] + self.rate * (np.asarray(sums).ravel() - self.penalty * state[name])
        return self._advanced(state, after)


@dataclass(frozen=True)
class RatingSteps(FactorSearch):
    """Stochastic gradients: an epoch is one step for each rating, in tiles whose order is fixed.

    Without a tolerance the objective is that of the errors which the epoch met, each before its step, as another pass
    over the ratings would cost as much again.
    """

    rate: float = 0.005
    seed: int = 0

    def start(self) -> State:
        """The initial factors, before the first epoch."""
        return super().start() | {"epoch": 0}

    def step(self, state: State) -> State:
        """One epoch."""
        give_way()
        user, item, value, weight, tile = self._tiles
        P, Q, of_user, of_item = (state[name].copy() for name in ("P", "Q", "user", "item"))
        epoch = int(state["epoch"])
        square = kernels.ratings_epoch(
            user, item, value, weight, tile, SIDE, epoch % SIDE, self.rate, self.penalty, self.penalty, self.biased,
            self.mean, of_user, of_item, P, Q,
        )  # fmt: skip
        after = {"P": P, "Q": Q, "user": of_user, "item": of_item, "epoch": epoch + 1}
        if self.tolerance >= 0:
            return self._advanced(state, after)
        objective = 0.5 * (square + self.penalty * self._size(after))
        rmse = float(np.sqrt(square / self.table.weights.sum()))
        return after | {"before": state["objective"], "objective": objective, "rmse": rmse}

    @cached_property
    def _tiles(self) -> tuple[Array, Array, Array, Array, Array]:
        """Ratings in random order inside tiles; tiles of one diagonal share neither users nor items."""
        table = self.table
        user, item = table.user, table.item
        draws = np.random.default_rng(self.seed)
        row = _balanced(np.bincount(user, minlength=table.matrix.shape[0]), draws)[user]
        column = _balanced(np.bincount(item, minlength=table.matrix.shape[1]), draws)[item]
        where = (column - row) % SIDE * SIDE + row
        shuffled = draws.permutation(len(user))
        order = shuffled[np.argsort(where[shuffled].astype(np.uint16), kind="stable")]
        tile = np.concatenate([[0], np.cumsum(np.bincount(where, minlength=SIDE * SIDE))]).astype(np.int64)
        weight = NONE if table.weight is None else table.weights[order]
        return user[order], item[order], np.ascontiguousarray(table.matrix.data[order]), weight, tile


def _balanced(counts: Array, draws: np.random.Generator) -> Array:
    """The tile of each user, or item: random, with about as many ratings in each tile."""
    order = draws.permutation(len(counts))
    reached = np.cumsum(counts[order]) - counts[order]
    tile = np.empty(len(counts), dtype=np.int64)
    tile[order] = np.minimum(reached * SIDE // max(int(counts.sum()), 1), SIDE - 1)
    return tile
