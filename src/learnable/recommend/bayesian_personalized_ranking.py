"""Bayesian personalised ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, RandomState, Trace, Traits, estimator, generator, learned, param, seed_of
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State, iterate
from ._factor_base import FactorRecommender
from ._ratings import RatingTable, parts


@estimator
class BayesianPersonalizedRanking(FactorRecommender):
    """Bayesian personalised ranking: items that a user has chosen score above those that were not chosen.

    maximise over P, Q, c    sum of log sigmoid(s_ui - s_uj)  -  reg (|P|^2 + |Q|^2 + |c|^2) / 2,    s = c_i + p_u.q_i

    A step for each of as many random triples (u, i, j) as there are entries; j is an item that u has not chosen. The
    values of y do not matter. [Rendle, Freudenthaler, Gantner and Schmidt-Thieme, 2009]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["d", 3], ["d", 4], ["e", 3]]
    >>> model = BayesianPersonalizedRanking(4, learning_rate=0.1, random_state=0).fit(X)
    >>> model.recommend(["c"], 1).items
    array([[2]], dtype=object)
    """

    n_factors: int = param(32, "number of factors", kw_only=False, at_least=1, tune=(16, 32, 64))
    reg: float = param(0.01, "regularisation strength of factors and biases", at_least=0)
    learning_rate: float = param(0.05, "step size of the gradients", above=0)
    max_iter: int = param(100, "number of epochs", at_least=1)
    random_state: RandomState = param(None, "seed of initial factors and of the triples")
    n_iter_: int = learned("number of epochs")

    has_mean = False
    traits = Traits(stochastic=True)
    title = "bayesian personalised ranking"
    reference = "Rendle, Freudenthaler, Gantner and Schmidt-Thieme, BPR from implicit feedback, UAI 2009"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        seed = seed_of(self.random_state)
        n, m = table.matrix.shape
        P, Q = (0.1 * generator(seed, k).standard_normal((rows, self.n_factors)) for k, rows in enumerate((n, m)))
        state = iterate(_Triples(table, P, Q, self.reg, self.learning_rate, seed), self.max_iter, trace)
        self.user_factors_, self.item_factors_, self.item_biases_ = state["P"], state["Q"], state["item"]
        self.user_biases_ = np.zeros(n)
        self.n_iter_ = len(trace.rows)
        if trace.stopped == "limit":
            trace.stopped = "exact"
        trace.certify("epochs", 0.0, 0.0, f"{self.n_iter_} epochs were done; how near an optimum is was not tested")


@dataclass(frozen=True)
class _Triples:
    """Epochs of random triples."""

    table: RatingTable
    P: Array
    Q: Array
    reg: float
    rate: float
    seed: int

    def start(self) -> State:
        return {"P": self.P, "Q": self.Q, "item": np.zeros(len(self.Q)), "epoch": 0, "wrong": 1.0}

    def step(self, state: State) -> State:
        give_way()
        P, Q, item = (state[name].copy() for name in ("P", "Q", "item"))
        start, index, _ = parts(self.table.matrix)
        seed = int(generator(self.seed, 2, state["epoch"]).integers(2**63))
        steps = len(index)
        right = kernels.ranking_epoch(
            start, index, self.table.user, seed, steps, self.rate, self.reg, np.zeros(len(P)), item, P, Q
        )
        return {"P": P, "Q": Q, "item": item, "epoch": state["epoch"] + 1, "wrong": 1 - right / steps}

    def progress(self, state: State) -> Progress:
        return Progress(float(state["wrong"]), float(state["wrong"]), -1.0)
