"""Gradient boosting with exact trees for classification."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ..core import Array, Data, estimator, learned, param
from ..core.errors import DataError
from ..dummy import DummyClassifier
from ..parts import losses
from ._boosting.boosting_classifier import BoostedTreesClassifier
from ._boosting.gradient_boosting_base import GradientBoostingBase
from ._boosting.heads import ClassificationHead


@estimator
class GradientBoostingClassifier(GradientBoostingBase, BoostedTreesClassifier):
    """Gradient boosting classifier: trees fitted one after the other, each to the negative gradient of the loss.

    minimise over f    sum_i loss(y_i, f(x_i)),    f <- f + learning_rate tree,   tree ~ -d loss / d f

    A tree fits the negative gradients by least squares; then each leaf takes one Newton step for its rows: with
    log_loss sum (y - p) / sum p (1 - p), y in {0, 1}; with exponential sum y e^(-yf) / sum e^(-yf), y in {-1, 1}; with
    deviance, log(1 + e^(-2yf)), sum r / sum |r| (2 - |r|), r = 2y / (1 + e^(2yf)). With `leaf_step="gradient"` it takes
    the mean of the negative gradients instead. Each of more classes has its own trees. Every split is exact; for many
    rows see HistGradientBoostingClassifier. [Friedman, 2001 and 2002]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> GradientBoostingClassifier(n_estimators=1, learning_rate=1.0).fit(X, y).decision_function(X)
    array([-2., -2.,  2.,  2.])
    """

    loss: Literal["log_loss", "exponential", "deviance"] = param("log_loss", "loss function")
    baseline_: Array = learned("score of each output before the first tree", shape="outputs")
    n_classes_: int = learned("number of classes", counts="classes")

    title = "gradient boosting classifier"
    reference = "Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001"

    def _head(self) -> ClassificationHead:
        head = super()._head()
        if self.loss == "log_loss":
            return replace(head, loss_unit=2.0 if head.outputs == 1 else 1.0)  # the deviance, as in scikit-learn
        loss = losses.Exponential() if self.loss == "exponential" else losses.BinomialDeviance()
        return replace(head, loss=loss, log_odds=2.0)

    def _encode_target(self, data: Data) -> Array:
        """Classes as the loss takes them: 0 and 1, -1 and 1, or 0, 1, 2, ..."""
        self.n_classes_ = len(self.classes_)
        if self.loss != "log_loss" and self.n_classes_ > 2:
            raise DataError(
                f"{type(self).__name__}: loss={self.loss!r} is for 2 classes; y has {self.n_classes_} of them"
            )
        return data.y.astype(np.float64) if self.loss == "log_loss" else 2.0 * data.y - 1

    def _init_target(self, data: Data) -> Array:
        return np.asarray(self.classes_[data.y.astype(np.intp)])

    def _fit_init(self, data: Data, rows: Array) -> None:
        super()._fit_init(data, rows)
        if self.given_init_ is not None and not hasattr(self.given_init_, "predict_proba"):
            raise DataError(
                f"{type(self).__name__}: init={type(self.given_init_).__name__} has no predict_proba, which the "
                "initial scores need; choose another, or None"
            )

    def _initial_scores(self, X: Array) -> Array:
        if self.given_init_ is None:
            return np.repeat(self.baseline_[:, None], len(X), axis=1)
        tiny = float(np.finfo(np.float32).eps)
        proba = np.clip(self.given_init_.predict_proba(X), tiny, 1 - tiny)
        if self.n_classes_ > 2:
            logs = np.log(proba)
            return np.asarray((logs - logs.mean(axis=1, keepdims=True)).T)
        log_odds = np.log(proba[:, -1]) - np.log1p(-proba[:, -1])
        return np.asarray(log_odds if self.loss == "log_loss" else log_odds / 2)[None]

    def _constant(self) -> DummyClassifier:
        proba = self._head().proba(self.baseline_[None])[0]
        return DummyClassifier(strategy="prior").fit(proba[:, None], self.classes_, proba)
