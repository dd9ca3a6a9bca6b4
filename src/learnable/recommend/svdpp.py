"""SVD++."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, RandomState, Trace, Traits, estimator, generator, learned, param, seed_of
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State, iterate
from ._factor_base import NONE, FactorRecommender
from ._ratings import RatingTable, parts
from ._recommender_base import WeightedRecommender


@estimator
class SVDpp(FactorRecommender, WeightedRecommender):
    """SVD++: matrix factorisation in which a user is also described by which items there are ratings of.

    minimise    sum of (r - m - b_u - c_i - q_i.(p_u + |N_u|^(-1/2) sum of y_j over N_u))^2  +  penalties

    By stochastic gradients, user by user in random order; the factors y of the items that a user rated move once for
    each user. [Koren, 2008]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["c", 3]]
    >>> SVDpp(2, random_state=0).fit(X, [5.0, 4.0, 1.0, 2.0, 5.0, 1.0]).predict([["c", 2]]).round(0)
    array([3.])
    """

    n_factors: int = param(20, "number of factors", kw_only=False, at_least=1, tune=(10, 20, 50))
    reg: float = param(0.05, "regularisation strength of factors and biases", at_least=0)
    learning_rate: float = param(0.007, "step size of the gradients", above=0)
    max_iter: int = param(20, "number of epochs", at_least=1)
    random_state: RandomState = param(None, "seed of initial factors and of the order of the users")
    implicit_factors_: Array = learned(
        "implicit factors of each item, summed over the items a user rated", shape="items factors"
    )
    n_iter_: int = learned("number of epochs")

    traits = Traits(stochastic=True)
    title = "svd++"
    reference = "Koren, Factorization meets the neighborhood, KDD 2008"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        seed = seed_of(self.random_state)
        n, m = table.matrix.shape
        P, Q, Y = (0.1 * generator(seed, k).standard_normal((rows, self.n_factors)) for k, rows in enumerate((n, m, m)))
        state = iterate(_Epochs(table, self.mean_, P, Q, Y, self.reg, self.learning_rate, seed), self.max_iter, trace)
        self.user_factors_, self.item_factors_, self.implicit_factors_ = state["P"], state["Q"], state["Y"]
        self.user_biases_, self.item_biases_ = state["user"], state["item"]
        self.n_iter_ = len(trace.rows)
        if trace.stopped == "limit":
            trace.stopped = "exact"
        trace.certify("epochs", 0.0, 0.0, f"{self.n_iter_} epochs were done; how near an optimum is was not tested")

    def _user_vectors(self) -> Array:
        seen = self.ratings_.copy()
        seen.data = np.repeat(1 / np.sqrt(np.maximum(np.diff(seen.indptr), 1)), np.diff(seen.indptr))
        return np.asarray(self.user_factors_ + seen @ self.implicit_factors_)

    def _solve_users(self, users: Array) -> None:
        """Nothing is solved: a new user has the factors of the items rated, and a bias."""
        R = self.ratings_[users]
        expected = self.mean_ + self.item_biases_[R.indices]
        vectors = self._user_vectors()[users]
        row = np.repeat(np.arange(len(users)), np.diff(R.indptr))
        residual = R.data - expected - np.einsum("ij,ij->i", vectors[row], self.item_factors_[R.indices])
        count = np.diff(R.indptr)
        self.user_biases_[users] = np.bincount(row, residual, len(users)) / (count + self.reg * count + 1e-300)


@dataclass(frozen=True)
class _Epochs:
    """Passes over the users."""

    table: RatingTable
    mean: float
    P: Array
    Q: Array
    Y: Array
    reg: float
    rate: float
    seed: int

    def start(self) -> State:
        n, m = self.table.matrix.shape
        return {
            "P": self.P, "Q": self.Q, "Y": self.Y, "user": np.zeros(n), "item": np.zeros(m), "epoch": 0,
            "square": np.inf,
        }  # fmt: skip

    def step(self, state: State) -> State:
        give_way()
        P, Q, Y, user, item = (state[name].copy() for name in ("P", "Q", "Y", "user", "item"))
        start, index, value = parts(self.table.matrix)
        order = generator(self.seed, 3, state["epoch"]).permutation(len(P)).astype(np.int32)
        weight = NONE if self.table.weight is None else self.table.weights
        square = kernels.implicit_ratings_epoch(
            start, order, self.table.user, index, value, weight, self.rate, self.reg, self.reg, self.mean, user, item,
            P, Q, Y,
        )  # fmt: skip
        return {"P": P, "Q": Q, "Y": Y, "user": user, "item": item, "epoch": state["epoch"] + 1, "square": square}

    def progress(self, state: State) -> Progress:
        rmse = float(np.sqrt(state["square"] / self.table.weights.sum()))
        return Progress(float(state["square"]), rmse, -1.0, {"rmse": rmse}, diverged=not np.isfinite(rmse))
