"""Logistic regression: probabilities of classes from a weighted sum of columns."""

from __future__ import annotations

from ..core import Array, Data, Trace, estimator, learned, param
from ._logistic.logistic_fit import fit_logistic
from ._logistic.logistic_objective import PenaltyName, blend_of
from ._logistic.logistic_params import LogisticModel


@estimator
class LogisticRegression(LogisticModel):
    """Classes whose log-odds are a weighted sum of columns.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2

    The loss is log(1 + e^-m) with margin m for two classes, log sum_k e^z_k - z_y for more; a column that rises by one
    adds w to the log-odds. The solver is chosen by shape and penalty: Newton's method for few columns, L-BFGS for many,
    proximal Newton steps on working sets where l1_ratio > 0, SAGA first if asked for; C = inf leaves the penalty out,
    and says so if the classes are separable. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> LogisticRegression(C=10.0).fit(X, y).predict_proba([[3.0]]).round(3)
    array([[0.227, 0.773]])
    """

    penalty: PenaltyName | None = param("deprecated", "scikit-learn's former way to say l1_ratio or C", kw_only=False)
    C: float = param(
        1.0, "inverse of the strength of the penalty; inf for none", above=0, infinite=True,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="smaller",
    )  # fmt: skip
    l1_ratio: float | None = param(0.0, "share of the absolute part of the penalty", between=(0, 1))
    warm_start: bool = param(False, "whether to start from what was learned before")
    n_iter_: Array = learned("steps and epochs done, for each fit", shape="fits")

    detects_non_finite = True

    def _fit(self, data: Data, trace: Trace) -> None:
        C, l1_ratio = blend_of(self)
        fit_logistic(self, data, C, l1_ratio, trace)
