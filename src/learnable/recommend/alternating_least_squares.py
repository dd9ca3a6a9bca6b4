"""Alternating least squares for implicit feedback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core import Array, DataError, Matrix, RandomState, Trace, Traits, estimator, generator, learned, param, seed_of
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.iterate import Progress, State, iterate
from ._factor_base import FactorRecommender
from ._ratings import RatingTable, parts
from ._recommender_base import Explanation


@estimator
class AlternatingLeastSquares(FactorRecommender):
    """Alternating least squares for implicit feedback: every pair counts, those that were observed more.

    minimise over P, Q    sum over all pairs of c (s - p.q)^2  +  reg (|P|^2 + |Q|^2),    s = 1 where r > 0, otherwise 0

    with confidence c = 1 + alpha r. Alternates the factors of all users and of all items, each the exact optimum
    ("cholesky") or improved by a few steps of conjugate gradients ("cg"). [Hu, Koren and Volinsky, 2008]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["d", 3], ["d", 4], ["e", 3]]
    >>> AlternatingLeastSquares(2, reg=0.1, random_state=0).fit(X).recommend(["c"], 1).items
    array([[2]], dtype=object)
    """

    n_factors: int = param(64, "number of factors", kw_only=False, at_least=1, tune=(16, 32, 64, 128))
    reg: float = param(0.01, "regularisation strength of the factors", at_least=0)
    alpha: float = param(1.0, "growth of the confidence with the value", above=0)
    solver: Literal["cholesky", "cg"] = param("cholesky", "exact solutions, or steps of conjugate gradients")
    cg_steps: int = param(3, "number of steps of conjugate gradients in an iteration", at_least=1)
    max_iter: int = param(15, "maximum number of iterations", at_least=1)
    tol: float = param(0.0, "relative decrease of the objective that ends the fit; 0: only max_iter does", at_least=0)
    random_state: RandomState = param(None, "seed of initial factors")
    n_iter_: int = learned("number of iterations")

    has_mean = False
    traits = Traits(stochastic=True)
    title = "alternating least squares"
    reference = "Hu, Koren and Volinsky, Collaborative filtering for implicit feedback datasets, ICDM 2008"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        R = table.matrix
        if (R.data < 0).any():
            raise DataError(
                f"AlternatingLeastSquares: y has a value of {R.data.min():g}, and confidence needs values of at least "
                "0; use MatrixFactorization for signed ratings"
            )
        seed = seed_of(self.random_state)
        P, Q = (0.01 * generator(seed, k).standard_normal((rows, self.n_factors)) for k, rows in enumerate(R.shape))
        state = iterate(
            _AlternatingUpdates(R, P, Q, self._half, self.reg, self.alpha, self.tol or -1.0), self.max_iter, trace
        )
        self.user_factors_, self.item_factors_ = state["P"], state["Q"]
        self.user_biases_, self.item_biases_ = np.zeros(len(P)), np.zeros(len(Q))
        self.n_iter_ = len(trace.rows)
        if trace.stopped == "limit" and self.tol == 0:
            trace.stopped = "exact"
            trace.certify("iterations", 0.0, 0.0, f"all {self.n_iter_} iterations were done, none raised the objective")
            return
        trace.certify(
            "decrease", trace.rows[-1]["criterion"], self.tol,
            "the last iteration lowered the objective by this fraction; no iteration raised it",
        )  # fmt: skip

    def _half(self, R: Matrix, V: Array, U: Array) -> Array:
        """Factors of the rows for those of the columns."""
        start, index, value = parts(R)
        base = V.T @ V + self.reg * np.eye(V.shape[1])
        U = U.copy()
        solver = "cholesky" if self.solver == "cholesky" else "gradients"
        weight = self.alpha * value
        liked = np.where(value > 0, 1 + weight, 0.0)
        kernels.solve_rows(start, index, liked, weight, base, 0.0, np.ascontiguousarray(V), solver, self.cg_steps, U)
        return U

    def _solve_users(self, users: Array) -> None:
        self.user_factors_[users] = self._half(self.ratings_[users], self.item_factors_, self.user_factors_[users])

    def _solve_items(self, items: Array) -> None:
        flipped = self.ratings_.T.tocsr()[items]
        self.item_factors_[items] = self._half(flipped, self.user_factors_, self.item_factors_[items])

    def _explain(self, user: int, item: int) -> Explanation:
        """How much each item of the user adds to the score."""
        row = self.ratings_[[user]]
        Q = self.item_factors_
        own = Q[row.indices]
        A = Q.T @ Q + self.reg * np.eye(Q.shape[1]) + (own.T * (self.alpha * row.data)) @ own
        weight = np.where(row.data > 0, 1 + self.alpha * row.data, 0.0)
        values = own @ np.linalg.solve(A, Q[item]) * weight
        names = [f"item {name}" for name in self.items_[row.indices].tolist()]
        rest = float(self.user_factors_[user] @ Q[item]) - float(values.sum())
        return Explanation([*names, "items that have moved since"], np.append(values, rest))


@dataclass(frozen=True)
class _AlternatingUpdates:
    """Users for items, items for users."""

    R: Matrix
    P: Array
    Q: Array
    half: Callable[[Matrix, Array, Array], Array]
    reg: float
    alpha: float
    tolerance: float

    def start(self) -> State:
        return {"P": self.P, "Q": self.Q, "objective": np.inf, "before": np.inf}

    def step(self, state: State) -> State:
        give_way()
        P = self.half(self.R, state["Q"], state["P"])
        Q = self.half(self.R.T.tocsr(), P, state["Q"])
        return {"P": P, "Q": Q, "before": state["objective"], "objective": self._objective(P, Q)}

    def _objective(self, P: Array, Q: Array) -> float:
        start, index, value = parts(self.R)
        product = np.empty(len(value))
        kernels.entry_products(start, index, P, Q, product)
        everywhere = float(((P.T @ P) * (Q.T @ Q)).sum())
        observed = float(((1 + self.alpha * value) * ((value > 0) - product) ** 2 - product**2).sum())
        return everywhere + observed + self.reg * float((P**2).sum() + (Q**2).sum())

    def progress(self, state: State) -> Progress:
        before, here = state["before"], state["objective"]
        change = (before - here) / max(abs(before), 1e-300) if np.isfinite(before) else 1e300
        return Progress(here, max(change, 0.0), self.tolerance)
