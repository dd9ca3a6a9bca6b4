"""Linear support vector regression."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, Traits, estimator, learned, param, scaling
from ..core.runtime.random import RandomState
from ..engines import matrix_products
from ..engines.minimise.linear_svm import bounded_dual
from ._linear_svm_base import ScaledRows, certify, solve


@estimator
class LinearSVR(Regressor):
    """Linear support vector regression with the epsilon-insensitive loss or its square.

    minimise over w, b    |w|^2 / 2 + (b / s)^2 / 2  +  C sum_i max(0, |y_i - x_i w - b| - epsilon)^q

    q = 1 with loss="epsilon_insensitive", 2 with "squared_epsilon_insensitive"; s is `intercept_scaling`. Newton's
    method on the rows that matter where columns are few or the data dense, coordinate descent on the dual for wide
    sparse data; the certificate is the duality gap. Scale the columns first. [Ho and Lin, 2012]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 70.0]
    >>> model = LinearSVR(C=100.0, tol=1e-8).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([2.]), array([1.]))
    """

    epsilon: float = param(0.0, "half the width of the tube with zero loss", at_least=0)
    tol: float = param(1e-4, "tolerance of the duality gap, relative to the objective", above=0)
    C: float = param(
        1.0, "cost of errors beyond the epsilon-tube", above=0, tune=(0.01, 0.1, 1.0, 10.0, 100.0), simpler="smaller"
    )
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = param(
        "epsilon_insensitive", "loss function of the residual"
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    intercept_scaling: float = param(
        1.0, "scale of the constant column that represents the intercept: larger values penalise it less", above=0
    )
    dual: bool | Literal["auto"] = param("auto", "accepted for compatibility; see solver")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the order of rows in coordinate descent")
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    solver: Literal["auto", "newton", "dual"] = param("auto", "optimisation method")
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: Array = learned("intercept of the model", shape="one")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr")
    title = "linear support vector regression"
    reference = "Ho and Lin, Large-scale linear support vector regression, JMLR 13, 2012"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        squared = self.loss == "squared_epsilon_insensitive"
        view = ScaledRows.of(X, constant, turn=self.solver != "dual")
        scale = scaling.unit_of(y)  # all of y - xw, w and epsilon in other units of y
        limit = view.limits(self.C * (np.ones(len(y)) if weight is None else weight), "LinearSVR")
        problem = bounded_dual.regression_problem(
            view.X, y * scale if scale != 1 else y.astype(np.float64), limit if squared else limit * scale,
            self.epsilon * scale, squared, view.constant,
        )  # fmt: skip
        [state] = solve(self, [problem], trace)
        certify(trace, [problem], [state], self.tol)
        w, b = view.weights(state["w"] / scale, constant)
        self.coef_, self.intercept_ = w.astype(X.dtype, copy=False), np.array([b], dtype=X.dtype)
        self.n_iter_ = trace.iterations

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_[0])
