"""The support vector classifier whose parameter is a share of rows."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix, Trace, estimator, param
from ..core.errors import DataError
from ..engines.smo import Solution
from ..parts.kernels import Kernel
from .kernel_classifier import KernelClassifier
from .machine import box, filled, one_sided, solved


@estimator
class NuSVC(KernelClassifier):
    """A support vector classifier in which nu bounds the share of rows inside the margin.

    minimise over f, b, r >= 0    |f|^2 / 2 - nu r + mean_i weight_i max(0, r - y_i (f(x_i) + b)),    y_i = -1 or 1

    At most the share nu of the rows lies inside the margin, at least that share are support vectors. The solution is
    rescaled to a margin of 1, and is that of `SVC` for some C. `class_weight` has no effect, as in scikit-learn: shares
    count rows. [Schölkopf et al., 2000]

    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1, 1]
    >>> NuSVC(gamma=2.0).fit(X, y).predict([[0.9, 0.1], [0.1, 0.2]])
    array([1, 0])
    """

    nu: float = param(0.5, "share of rows that may lie inside the margin", above=0, at_most=1)

    weighs_classes = False
    reference = "Schölkopf, Smola, Williamson and Bartlett, 2000"

    def _pair(
        self, kernel: Kernel, X: Matrix, sign: Array, weight: Array, trace: Trace
    ) -> tuple[Array, float, Solution]:
        half, most = (
            self.nu * float(weight.sum()) / 2,
            min(float(weight[sign > 0].sum()), float(weight[sign < 0].sum())),
        )
        if half > most * (1 + 1e-12):
            raise DataError(
                f"{type(self).__name__}: specified nu is infeasible: with these classes it must be at most "
                f"{2 * most / float(weight.sum()):.4g}, twice the share of the smaller class; got {self.nu:g}"
            )
        start = np.zeros(len(sign))
        for side in (1.0, -1.0):
            start[sign == side] = side * filled(weight[sign == side], half)
        bounds = one_sided(*box(sign, weight), np.zeros(len(sign)), sign < 0)
        found = solved(self, kernel, X, bounds, trace, start)
        first, second = found.levels
        r = max((first - second) / 2, np.finfo(np.float64).tiny)
        if not np.isfinite(1 / r):
            r = 1.0
        return found.b / r, -float((first + second) / 2 / r), found
