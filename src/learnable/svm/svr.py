"""Support vector regression with a tube of given width."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines.kernel_machines.kernel_matrix import precision_of
from ._svm_base import CountingRows, KernelMachine, certify, dual_bounds, solve_dual

NO_TUBE = "no function of this kernel stays within epsilon of all targets, so C=inf has no solution: C must be finite"


@estimator
class SVR(KernelMachine, Regressor):
    """Support vector regression: errors up to epsilon are free, larger ones cost what exceeds it.

    minimise over f, b    |f|^2 / 2 + C sum_i weight_i max(0, |y_i - f(x_i) - b| - epsilon)

    f(x) = sum_i b_i k(x_i, x), |b_i| <= C weight_i, from the dual by sequential minimal optimisation; rows inside the
    tube have b_i = 0 and could as well be absent. Cost grows between n^2 and n^3. [Drucker et al., 1997]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> SVR(kernel="linear", C=100.0, epsilon=0.5).fit(X, y).predict([[1.5]]).round(2)
    array([1.5])
    """

    C: float = param(
        1.0,
        "cost of errors beyond the epsilon-tube",
        above=0,
        tune=(0.1, 1.0, 10.0, 100.0),
        simpler="smaller",
        infinite=True,
    )
    epsilon: float = param(0.1, "half the width of the tube with zero loss", at_least=0)
    n_iter_: int = learned("number of solver iterations")

    title = "support vector regression"
    reference = "Smola and Schölkopf, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = CountingRows.of(self, data)
        y = data.y[rows.kept].astype(np.float64)
        high = self.C * rows.weight
        bounds = dual_bounds(*both_ways(high), np.concatenate([self.epsilon - y, -self.epsilon - y]))
        found = solve_dual(self, rows.kernel, rows.X, bounds | {"unbounded": NO_TUBE}, trace)
        keep_regression(self, rows, found.b[: len(y)] + found.b[len(y) :], -float(found.levels[0]), trace)
        self.n_iter_ = found.steps
        certify(trace, rows.kernel, found.violation, self.tol)

    def _predict(self, X: Matrix) -> Array:
        return self._values(X)[:, 0].astype(precision_of(X), copy=False)


def both_ways(high: Array) -> tuple[Array, Array]:
    """Bounds of the variables that pull up, between 0 and `high`, and of those that pull down."""
    zero = np.zeros(len(high))
    return np.concatenate([zero, -high]), np.concatenate([high, zero])


def keep_regression(model: KernelMachine, rows: CountingRows, coef: Array, constant: float, trace: Trace) -> None:
    """Set the fitted attributes of a kernel machine with one decision function."""
    support = np.flatnonzero(coef)
    model._keep(rows, support, coef[support][None, :], trace)
    model.intercept_ = np.array([constant])
    model.n_support_ = np.array([len(support)], dtype=np.int32)
