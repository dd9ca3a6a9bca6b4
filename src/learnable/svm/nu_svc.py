"""The support vector classifier whose parameter is a share of rows."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix, Trace, estimator, param
from ..core.errors import DataError
from ..engines.kernel_machines.kernel_matrix import table_of
from ..engines.kernel_machines.smo import DualProblem, DualSolution, SmoSettings, Start, solve
from ..parts.kernels import Kernel
from ._support_vector_classifier import SupportClassifier
from ._svm_base import filled, hinge_bounds, solver_settings

ROUNDING = 2.0**-44  # of sums of kernel values, as a share of the largest that they could be
MIN_MARGIN = 2.0**-1000  # a margin in place of none
MAX_COST = 1e5  # a cost, in units of the kernel, beside which the margin is negligible
PATIENCE = 3  # solutions that bring the violation no nearer to the margin


@estimator
class NuSVC(SupportClassifier):
    """Nu-support vector classification: nu bounds the fraction of margin violations.

    minimise over f, b, r >= 0    |f|^2 / 2 - nu r + mean_i weight_i max(0, r - y_i (f(x_i) + b)),    y_i = -1 or 1

    At most the share nu of the rows lies inside the margin, at least that share are support vectors. The solution is
    rescaled to a margin of 1, and is that of `SVC` for some C. `class_weight` has no effect, as in scikit-learn: shares
    count rows. [Schölkopf et al., 2000]

    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1, 1]
    >>> NuSVC(gamma=2.0).fit(X, y).predict([[0.9, 0.1], [0.1, 0.2]])
    array([1, 0])
    """

    nu: float = param(
        0.5,
        "upper bound of the fraction of margin errors, lower bound of that of support vectors",
        above=0,
        at_most=1,
        tune=(0.1, 0.3, 0.5),
        simpler="larger",
    )

    weighs_classes = False
    title = "nu-support vector classification"
    reference = "Schölkopf, Smola, Williamson and Bartlett, 2000"

    def _solve_pair(
        self, kernel: Kernel, X: Matrix, sign: Array, weight: Array, trace: Trace
    ) -> tuple[Array, float, DualSolution]:
        half, most = (
            self.nu * float(weight.sum()) / 2,
            min(float(weight[sign > 0].sum()), float(weight[sign < 0].sum())),
        )
        if half > most * (1 + 1e-12):
            raise DataError(
                f"{type(self).__name__}: specified nu is infeasible: with these classes it must be at most "
                f"{2 * most / float(weight.sum()):.4g}, twice the fraction of the smaller class; got {self.nu:g}"
            )
        start = np.zeros(len(sign))
        for side in (1.0, -1.0):
            start[sign == side] = side * filled(weight[sign == side], half)
        bounds = hinge_bounds(sign, weight, 1.0) | {"q": np.zeros(len(sign)), "group": (sign < 0).astype(np.int8)}
        problem = DualProblem(table_of(kernel, X), **bounds)
        found = self._solved(problem, Start(start), trace)
        r = _margin(found)
        if not r > ROUNDING * float(np.abs(found.b).sum()) * problem.table.largest:
            remedy = _remedy(_least_nu(problem, sign, weight), 2 * most / float(weight.sum()))
            raise DataError(
                f"{type(self).__name__}: with nu={self.nu:g} the optimal margin has width zero, as more than this "
                f"fraction of the rows is on the wrong side; {remedy}"
            )
        return found.b / r, -float(found.levels.mean() / r), found._replace(violation=found.violation / r)

    def _solved(self, problem: DualProblem, start: Start, trace: Trace) -> DualSolution:
        """The dual, solved until its KKT violation is small relative to the margin, which is not known in advance."""
        effort = solver_settings(self).up_to(problem)
        tol, idle, last = self.tol * min(1.0, problem.table.largest), 0, np.inf
        found = solve(problem, effort._replace(tol=tol), trace, start)
        while trace.stopped == "converged" and found.violation > self.tol * _margin(found):
            share = found.violation / max(_margin(found), MIN_MARGIN)
            idle, last = (0, share) if share < 0.5 * last else (idle + 1, last)
            if idle == PATIENCE:  # a smaller violation leaves a smaller margin
                trace.stopped = "stalled"
                return found
            tol = min(0.1 * tol, max(0.5 * self.tol * _margin(found), 1e-3 * tol))
            left = effort._replace(tol=tol, max_iter=max(effort.max_iter - found.steps, 0))
            after = solve(problem, left, trace, Start(found.b, found.scores))
            found = after._replace(steps=found.steps + after.steps)
        return found


def _remedy(least: float, most: float) -> str:
    """What to do where margins have no width up to some nu, and none is feasible from another on."""
    if least > most - 1e-3:
        return "no nu leaves one with this kernel: choose another, or SVC"
    return f"nu must be above {least:.4g} with this kernel, or use SVC"


def _least_nu(problem: DualProblem, sign: Array, weight: Array) -> float:
    """The largest nu without a margin: that of the machine in the limit of large C."""
    cost = MAX_COST / problem.table.largest
    found = solve(problem._replace(**hinge_bounds(sign, weight, cost)), SmoSettings(), Trace())
    return float(np.abs(found.b).sum() / (cost * weight.sum()))


def _margin(found: DualSolution) -> float:
    """Half the distance of the levels of both classes."""
    first, second = found.levels
    return float(first - second) / 2
