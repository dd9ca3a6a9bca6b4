"""Factorization machine regressor."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, scaling
from ..engines import matrix_products
from ..engines.iterate import iterate
from ._sgd.factorization_machine_base import FactorizationMachine, scores


@estimator
class FactorizationMachineRegressor(FactorizationMachine, Regressor):
    """Factorization machine regressor: linear regression with pairwise interactions of low rank.

    z = w0 + x w + sum over j < l of (v_j . v_l) x_j x_l,    v_j of length k
    minimise    mean_i (y_i - z_i)^2 / 2  +  (alpha_constant w0^2 + alpha_linear |w|^2 + alpha_factors |V|^2) / n

    Pairs of columns that never occur in the same row get a weight too, as their factors are learned from other pairs. A
    prediction costs k operations per entry of x. solver="als" sets each parameter to its best value in turn, "sgd"
    takes a step per row. Scale columns to about one. [Rendle, 2010]

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [1.0, 2.0, 3.0, 10.0]  # 1 + 2 x1 + x2 + 6 x1 x2
    >>> model = FactorizationMachineRegressor(1, alpha_linear=0, alpha_factors=1e-9, tol=1e-7, random_state=0).fit(X, y)
    >>> model.predict(X).round(1)
    array([ 1.,  2.,  3., 10.])
    """

    intercept_: float = learned("intercept w0")
    coef_: Array = learned("coefficient of each column", shape="features")
    factors_: Array = learned("factors of each column", shape="features factors")

    title = "factorization machine regressor"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        unit = scaling.unit_of(y)
        target = y.astype(np.float64) * unit
        method = self._method(X, target, weight, logistic=False)
        state = iterate(method, self.max_iter, trace)
        self.intercept_ = float(state["constant"][0] / unit)
        self.coef_ = (state["w"] / unit).astype(X.dtype)
        self.factors_ = (state["v"] / np.sqrt(unit)).astype(X.dtype)
        self.n_iter_ = trace.iterations
        self._certify(trace, [state])

    def _predict(self, X: Matrix) -> Array:
        return scores(X, self.intercept_, self.coef_, self.factors_).astype(X.dtype, copy=False)
