"""Regularised gradient boosting for classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ..core import estimator, param
from ._boosting.boosting_classifier import BoostedTreesClassifier
from ._boosting.histogram_boosting import HistogramBoostingBase
from ._boosting.regularized_boosting_params import RegularizedBoostingParams


@estimator
class RegularizedBoostingClassifier(RegularizedBoostingParams, HistogramBoostingBase, BoostedTreesClassifier):
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
