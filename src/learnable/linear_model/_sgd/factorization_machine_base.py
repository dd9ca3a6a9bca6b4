"""Base class of factorization machines."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...core import Array, DataError, Estimator, Matrix, Trace, Traits, declaring, learned, param, scaling
from ...core.runtime.random import RandomState, generator, seed_of
from ...engines import matrix_products
from ...engines.iterate import Method, State
from ...engines.minimise.gradient_descent.factorization_machine import Factors, FactorSteps, FactorSweeps

MAX_ABSOLUTE = 1e50  # entries whose products can still be squared and summed


@declaring
class FactorizationMachine(Estimator):
    """Base class of models with a weight for each pair of columns, given by products of low-rank factors."""

    n_factors: int = param(
        8,
        "number of factors of each column (rank of the interactions)",
        at_least=1,
        kw_only=False,
        tune=(2, 4, 8, 16),
        simpler="smaller",
    )
    solver: Literal["als", "sgd"] = param(
        "als", "optimisation method: alternating least squares or stochastic gradient descent"
    )
    alpha_constant: float = param(0.0, "regularisation strength of the intercept", at_least=0)
    alpha_linear: float = param(0.1, "regularisation strength of the linear coefficients", at_least=0)
    alpha_factors: float = param(
        0.1, "regularisation strength of the factors", at_least=0, tune=(0.01, 0.1, 1.0), simpler="larger"
    )
    init_scale: float = param(0.1, "standard deviation of the initial factors", above=0)
    learning_rate: float = param(0.05, "initial learning rate of sgd", above=0)
    max_iter: int = param(1000, "maximum number of sweeps or epochs", at_least=1)
    tol: float = param(
        1e-5, "improvement per round, relative to the first objective, below which the fit ends", at_least=0
    )
    n_iter_no_change: int = param(5, "epochs of sgd without improvement before the fit ends", at_least=1)
    random_state: RandomState = param(None, "seed of the initial factors and of the row order")
    n_iter_: int = learned("number of rounds")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    reference = "Rendle, Factorization machines, ICDM 2010"

    def _method(self, X: Matrix, y: Array, weight: Array | None, logistic: bool, index: int = 0) -> Method:
        """The method of the solver for the targets `y`; `index` keys the random numbers."""
        self._refuse_large(X)
        total = float(len(y)) if weight is None else float(weight.sum())
        row_weight = np.full(len(y), 1 / total) if weight is None else weight / total
        draws = generator(seed_of(self.random_state), index)
        rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        columns = X.tocsc() if matrix_products.is_sparse(X) else np.asfortranarray(X)
        penalties = 2 * np.array([self.alpha_constant, self.alpha_linear, self.alpha_factors]) / total
        initial: State = {
            "constant": np.zeros(1),
            "w": np.zeros(X.shape[1]),
            "v": self.init_scale * draws.standard_normal((X.shape[1], self.n_factors)),
        }
        factors = Factors(rows, columns, y, row_weight, logistic, penalties, initial, self.tol)
        if self.solver == "als":
            return FactorSweeps(factors)
        return FactorSteps(factors, self.learning_rate, self.n_iter_no_change, int(draws.integers(2**63)))

    def _refuse_large(self, X: Matrix) -> None:
        largest = scaling.largest_entry(X)
        if largest > MAX_ABSOLUTE:
            raise DataError(
                f"{type(self).__name__}: the largest entry of X is {largest:.3g} in size, and squares of products of "
                "such entries leave the range of floats; scale the columns to about one"
            )

    def _certify(self, trace: Trace, states: list[State]) -> None:
        """The objective is not convex: the certificate is the relative improvement of the last round."""
        gain = max(max(state["gain"], 0.0) for state in states)
        gain = gain if np.isfinite(gain) else 1.0
        trace.certify(
            "relative gain", gain, self.tol,
            "the last round lowered the objective by at most this fraction of the first; other local optima may exist.",
        )  # fmt: skip


def scores(X: Matrix, constant: float, w: Array, v: Array) -> Array:
    """The scores of a fitted machine."""
    from ...core.runtime.native import kernels

    out = np.empty(X.shape[0])
    rows = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
    kernels.factor_scores(rows, float(constant), w.astype(np.float64), np.ascontiguousarray(v, dtype=np.float64), out)
    return out
