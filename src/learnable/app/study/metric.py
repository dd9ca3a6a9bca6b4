"""What a study judges models by: scores of answers that are kept, so that no model has to answer twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, ParameterError
from ...metrics import get_scorer
from ...metrics._score_range import Scale, scale_of
from ..task import Question

IMBALANCED = 3.0  # times as many rows in the largest class as in the smallest: accuracy flatters from here on
EQUAL = 0.01  # differences of a share of the scale, or of the baseline's error, that count as practically equal


class Remembered:
    """Answers that somebody gave, in the place of a model: every scorer can judge them."""

    def __init__(self, answers: Array, classes: int) -> None:
        self._answers = answers
        self._estimator_type = "classifier" if classes else "regressor"
        if classes:
            self.classes_ = np.arange(classes)

    def predict(self, X: Any) -> Array:
        """The number, or the likeliest class."""
        return self._answers if self._answers.ndim == 1 else self._answers.argmax(axis=1)

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes."""
        return self._answers


@dataclass(frozen=True, slots=True)
class Metric:
    """A score by the name of its scorer; larger is better inside, and `shown` is the number that people know.

    >>> rmse = METRICS["rmse"]
    >>> round(rmse.shown(rmse.score(np.array([1.0, 2.0]), np.array([1.0, 4.0]))), 4)
    1.4142
    """

    label: str
    scorer: str
    tasks: tuple[str, ...]
    code: str  # how a program computes it from y, answers and chances
    sign: int = 1

    def score(self, y: Array, answers: Array, weight: Array | None = None, classes: int = 0) -> float:
        """How good answers are; larger is better."""
        options = {} if weight is None else {"sample_weight": weight}
        model = Remembered(answers, classes or (answers.shape[1] if answers.ndim == 2 else 0))
        return float(get_scorer(self.scorer)(model, np.empty((len(y), 1)), y, **options))

    def shown(self, score: float) -> float:
        """A score as people write it: errors are positive."""
        return self.sign * score + 0.0

    @property
    def direction(self) -> str:
        """Which values are good."""
        return "higher is better" if self.sign > 0 else "lower is better"

    def scale(self, classes: int) -> Scale:
        """The range of the score, and whether it is a share of rows."""
        return scale_of(get_scorer(self.scorer), Remembered(np.empty(0), classes))

    def practically_equal(self, baseline: float) -> float:
        """How far apart scores are that nobody would tell apart: 1 % of the scale, or of the baseline's error."""
        return EQUAL if self.scorer in IN_SHARES else EQUAL * abs(baseline)


IN_SHARES = ("accuracy", "balanced_accuracy", "roc_auc", "roc_auc_ovr", "average_precision", "f1", "f1_macro", "r2")
BINARY, SEVERAL, CLASSES, NUMBERS = ("binary",), ("multi-class",), ("binary", "multi-class"), ("regression",)
METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy", "accuracy", CLASSES, "accuracy_score(y[locked], answers{weight})"),
    "balanced-accuracy": Metric(
        "balanced accuracy", "balanced_accuracy", CLASSES, "balanced_accuracy_score(y[locked], answers{weight})"
    ),
    "auc": Metric("area under the ROC curve", "roc_auc", BINARY, "roc_auc_score(y[locked], chances[:, 1]{weight})"),
    "auc-ovr": Metric(
        "area under the ROC curve, one class against the rest",
        "roc_auc_ovr",
        SEVERAL,
        "roc_auc_score(y[locked], chances, multi_class='ovr'{weight})",
    ),
    "average-precision": Metric(
        "average precision", "average_precision", BINARY, "average_precision_score(y[locked], chances[:, 1]{weight})"
    ),
    "f1": Metric("F1 of the positive class", "f1", BINARY, "f1_score(y[locked], answers{weight})"),
    "f1-macro": Metric(
        "F1, mean of classes", "f1_macro", SEVERAL, "f1_score(y[locked], answers, average='macro'{weight})"
    ),
    "log-loss": Metric("log loss", "neg_log_loss", CLASSES, "log_loss(y[locked], chances{weight})", -1),
    "brier": Metric("Brier score", "neg_brier_score", BINARY, "brier_score_loss(y[locked], chances[:, 1]{weight})", -1),
    "rmse": Metric(
        "root mean squared error",
        "neg_root_mean_squared_error",
        NUMBERS,
        "root_mean_squared_error(y[locked], answers{weight})",
        -1,
    ),
    "mae": Metric(
        "mean absolute error", "neg_mean_absolute_error", NUMBERS, "mean_absolute_error(y[locked], answers{weight})", -1
    ),
    "r2": Metric("R², share of the variance explained", "r2", NUMBERS, "r2_score(y[locked], answers{weight})"),
}


def chosen_metric(question: Question, name: str | None) -> Metric:
    """The score asked for, or the one that suits the target."""
    suited = {key: metric for key, metric in METRICS.items() if question.task in metric.tasks}
    if name is None:
        return METRICS[_usual(question)]
    if name.lower() not in suited:
        wrong = f"does not suit {question.task}" if name.lower() in METRICS else "is not known"
        raise ParameterError(f"--metric {name} {wrong}; choose one of {', '.join(suited)}")
    return suited[name.lower()]


def _usual(question: Question) -> str:
    if question.task == "regression":
        return "rmse"
    if question.task == "binary":
        return "auc"
    counts = np.unique(question.y.astype(str), return_counts=True)[1]
    return "balanced-accuracy" if counts.max() > IMBALANCED * counts.min() else "accuracy"
