"""Logistic regression that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ._cv_scores import ClassJudge
from ._decision_function import decision
from ._logistic.logistic_cv import choose, scoring_of
from ._logistic.logistic_objective import PenaltyName
from ._logistic.logistic_params import LogisticModel


@estimator
class LogisticRegressionCV(LogisticModel):
    """Logistic regression with the penalty that predicts best the rows it has not seen.

    minimise over w, b    C sum_i s_i loss(y_i, x_i w + b) + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2,    C by folds

    Every fold goes along the path of penalties from strong to weak, each fit starting from the one before, and the best
    mean score decides; with rule="one_se" the strongest penalty within one standard error of it. [Cox, 1958]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]] * 5, [0, 0, 1, 0, 1, 1] * 5
    >>> model = LogisticRegressionCV(Cs=[0.01, 1.0], scoring="neg_log_loss", use_legacy_attributes=False)
    >>> model.fit(X, y).C_
    1.0
    """

    Cs: int | Array = param(
        10, "inverse strengths to try, or how many between 1e-4 and 1e4", above=0, infinite=True,
        accepts=lambda value: np.size(value) > 0, says="not empty",
    )  # fmt: skip
    l1_ratios: Array | Literal["warn"] | None = param("warn", "shares of the absolute part to try; warn and None: (0,)")
    cv: Any = param(None, "folds: a number (None: 5), a splitter, or pairs of index arrays")
    penalty: PenaltyName = param("deprecated", "scikit-learn's former way to say l1_ratios")
    scoring: str | Callable[..., float] | None = param("warn", "what to compare by; warn and None: accuracy")
    refit: bool = param(True, "whether to fit all rows at the end, instead of the mean of the folds' best coefficients")
    intercept_scaling: float = param(1.0, "size of the constant column that liblinear penalises", above=0)
    use_legacy_attributes: bool | Literal["warn"] = param(
        "warn", "whether scores_ and coefs_paths_ are dictionaries by class, as in scikit-learn before 1.10; warn: yes"
    )
    rule: Literal["min", "one_se"] = param("min", "the best score, or the strongest penalty within its standard error")
    Cs_: Array = learned("the inverse strengths tried", shape="strengths")
    l1_ratios_: Array = learned("the shares tried", shape="shares")
    C_: float | Array = learned("the inverse strength chosen")
    l1_ratio_: float | Array = learned("the share chosen")
    scores_: Any = learned("scores by fold, share and strength, or such tables by class")
    coefs_paths_: Any = learned("coefficients by fold, share, strength and class, or such tables by class")
    n_iter_: Array = learned("steps by fold, share and strength")

    def _fit(self, data: Data, trace: Trace) -> None:
        choose(self, data, trace)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of the predictions for `X` by `scoring`."""
        matrix = self._read(X)
        truth = self._validator.any_target(y, matrix.shape[0])
        weight = self._validator.weights(sample_weight, len(truth))
        judge = ClassJudge.of(scoring_of(self), self.classes_, self.strategy == "ovr")
        return judge.of_labels(truth, decision(self, matrix), weight)
