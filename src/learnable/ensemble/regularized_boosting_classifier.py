"""Regularised gradient boosting for classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, param
from ..core.errors import ParameterError
from ..engines.trees.boosting import TrainingSet
from ..parts.class_weights import weighted
from ._boosting.boosting_classifier import BoostedTreesClassifier
from ._boosting.regularized_boosting_base import RegularizedBoostingBase


@estimator
class RegularizedBoostingClassifier(BoostedTreesClassifier, RegularizedBoostingBase):
    """Regularized gradient boosting classifier: boosted trees with penalties on leaves and leaf values, as in XGBoost.

    minimise over a tree  sum_i (g_i v_i + h_i v_i^2 / 2) + sum_leaves (gamma + reg_lambda v^2 / 2 + reg_alpha |v|)

    where g = p - y and h = p (1 - p) for the probability p of the second of two classes by the scores so far; each of
    more classes has its own trees. A leaf with sums G and H takes the value v = -G / (H + reg_lambda). For two classes
    `loss` may be a function of the classes, 0 or 1, and their log-odds that returns gradients and Hessians, and
    optionally the losses, which early stopping needs. Early stopping keeps the best stage. [Chen and Guestrin, 2016; Ke
    et al., 2017]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = RegularizedBoostingClassifier(n_estimators=1, learning_rate=1.0, min_child_weight=0.0).fit(X, y)
    >>> model.decision_function(X).round(3)
    array([-0.667, -0.667,  0.667,  0.667])
    """

    loss: Literal["log_loss"] | Callable[..., Any] = param("log_loss", "loss function")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weight of each class; balanced for equal total weights"
    )

    title = "regularized gradient boosting classifier"
    reference = "Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD 2016"

    def _fit(self, data: Data, trace: Trace) -> None:
        several = len(self.classes_) > 2
        if several and (callable(self.loss) or self.monotonic_cst is not None):
            raise ParameterError(
                f"{type(self).__name__}: a custom loss or monotonic_cst needs two classes; y has {len(self.classes_)}"
            )
        y = data.y.astype(np.float64)
        loss = self._given(self.loss, y) if callable(self.loss) else self._log_loss()
        weight = weighted(self.class_weight, self.classes_, data.y, data.weight, type(self).__name__)
        self._boost(loss, data, y, weight, trace)

    def _start(self, lesson: TrainingSet) -> Array:
        if self.base_score is None:
            return super()._start(lesson)
        return np.full(1 if len(self.classes_) <= 2 else len(self.classes_), float(self.base_score))
