"""Factorisation machine regression."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..core.random import RandomState
from ..engines import design
from ..engines.iterate import iterate
from .factorization import certify, method_of, scores


@estimator
class FactorizationMachineRegressor(Regressor):
    """Linear regression with a weight for every product of two columns, learned through few factors.

    z = w0 + x w + sum over j < l of (v_j . v_l) x_j x_l,    v_j of length k
    minimise    mean_i (y_i - z_i)^2 / 2  +  (alpha_constant w0^2 + alpha_linear |w|^2 + alpha_factors |V|^2) / n

    Products of columns that never meet in a row still get a weight, from what their factors learned elsewhere. A score
    costs k operations per entry of x. solver="als" sets each parameter to its best value in turn, "sgd" takes a step
    per row. Scale columns to about one. [Rendle, 2010]

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [1.0, 2.0, 3.0, 10.0]  # 1 + 2 x1 + x2 + 6 x1 x2
    >>> model = FactorizationMachineRegressor(1, alpha_linear=0, alpha_factors=1e-9, tol=1e-7, random_state=0).fit(X, y)
    >>> model.predict(X).round(1)
    array([ 1.,  2.,  3., 10.])
    """

    n_factors: int = param(8, "length k of the factors of a column", at_least=1, kw_only=False)
    solver: Literal["als", "sgd"] = param("als", "how the parameters are found")
    alpha_constant: float = param(0.0, "shrinkage of the constant", at_least=0)
    alpha_linear: float = param(0.1, "shrinkage of the weights of columns", at_least=0)
    alpha_factors: float = param(0.1, "shrinkage of the factors", at_least=0)
    init_scale: float = param(0.1, "size of the factors before the first round", above=0)
    learning_rate: float = param(0.05, "length of the first steps of sgd", above=0)
    max_iter: int = param(1000, "most sweeps or epochs", at_least=1)
    tol: float = param(1e-5, "gain per round, as a share of the first objective, that ends the fit", at_least=0)
    n_iter_no_change: int = param(5, "epochs of sgd without such a gain that end the fit", at_least=1)
    random_state: RandomState = param(None, "seed of the first factors and of the order of rows")
    intercept_: float = learned("constant w0")
    coef_: Array = learned("weight of each column", shape="features")
    factors_: Array = learned("factors of each column", shape="features factors")
    n_iter_: int = learned("rounds done")

    sparse = True
    storage = "csr"
    stochastic = True
    reference = "Rendle, Factorization machines, ICDM 2010"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = design.counting_rows(data.X, data.y, data.weight)
        unit = design.unit_of(y)
        target = y.astype(np.float64) * unit
        method = method_of(self, X, target, weight, logistic=False, place=0)
        state = iterate(method, self.max_iter, trace)
        self.intercept_ = float(state["constant"][0] / unit)
        self.coef_ = (state["w"] / unit).astype(X.dtype)
        self.factors_ = (state["v"] / np.sqrt(unit)).astype(X.dtype)
        self.n_iter_ = trace.iterations
        certify(self, trace, [state])

    def _predict(self, X: Matrix) -> Array:
        return scores(X, self.intercept_, self.coef_, self.factors_).astype(X.dtype, copy=False)
