"""Boosted trees with penalised leaves that tell classes apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, param
from ..core.errors import ParameterError
from ..engines.trees.boosting import Lesson
from ..parts.class_weights import weighted
from ._boosting.boosting_classifier import BoostedClasses
from ._boosting.regularized_boosting_base import RegularizedBoosting


@estimator
class RegularizedBoostingClassifier(BoostedClasses, RegularizedBoosting):
    """Classes told apart by trees that grow one after the other, where leaves and their values have prices.

    minimise over a tree  sum_i (g_i v_i + h_i v_i^2 / 2) + sum_leaves (gamma + reg_lambda v^2 / 2 + reg_alpha |v|)

    where g = p - y and h = p (1 - p) for the chance p that the scores so far give the second of two classes; each of
    more classes has its own trees. A leaf with sums G and H takes the value v = -G / (H + reg_lambda). For two classes
    `loss` may be a function of the classes, 0 or 1, and their log-odds that returns gradients and curvatures, and third
    the losses, by which alone it can stop early. Stopping early keeps the best stage. [Chen and Guestrin, 2016; Ke et
    al., 2017]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = RegularizedBoostingClassifier(n_estimators=1, learning_rate=1.0, min_child_weight=0.0).fit(X, y)
    >>> model.decision_function(X).round(3)
    array([-0.667, -0.667,  0.667,  0.667])
    """

    loss: Literal["log_loss"] | Callable[..., Any] = param("log_loss", "what a wrong probability costs")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weight of each class; balanced ones let all count alike"
    )

    reference = "Chen and Guestrin, XGBoost: a scalable tree boosting system, KDD 2016"

    def _fit(self, data: Data, trace: Trace) -> None:
        several = len(self.classes_) > 2
        if several and (callable(self.loss) or self.monotonic_cst is not None):
            raise ParameterError(
                f"{type(self).__name__}: a loss by its derivatives, or a direction of columns (monotonic_cst), is for "
                f"two classes; y has {len(self.classes_)}"
            )
        y = data.y.astype(np.float64)
        loss = self._given(self.loss, y) if callable(self.loss) else self._log_loss()
        weight = weighted(self.class_weight, self.classes_, data.y, data.weight, type(self).__name__)
        self._boost(loss, data, y, weight, trace)

    def _start(self, lesson: Lesson) -> Array:
        if self.base_score is None:
            return super()._start(lesson)
        return np.full(1 if len(self.classes_) <= 2 else len(self.classes_), float(self.base_score))
