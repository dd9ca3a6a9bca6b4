"""The support vector machine that knows one class."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..core.roles.outlier_detector import OutlierDetector
from ..engines.kernel_machines.kernel_matrix import precision_of
from ._svm_base import CountingRows, KernelMachine, certify, dual_bounds, filled, solve_dual
from .svr import keep_regression


@estimator
class OneClassSVM(KernelMachine, OutlierDetector):
    """One-class SVM for novelty detection: the region that holds most rows, separated from the origin in feature space.

    minimise over f, r    |f|^2 / 2 - r nu W + sum_i weight_i max(0, r - f(x_i)),    W = sum weight

    Rows with f(x) below r are outliers: at most the share nu of the training rows, while at least that share are
    support vectors. Decision values are on LIBSVM's scale, a sum over rows. [Schölkopf et al., 2001]

    >>> model = OneClassSVM(gamma=0.5, nu=0.2).fit([[0.0], [0.1], [0.2], [0.1], [5.0]])
    >>> model.predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    nu: float = param(
        0.5, "upper bound of the fraction of outliers in training", above=0, at_most=1, tune=(0.01, 0.05, 0.1, 0.5)
    )
    n_iter_: int = learned("number of solver iterations")
    offset_: Array = learned("scores below it are those of outliers", shape="decisions")

    title = "one-class SVM"
    reference = "Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, 2001"

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = CountingRows.of(self, data)
        n, weight = len(rows.weight), rows.weight
        start = filled(weight, self.nu * float(weight.sum()))
        found = solve_dual(self, rows.kernel, rows.X, dual_bounds(np.zeros(n), weight, np.zeros(n)), trace, start)
        keep_regression(self, rows, found.b, -float(found.levels[0]), trace)
        self.offset_ = -self.intercept_
        self.n_iter_ = found.steps
        certify(trace, rows.kernel, found.violation, self.tol)

    def _scores(self, X: Matrix) -> Array:
        return (self._values(X)[:, 0] - float(self.intercept_[0])).astype(precision_of(X), copy=False)
