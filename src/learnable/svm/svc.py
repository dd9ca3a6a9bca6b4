"""The support vector classifier."""

from __future__ import annotations

from typing import Any

from ..core import Array, Data, Matrix, Trace, estimator, param
from ..engines.cv_path import FoldPaths
from ..engines.folds import Fold
from ..engines.kernel_machines.smo import DualSolution
from ..parts.kernels import Kernel
from ._cv_path import path_of_kernels, validation_path
from ._support_vector_classifier import SupportClassifier
from ._svm_base import hinge_bounds, solve_dual
from .kkt_report import KktReport, report_on


@estimator
class SVC(SupportClassifier):
    """Support vector classification (SVM): maximum margin with cost C for margin violations, in a kernel feature space.

    minimise over f, b    |f|^2 / 2 + C sum_i weight_i max(0, 1 - y_i (f(x_i) + b)),    y_i = -1 or 1

    f(x) = sum_i y_i a_i k(x_i, x), 0 <= a_i <= C weight_i, from the dual by sequential minimal optimisation; only rows
    with a_i > 0 matter, the support vectors. C = inf is the hard margin, refused where the classes overlap. Several
    classes are decided by votes of all pairs. Cost grows between n^2 and n^3; scale the columns first.

    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1, 1]
    >>> SVC(gamma=2.0, C=10.0).fit(X, y).predict([[0.9, 0.1], [0.1, 0.2]])
    array([1, 0])
    """

    C: float = param(
        1.0, "cost of margin violations (inverse regularisation strength); inf: hard margin", above=0, infinite=True,
        tune=(0.1, 1.0, 10.0, 100.0), simpler="smaller",
    )  # fmt: skip

    title = "support vector classification"
    reference = "Cortes and Vapnik, 1995"

    def _solve_pair(
        self, kernel: Kernel, X: Matrix, sign: Array, weight: Array, trace: Trace
    ) -> tuple[Array, float, DualSolution]:
        found = solve_dual(self, kernel, X, hinge_bounds(sign, weight, self.C), trace)
        return found.b, -float(found.levels[0]), found

    validation_paths = ("C", "gamma")

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        """Cross-validated predictions for all values of C, or of gamma, from one kernel matrix each."""
        if parameter == "C":
            return validation_path(self, values, data, parts)
        return path_of_kernels(self, values, data, parts)

    def kkt_report(self, X: Any, y: Any, sample_weight: Any = None, pair: tuple[int, int] = (0, 1)) -> KktReport:
        """Positions of the training rows relative to the margin, and the recomputed KKT violation of the fit.

        `pair` holds the indices in `classes_` of the two classes to report.

        >>> model = SVC(kernel="linear", C=1e6).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
        >>> report = model.kkt_report([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
        >>> report.roles.tolist(), round(report.margin, 3)
        (['outside', 'margin', 'margin', 'outside'], 2.0)
        """
        return report_on(self, X, y, sample_weight, pair)
