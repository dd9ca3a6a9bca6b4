"""Heads of boosted trees: from scores to classes or numbers, and from targets to what the loss takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.validate.features import FeatureValidator


@dataclass(frozen=True)
class PredictionSnapshot:
    """The predictions of a model during its fit, as a fitted estimator for scorers; `X` is ignored."""

    task: str
    classes_: Array | None
    prediction: Array
    proba: Array | None
    decision: Array | None
    scale: float = 1.0

    def predict(self, X: Any) -> Array:
        """The prediction of each row."""
        return self.prediction

    def predict_proba(self, X: Any) -> Array | None:
        """The probability of each class."""
        return self.proba

    def decision_function(self, X: Any) -> Array | None:
        """The score of each class, or of the second of two."""
        return self.decision

    def original_target(self, y: Array) -> Array:
        """Targets in the units or with the labels of the user."""
        return y * self.scale if self.classes_ is None else np.asarray(self.classes_[y.astype(np.intp)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R squared."""
        from ...metrics import accuracy_score, r2_score

        measure = r2_score if self.classes_ is None else accuracy_score
        return float(measure(y, self.prediction, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        target = TargetTags(required=True)
        if self.classes_ is None:
            return Tags(estimator_type="regressor", target_tags=target, regressor_tags=RegressorTags())
        return Tags(estimator_type="classifier", target_tags=target, classifier_tags=ClassifierTags())


@dataclass(frozen=True)
class ClassificationHead:
    """Scores as log-odds of the second of two classes, or as a score for each of more.

    `log_odds` is the factor from scores to log-odds. A loss of one is `loss_unit` in the units of the user.
    """

    classes: Array
    loss: Any
    log_odds: float = 1.0
    loss_unit: float = 1.0
    base_score: float | None = None
    scale: float = 1.0

    @property
    def outputs(self) -> int:
        """Number of scores of a row."""
        return 1 if len(self.classes) <= 2 else len(self.classes)

    def start(self, y: Array, weight: Array | None) -> Array:
        """The constant scores of minimum loss, or the given ones."""
        if self.base_score is not None:
            return np.full(self.outputs, float(self.base_score))
        if self.outputs == 1:
            return np.array([self.loss.best_constant(y, weight)])
        constant = self.loss.best_constant(y, weight, len(self.classes))
        return np.asarray(constant - constant.mean())

    def proba(self, scores: Array) -> Array:
        """The class probabilities."""
        if len(self.classes) == 1:
            return np.ones((len(scores), 1))
        if self.log_odds != 1:
            scores = self.log_odds * scores
        if self.outputs > 1:
            return np.asarray(self.loss.predict(scores))
        from scipy.special import expit

        found = np.empty((len(scores), 2))  # one call for each class: a single row takes microseconds
        expit(-scores[:, 0], out=found[:, 0])
        expit(scores[:, 0], out=found[:, 1])
        return found

    def decision(self, scores: Array) -> Array:
        """The decision function: flat for two classes."""
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def check_target(self, y: Any, rows: int, validator: FeatureValidator) -> Array:
        """Class labels of validation rows as codes."""
        labels = validator.any_target(y, rows)
        codes = np.minimum(np.searchsorted(self.classes, labels), len(self.classes) - 1)
        if not (self.classes[codes] == labels).all():
            unknown = labels[self.classes[codes] != labels][0]
            raise DataError(f"{validator.owner}: y_val has the class {unknown!r}, which y does not have")
        return codes.astype(np.float64)

    def snapshot(self, scores: Array) -> PredictionSnapshot:
        """The predictions by scores of some rows."""
        proba = self.proba(scores)
        prediction = self.classes[proba.argmax(axis=1)]
        return PredictionSnapshot("classification", self.classes, prediction, proba, self.decision(scores))


@dataclass(frozen=True)
class RegressionHead:
    """Scores in units of `scale` of the target, which the link of the loss turns into predictions.

    A loss of one is `loss_unit` in the units of the user. `constant_loss` is the loss that the constant before the
    first tree minimises, if it is another one.
    """

    loss: Any
    scale: float
    loss_unit: float
    base_score: float | None = None
    constant_loss: Any = None
    outputs: int = 1

    def start(self, y: Array, weight: Array | None) -> Array:
        """The constant score of minimum loss, or the given one."""
        if self.base_score is not None:
            return np.array([self.base_score / self.scale])
        loss = self.loss if self.constant_loss is None else self.constant_loss
        return np.array([loss.best_constant(y, weight)])

    def predict(self, scores: Array) -> Array:
        """The predictions."""
        return np.asarray(self.loss.predict(scores[:, 0]) * self.scale)

    def check_target(self, y: Any, rows: int, validator: FeatureValidator) -> Array:
        """Targets of validation rows, scaled."""
        return np.asarray(validator.target(y, rows, np.float64, False) / self.scale)

    def snapshot(self, scores: Array) -> PredictionSnapshot:
        """The predictions by scores of some rows."""
        return PredictionSnapshot("regression", None, self.predict(scores), None, None, self.scale)


Head = ClassificationHead | RegressionHead
