"""Logistic regression."""

from __future__ import annotations

from ..core import Array, Data, Trace, Traits, estimator, learned, param
from ..engines.passes import TrainingRows
from ._logistic.logistic_fit import fit_logistic
from ._logistic.logistic_objective import PenaltyName, penalty_of
from ._logistic.logistic_on_blocks import fit_logistic_on_blocks
from ._logistic.logistic_params import LogisticBase


@estimator
class LogisticRegression(LogisticBase):
    """Logistic regression, binary or multinomial, with an l1, l2 or elastic-net penalty.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2

    The loss is log(1 + e^-m) with margin m for two classes, log sum_k e^z_k - z_y for more; a column that rises by one
    adds w to the log-odds. The solver is chosen by shape and penalty: Newton's method for few columns, L-BFGS for many,
    proximal Newton steps on working sets where l1_ratio > 0, SAGA first if requested; C = inf means no penalty,
    with a warning if the classes are separable. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> LogisticRegression(C=10.0).fit(X, y).predict_proba([[3.0]]).round(3)
    array([[0.227, 0.773]])
    """

    penalty: PenaltyName | None = param("deprecated", "deprecated in scikit-learn; use l1_ratio and C", kw_only=False)
    C: float = param(
        1.0, "inverse of the regularisation strength; inf for no penalty", above=0, infinite=True,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="smaller",
    )  # fmt: skip
    l1_ratio: float | None = param(0.0, "fraction of the l1 part in the penalty", between=(0, 1))
    warm_start: bool = param(False, "whether to start from the previous solution")
    n_iter_: Array = learned("number of iterations of each fit", shape="fits")

    title = "logistic regression"
    traits = Traits(detects_non_finite=True)

    def _fit(self, data: Data, trace: Trace) -> None:
        C, l1_ratio = penalty_of(self)
        fit_logistic(self, data, C, l1_ratio, trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        C, l1_ratio = penalty_of(self)
        fit_logistic_on_blocks(self, rows, C, l1_ratio, trace)
