"""Gradient boosting with exact trees for classification."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ..core.errors import DataError
from ..dummy import DummyClassifier
from ..parts import losses
from ._boosting.boosting_classifier import BoostedTreesClassifier
from ._boosting.gradient_boosting_base import GradientBoosting


@estimator
class GradientBoostingClassifier(BoostedTreesClassifier, GradientBoosting):
    """Gradient boosting classifier: trees fitted one after the other, each to the negative gradient of the loss.

    minimise over f    sum_i loss(y_i, f(x_i)),    f <- f + learning_rate tree,   tree ~ -d loss / d f

    A tree fits the negative gradients by least squares; then each leaf takes one Newton step for its rows: with
    log_loss sum (y - p) / sum p (1 - p), y in {0, 1}; with exponential sum y e^(-yf) / sum e^(-yf), y in {-1, 1}; with
    deviance, log(1 + e^(-2yf)), sum r / sum |r| (2 - |r|), r = 2y / (1 + e^(2yf)). Each of more classes has its own
    trees. Every split is exact; for many rows see HistGradientBoostingClassifier. [Friedman, 2001 and 2002]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> GradientBoostingClassifier(n_estimators=1, learning_rate=1.0).fit(X, y).decision_function(X)
    array([-2., -2.,  2.,  2.])
    """

    loss: Literal["log_loss", "exponential", "deviance"] = param("log_loss", "loss function")
    baseline_: Array = learned("score of each output before the first tree", shape="outputs")
    n_classes_: int = learned("number of classes", counts="classes")

    title = "gradient boosting classifier"
    reference = "Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.n_classes_ = len(self.classes_)
        if self.loss != "log_loss" and self.n_classes_ > 2:
            raise DataError(
                f"{type(self).__name__}: loss={self.loss!r} is for 2 classes; y has {self.n_classes_} of them"
            )
        self._boost(self._loss(), data, self._coded_classes(data.y), trace)

    def _unit(self) -> float:
        return 2.0 if self.loss == "log_loss" and self.n_classes_ <= 2 else 1.0  # the deviance, as in scikit-learn

    def _loss(self) -> Any:
        if self.loss == "log_loss":
            return self._log_loss()
        return losses.Exponential() if self.loss == "exponential" else losses.BinomialDeviance()

    def _coded_classes(self, codes: Array) -> Array:
        """Classes as the loss takes them: 0 and 1, -1 and 1, or 0, 1, 2, ..."""
        return codes.astype(np.float64) if self.loss == "log_loss" else 2.0 * codes - 1

    def _begin(self, X: Array, data: Data, rows: Array, y: Array, weight: Array) -> None:
        self._fitted_init(data, rows, self.classes_[data.y.astype(np.intp)])
        if self.given_init_ is not None and not hasattr(self.given_init_, "predict_proba"):
            raise DataError(
                f"{type(self).__name__}: init={type(self.given_init_).__name__} has no predict_proba, which the "
                "initial scores need; choose another, or None"
            )
        outputs = 1 if self.n_classes_ <= 2 else self.n_classes_
        if self.init is not None:
            self.baseline_ = np.zeros(outputs)
        elif outputs == 1:
            self.baseline_ = np.array([self._loss().best_constant(y[rows], weight[rows])])
        else:
            shares = losses.Multinomial().best_constant(y[rows], weight[rows], self.n_classes_)
            self.baseline_ = shares - shares.mean()
        self.coding_ = self.__dict__["_coding"]

    def _initial(self, X: Array) -> Array:
        if self.given_init_ is None:
            return np.repeat(self.baseline_[:, None], len(X), axis=1)
        tiny = float(np.finfo(np.float32).eps)
        chances = np.clip(self.given_init_.predict_proba(X), tiny, 1 - tiny)
        if self.n_classes_ > 2:
            logs = np.log(chances)
            return np.asarray((logs - logs.mean(axis=1, keepdims=True)).T)
        odds = np.log(chances[:, -1]) - np.log1p(-chances[:, -1])
        return np.asarray(odds if self.loss == "log_loss" else odds / 2)[None]

    def _constant(self) -> DummyClassifier:
        shares = self._proba(self.baseline_[None])[0]
        return DummyClassifier(strategy="prior").fit(shares[:, None], self.classes_, shares)

    def _proba(self, scores: Array) -> Array:
        return super()._proba(scores if self.loss == "log_loss" else 2 * scores)
