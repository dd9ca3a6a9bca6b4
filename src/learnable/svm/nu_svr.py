"""Support vector regression whose tube finds its own width."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines.kernel_machines.kernel_matrix import precision_of
from ._svm_base import CountingRows, KernelMachine, certify, dual_bounds, filled, solve_dual
from .svr import both_ways, keep_regression


@estimator
class NuSVR(KernelMachine, Regressor):
    """Nu-support vector regression: nu bounds the fraction of rows outside the tube, whose width adapts.

    minimise over f, b, e >= 0    |f|^2 / 2 + C sum_i weight_i (nu e + max(0, |y_i - f(x_i) - b| - e))

    At most the share nu of the rows lies outside, at least that share are support vectors. [Schölkopf et al., 2000]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> NuSVR(kernel="linear", C=100.0).fit(X, y).predict([[1.5]]).round(2)
    array([1.5])
    """

    nu: float = param(
        0.5,
        "upper bound of the fraction of rows outside the tube, lower bound of that of support vectors",
        above=0,
        at_most=1,
        tune=(0.1, 0.3, 0.5),
    )
    C: float = param(
        1.0, "cost of errors beyond the epsilon-tube", above=0, tune=(0.1, 1.0, 10.0, 100.0), simpler="smaller"
    )
    n_iter_: int = learned("number of solver iterations")
    epsilon_: float = learned("half the width of the tube found")

    title = "nu-support vector regression"
    reference = "Schölkopf, Smola, Williamson and Bartlett, 2000"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = CountingRows.of(self, data)
        y = data.y[rows.kept].astype(np.float64)
        n, high = len(y), self.C * rows.weight
        half = filled(high, self.nu * float(high.sum()) / 2)
        bounds = dual_bounds(*both_ways(high), np.concatenate([-y, -y]), np.repeat([0, 1], n))
        found = solve_dual(self, rows.kernel, rows.X, bounds, trace, np.concatenate([half, -half]))
        above, below = found.levels
        keep_regression(self, rows, found.b[:n] + found.b[n:], -float(above / 2 + below / 2), trace)
        self.epsilon_ = float(below / 2 - above / 2)
        self.n_iter_ = found.steps
        certify(trace, rows.kernel, found.violation, self.tol)

    def _predict(self, X: Matrix) -> Array:
        return self._values(X)[:, 0].astype(precision_of(X), copy=False)
