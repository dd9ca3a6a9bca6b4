"""The metrics of a study: scores of stored predictions, so that no model has to predict twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, ParameterError
from ...metrics import get_scorer
from ...metrics._score_range import Scale, scale_of
from ..task import Question

IMBALANCED = 3.0  # ratio of the largest to the smallest class from which on accuracy is misleading
EQUAL = 0.01  # practically equal: this fraction of the scale, or of the baseline's error


class StoredPredictions:
    """Stored predictions in place of a model, for scorers."""

    def __init__(self, predictions: Array, classes: int) -> None:
        self._predictions = predictions
        self._estimator_type = "classifier" if classes else "regressor"
        if classes:
            self.classes_ = np.arange(classes)

    def predict(self, X: Any) -> Array:
        """The predicted value, or the most probable class."""
        return self._predictions if self._predictions.ndim == 1 else self._predictions.argmax(axis=1)

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes."""
        return self._predictions


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric by the name of its scorer; `score` is larger for better models, `shown` is the usual value.

    >>> rmse = METRICS["rmse"]
    >>> round(rmse.shown(rmse.score(np.array([1.0, 2.0]), np.array([1.0, 4.0]))), 4)
    1.4142
    """

    label: str
    scorer: str
    tasks: tuple[str, ...]
    code: str  # Python code from y, predictions and probabilities
    sign: int = 1

    def score(self, y: Array, predictions: Array, weight: Array | None = None, classes: int = 0) -> float:
        """The score of predictions; larger is better."""
        options = {} if weight is None else {"sample_weight": weight}
        model = StoredPredictions(predictions, classes or (predictions.shape[1] if predictions.ndim == 2 else 0))
        return float(get_scorer(self.scorer)(model, np.empty((len(y), 1)), y, **options))

    def shown(self, score: float) -> float:
        """A score as it is usually written: errors are positive."""
        return self.sign * score + 0.0

    @property
    def direction(self) -> str:
        """Which values are good."""
        return "higher is better" if self.sign > 0 else "lower is better"

    @property
    def worse(self) -> str:
        """How values change when a model becomes worse."""
        return "decrease" if self.sign > 0 else "increase"

    def scale(self, classes: int) -> Scale:
        """The range of the score, and whether it is a proportion of rows."""
        return scale_of(get_scorer(self.scorer), StoredPredictions(np.empty(0), classes))

    def practically_equal(self, baseline: float) -> float:
        """The largest difference of practically equal scores: 1 % of the scale, or of the baseline's error."""
        return EQUAL if self.scorer in SCALE_OF_ONE else EQUAL * abs(baseline)


SCALE_OF_ONE = ("accuracy", "balanced_accuracy", "roc_auc", "roc_auc_ovr", "average_precision", "f1", "f1_macro", "r2")
BINARY, MULTI_CLASS, CLASSES, REGRESSION = ("binary",), ("multi-class",), ("binary", "multi-class"), ("regression",)
METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy", "accuracy", CLASSES, "accuracy_score(y[test], predictions{weight})"),
    "balanced-accuracy": Metric(
        "balanced accuracy", "balanced_accuracy", CLASSES, "balanced_accuracy_score(y[test], predictions{weight})"
    ),
    "auc": Metric("area under the ROC curve", "roc_auc", BINARY, "roc_auc_score(y[test], probabilities[:, 1]{weight})"),
    "auc-ovr": Metric(
        "area under the ROC curve, one class against the rest",
        "roc_auc_ovr",
        MULTI_CLASS,
        "roc_auc_score(y[test], probabilities, multi_class='ovr'{weight})",
    ),
    "average-precision": Metric(
        "average precision",
        "average_precision",
        BINARY,
        "average_precision_score(y[test], probabilities[:, 1]{weight})",
    ),
    "f1": Metric("F1 of the positive class", "f1", BINARY, "f1_score(y[test], predictions{weight})"),
    "f1-macro": Metric(
        "F1, mean of classes", "f1_macro", MULTI_CLASS, "f1_score(y[test], predictions, average='macro'{weight})"
    ),
    "log-loss": Metric("log loss", "neg_log_loss", CLASSES, "log_loss(y[test], probabilities{weight})", -1),
    "brier": Metric(
        "Brier score", "neg_brier_score", BINARY, "brier_score_loss(y[test], probabilities[:, 1]{weight})", -1
    ),
    "rmse": Metric(
        "root mean squared error",
        "neg_root_mean_squared_error",
        REGRESSION,
        "root_mean_squared_error(y[test], predictions{weight})",
        -1,
    ),
    "mae": Metric(
        "mean absolute error",
        "neg_mean_absolute_error",
        REGRESSION,
        "mean_absolute_error(y[test], predictions{weight})",
        -1,
    ),
    "r2": Metric("R², coefficient of determination", "r2", REGRESSION, "r2_score(y[test], predictions{weight})"),
}


def chosen_metric(question: Question, name: str | None) -> Metric:
    """The requested metric, or the default for the target."""
    suited = {key: metric for key, metric in METRICS.items() if question.task in metric.tasks}
    if name is None:
        return METRICS[_default(question)]
    if name.lower() not in suited:
        wrong = f"does not suit {question.task}" if name.lower() in METRICS else "is not known"
        raise ParameterError(f"--metric {name} {wrong}; choose one of {', '.join(suited)}")
    return suited[name.lower()]


def _default(question: Question) -> str:
    if question.task == "regression":
        return "rmse"
    if question.task == "binary":
        return "auc"
    counts = np.unique(question.y.astype(str), return_counts=True)[1]
    return "balanced-accuracy" if counts.max() > IMBALANCED * counts.min() else "accuracy"
