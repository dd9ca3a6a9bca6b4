"""Logistic regression with cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ._cv_scores import ClassScorer
from ._decision_function import decision
from ._logistic.logistic_cv import choose, scoring_of
from ._logistic.logistic_objective import PenaltyName
from ._logistic.logistic_params import LogisticBase


@estimator
class LogisticRegressionCV(LogisticBase):
    """Logistic regression with cross-validation of C and l1_ratio.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2,    C by folds

    The path of penalties from strong to weak is fitted on every fold, each fit starting from the one before, and the
    best mean score is chosen; with rule="one_se" the strongest penalty within one standard error of it. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]] * 5, [0, 0, 1, 0, 1, 1] * 5
    >>> model = LogisticRegressionCV(Cs=[0.01, 1.0], scoring="neg_log_loss", use_legacy_attributes=False)
    >>> model.fit(X, y).C_
    1.0
    """

    Cs: int | Array = param(
        10, "values of C to try, or their number between 1e-4 and 1e4", above=0, infinite=True,
        accepts=lambda value: np.size(value) > 0, says="not empty",
    )  # fmt: skip
    l1_ratios: Array | Literal["warn"] | None = param("warn", "fractions of the l1 part to try; warn and None: (0,)")
    cv: Any = param(None, "cross-validation folds: a number (None: 5), a splitter, or (train, test) pairs")
    penalty: PenaltyName = param("deprecated", "deprecated in scikit-learn; use l1_ratios")
    scoring: str | Callable[..., float] | None = param(
        "warn", "scoring by name or as a callable; warn and None: accuracy"
    )
    refit: bool = param(
        True, "whether to refit on all rows with the best parameters, instead of averaging the folds' best coefficients"
    )
    intercept_scaling: float = param(
        1.0, "value of the constant column that represents the intercept with liblinear, which penalises it", above=0
    )
    use_legacy_attributes: bool | Literal["warn"] = param(
        "warn", "whether scores_ and coefs_paths_ are dictionaries by class, as in scikit-learn before 1.10; warn: yes"
    )
    rule: Literal["min", "one_se"] = param(
        "min", "choice of C: the best mean score, or the strongest penalty within one standard error of it"
    )
    Cs_: Array = learned("values of C tried", shape="Cs")
    l1_ratios_: Array = learned("values of l1_ratio tried", shape="l1_ratios")
    C_: float | Array = learned("C with the best cross-validation score")
    l1_ratio_: float | Array = learned("l1_ratio with the best cross-validation score")
    scores_: Any = learned("scores by fold, l1_ratio and C, or such tables by class")
    coefs_paths_: Any = learned("coefficients by fold, l1_ratio, C and class, or such tables by class")
    n_iter_: Array = learned("number of iterations by fold, l1_ratio and C")

    title = "logistic regression with cross-validation"

    def _fit(self, data: Data, trace: Trace) -> None:
        choose(self, data, trace)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the predictions for `X` by `scoring`."""
        matrix = self._read(X)
        truth = self._validator.any_target(y, matrix.shape[0])
        weight = self._validator.weights(sample_weight, len(truth))
        scorer = ClassScorer.of(scoring_of(self), self.classes_, self.strategy == "ovr")
        return scorer.of_labels(truth, decision(self, matrix), weight)
