"""Matrix factorisation of ratings."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, RandomState, Trace, Traits, estimator, generator, learned, param, seed_of
from ..engines.iterate import Method, iterate
from ._alternating import AlternatingSquares, GradientSteps, RatingSteps
from ._factor_base import NONE, FactorRecommender, solve_factors
from ._ratings import RatingTable
from ._recommender_base import WeightedRecommender

SPREAD = 0.1  # standard deviation of initial factors


@estimator
class MatrixFactorization(FactorRecommender, WeightedRecommender):
    """Matrix factorisation: a rating is the inner product of a user's factors and an item's, beside biases.

    minimise over b, c, P, Q    sum of (r - m - b_u - c_i - p_u.q_i)^2 / 2  +  reg (|b|^2 + |c|^2 + |P|^2 + |Q|^2) / 2

    By stochastic gradients, a step for each rating in an order that does not depend on threads ("sgd", each step with
    the penalty of its rating), gradients over all ratings ("gd"), or alternating least squares ("als"), which never
    raises the objective. [Koren, Bell and Volinsky, 2009]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["c", 3]]
    >>> model = MatrixFactorization(2, solver="als", reg=0.1, random_state=0).fit(X, [5.0, 4.0, 1.0, 2.0, 5.0, 1.0])
    >>> model.predict([["c", 2]]).round(1)
    array([3.3])
    """

    n_factors: int = param(20, "number of factors", kw_only=False, at_least=0, tune=(5, 10, 20, 50, 100))
    solver: Literal["sgd", "als", "gd"] = param("sgd", "stochastic gradients, alternating least squares or gradients")
    biased: bool = param(True, "whether to fit biases and the mean rating")
    reg: float = param(0.05, "regularisation strength of factors and biases", at_least=0, tune=(0.01, 0.02, 0.1))
    learning_rate: float = param(0.005, "step size of the gradients", above=0)
    max_iter: int = param(30, "maximum number of epochs or iterations", at_least=1)
    tol: float = param(0.0, "relative change of the objective that ends the fit; 0: only max_iter does", at_least=0)
    random_state: RandomState = param(None, "seed of initial factors and of the order of the ratings")
    n_iter_: int = learned("number of iterations")

    traits = Traits(stochastic=True)
    title = "matrix factorisation"
    reference = "Koren, Bell and Volinsky, Matrix factorization techniques for recommender systems, Computer 2009"

    @property
    def has_mean(self) -> bool:  # type: ignore[override]  # as the parameter says
        """Whether the mean is part of a prediction."""
        return self.biased

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        seed = seed_of(self.random_state)
        n, m = table.matrix.shape
        P, Q = (SPREAD * generator(seed, k).standard_normal((rows, self.n_factors)) for k, rows in enumerate((n, m)))
        if not self.n_factors:
            P, Q = np.zeros((n, 1)), np.zeros((m, 1))
        state = iterate(self._search(table, P, Q, seed), self.max_iter, trace)
        self.user_factors_, self.item_factors_ = state["P"][:, : self.n_factors], state["Q"][:, : self.n_factors]
        self.user_biases_, self.item_biases_ = state["user"], state["item"]
        self.n_iter_ = len(trace.rows)
        if trace.stopped == "limit" and self.tol == 0:
            trace.stopped = "exact"
            trace.certify(
                "epochs", 0.0, 0.0, f"all {self.n_iter_} epochs were done; how near an optimum is was not tested"
            )
            return
        trace.certify(
            "relative change", trace.rows[-1]["criterion"], self.tol,
            "the last iteration changed the objective by this fraction; there may be other local optima",
        )  # fmt: skip

    def _search(self, table: RatingTable, P: Array, Q: Array, seed: int) -> Method:
        mean = self.mean_ if self.biased else 0.0
        common = (table, mean, P, Q, self.reg, self.biased, self.tol if self.tol > 0 else -1.0)
        if self.solver == "als":
            return AlternatingSquares(*common)
        if self.solver == "gd":
            return GradientSteps(*common, rate=self.learning_rate)
        return RatingSteps(*common, rate=self.learning_rate, seed=seed % 2**63)

    def _solve_users(self, users: Array) -> None:
        self._solve(users, True)

    def _solve_items(self, items: Array) -> None:
        self._solve(items, False)

    def _solve(self, rows: Array, by_user: bool) -> None:
        """Factors and biases of some users (or items): the regularised optimum for the others."""
        own, other = ("user", "item") if by_user else ("item", "user")
        V, biases = getattr(self, f"{other}_factors_"), getattr(self, f"{other}_biases_")
        R = (self.ratings_ if by_user else self.ratings_.T.tocsr())[rows]
        residual = R.data - (self.mean_ if self.biased else 0.0) - biases[R.indices]
        if self.biased:
            V = np.hstack([V, np.ones((len(V), 1))])
        counts = self.reg if self.solver != "sgd" else 0.0
        U = solve_factors(R, V, residual, NONE, counts * np.eye(V.shape[1]), self.reg if self.solver == "sgd" else 0.0)
        getattr(self, f"{own}_factors_")[rows] = U[:, :-1] if self.biased else U
        if self.biased:
            getattr(self, f"{own}_biases_")[rows] = U[:, -1]
