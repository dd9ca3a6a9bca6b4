"""Driver of logistic regression with an l1 penalty: scaling, solution and certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Matrix
from ....parts.penalties import ElasticNet
from ... import matrix_products
from ...iterate import iterate
from ..smooth_solver import gradient_tolerance
from .logistic_rows import LogisticRows
from .proximal_newton import Proximal


@dataclass(frozen=True, slots=True)
class L1Logistic:
    """minimise over w, b    rows(Xw + b) + penalty(w),   with its iteration limit and tolerance.

    The duality gap is brought to gradient_tolerance(tol) of the objective of the best constant.
    """

    X: Matrix
    rows: LogisticRows
    penalty: ElasticNet
    fit_intercept: bool
    max_iter: int
    tol: float

    def solve(self, coef: Array, intercept: float, trace: Trace) -> tuple[Array, float]:
        """Coefficients and intercept, found from those given; `trace` records iterations and certificate."""
        X, scale, _ = matrix_products.in_range(self.X, self.rows.row_weight, together=True)
        unit = float(scale[0])
        if matrix_products.is_sparse(X):
            X = X.tocsc()
        penalty = self.penalty.scaled(unit)
        scores = np.zeros(len(self.rows.y)) if self.rows.offset is None else self.rows.offset
        tolerance = gradient_tolerance(self.tol) * max(self.rows.terms(scores).value, 1e-300)
        method = Proximal(X, self.rows, penalty, self.fit_intercept, tolerance, coef / unit, intercept)
        state = iterate(method, self.max_iter, trace)
        here = method.progress(state)
        rounding = float(np.finfo(self.X.dtype).eps)
        trace.certify(
            "duality gap",
            here.criterion,
            max(here.tolerance, rounding * here.objective if rounding > 1e-10 else 0.0),
            "no other coefficients can lower the mean objective by more than this",
        )
        return state["coef"] * unit, state["intercept"]
