"""Baseline ratings of users and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Trace, estimator, learned, param
from ..core.runtime.context import give_way
from ..engines.iterate import Progress, State, iterate
from ._ratings import RatingTable
from ._recommender_base import Explanation, WeightedRecommender


@estimator
class BaselineOnly(WeightedRecommender):
    """Baseline predictor of ratings: the global mean plus a bias of the user and a bias of the item.

    minimise over b, c    sum of (r - m - b_user - c_item)^2  +  reg_u |b|^2  +  reg_i |c|^2

    Alternates b and c, each the exact optimum for the other. Every recommender should beat it. [Koren, 2010]

    >>> X, y = [["ann", "up"], ["ann", "jaws"], ["bob", "up"], ["bob", "alien"]], [5.0, 3.0, 4.0, 2.0]
    >>> BaselineOnly(reg_u=0.1, reg_i=0.1).fit(X, y).predict([["bob", "jaws"], ["eve", "up"]]).round(1)
    array([2.2, 4.6])
    """

    reg_u: float = param(15.0, "regularisation strength of the biases of users", kw_only=False, at_least=0)
    reg_i: float = param(10.0, "regularisation strength of the biases of items", kw_only=False, at_least=0)
    tol: float = param(1e-8, "largest change of a bias that ends the fit, relative to the spread", above=0)
    max_iter: int = param(200, "maximum number of iterations", at_least=1)
    user_biases_: Array = learned("bias of each user", shape="users")
    item_biases_: Array = learned("bias of each item", shape="items")
    n_iter_: int = learned("number of iterations")

    title = "baseline predictor"
    reference = "Koren, Factor in the neighbors: scalable and accurate collaborative filtering, TKDD 2010"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        method = Biases(table, self.mean_, self.reg_u, self.reg_i, self.tol)
        state = iterate(method, self.max_iter, trace)
        self.user_biases_, self.item_biases_ = state["user"], state["item"]
        self.n_iter_ = len(trace.rows)
        trace.certify(
            "change", trace.rows[-1]["criterion"], self.tol,
            "no bias changed by more than this fraction of the spread of the ratings in the last iteration",
        )  # fmt: skip

    def _predict_codes(self, user: Array, item: Array) -> Array:
        return self.mean_ + known(self.user_biases_, user) + known(self.item_biases_, item)

    def _explain(self, user: int, item: int) -> Explanation:
        values = np.array([self.mean_, self.user_biases_[user], self.item_biases_[item]])
        return Explanation(["mean of the ratings", "the user", "the item"], values)


def known(values: Array, code: Array) -> Array:
    """The values of some users or items; zero for those without ratings."""
    return np.where(code >= 0, values[code], 0.0)


@dataclass(frozen=True)
class Biases:
    """Biases of users for those of items, and the other way round."""

    table: RatingTable
    mean: float
    reg_u: float
    reg_i: float
    tolerance: float

    def start(self) -> State:
        n, m = self.table.matrix.shape
        return {"user": np.zeros(n), "item": np.zeros(m), "change": np.inf}

    def step(self, state: State) -> State:
        give_way()
        item = self._optimum(self.table.item, self.table.user, state["user"], self.reg_i, len(state["item"]))
        user = self._optimum(self.table.user, self.table.item, item, self.reg_u, len(state["user"]))
        change = max(np.abs(user - state["user"]).max(), np.abs(item - state["item"]).max())
        return {"user": user, "item": item, "change": float(change)}

    def _optimum(self, own: Array, other: Array, biases: Array, penalty: float, count: int) -> Array:
        weight = self.table.weights
        residual = (self.table.matrix.data - self.mean - biases[other]) * weight
        total = np.bincount(own, weight, count) + penalty
        return np.asarray(np.bincount(own, residual, count) / total)

    def progress(self, state: State) -> Progress:
        error = self.table.matrix.data - self.mean - state["user"][self.table.user] - state["item"][self.table.item]
        penalty = self.reg_u * state["user"] @ state["user"] + self.reg_i * state["item"] @ state["item"]
        spread = float(np.ptp(self.table.matrix.data)) or 1.0
        objective = float(self.table.weights @ error**2 + penalty)
        return Progress(objective, state["change"] / spread, self.tolerance)


def fit_biases(table: RatingTable, reg_u: float, reg_i: float) -> tuple[Array, Array]:
    """Biases of users and items, for methods that start from them."""
    state = iterate(Biases(table, table.mean, reg_u, reg_i, 1e-8), 200, Trace())
    return state["user"], state["item"]


def rating_range(table: RatingTable) -> tuple[float, float]:
    """The least and the largest rating."""
    data: Any = table.matrix.data
    return float(data.min()), float(data.max())
