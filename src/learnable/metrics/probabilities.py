"""How good predicted probabilities and decision values are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, Label, Rows, checked
from ..core.errors import DataError, ParameterError, UndefinedMetricWarning, warn
from ..core.runtime.native import kernels
from ._labels import coded, label_array, label_kind
from ._validate import numbers, same_length, weights


@dataclass(frozen=True, slots=True)
class Forecast:
    """Probabilities, one column per class (or one of class 1), and the class of every row."""

    table: Array
    codes: Array
    classes: int
    weight: Array | None
    epsilon: float

    def measured(self, table: Array | None = None) -> tuple[float, float, float, float]:
        """The weighted sum of -log of the true class's probability; least, largest, and worst sum of probabilities."""
        return kernels.log_loss(self.table if table is None else table, self.codes, self.weight, self.epsilon)

    def log_loss(self, table: Array | None = None) -> float:
        """The weighted sum of -log of the true class's probability."""
        return self.measured(table)[0]

    def brier(self, table: Array | None = None) -> float:
        """The weighted mean of the squared distance of probabilities and truth, summed over classes."""
        chosen = self.full() if table is None else table
        gap = chosen - (self.codes[:, None] == np.arange(self.classes))
        return float(np.average((gap**2).sum(axis=1), weights=self.weight))

    def full(self) -> Array:
        """A column for every class."""
        return self.table if self.table.shape[1] > 1 else np.hstack([1 - self.table, self.table])

    def shares(self) -> Array:
        """The forecast that knows only how frequent the classes are, in every row."""
        counts = np.bincount(self.codes, weights=self.weight, minlength=self.classes)
        return np.tile(counts / counts.sum(), (len(self.codes), 1))

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.codes) if self.weight is None else self.weight.sum())


@checked()
def log_loss(
    y_true: Rows,
    y_proba: Rows | None = None,
    *,
    normalize: bool = True,
    sample_weight: Rows | None = None,
    labels: Column | None = None,
    y_pred: Rows | None = None,
) -> float:
    """Log loss (cross-entropy): the mean of -log of the predicted probability of the true class, in nats.

    Columns stand for the sorted classes; a single column is the probability of the second of two. Probabilities are
    held away from 0 and 1 by the rounding unit. `y_pred` is an old name of `y_proba`.

    >>> round(log_loss(["spam", "ham"], [[0.1, 0.9], [0.8, 0.2]]), 4)
    0.1643
    """
    given = y_pred if y_proba is None else y_proba
    forecast, loss = _forecast("log_loss", y_true, given, sample_weight, labels)
    return loss / (forecast.total if normalize else 1)


@checked()
def d2_log_loss_score(
    y_true: Rows,
    y_proba: Rows | None = None,
    *,
    sample_weight: Rows | None = None,
    labels: Column | None = None,
    y_pred: Rows | None = None,
) -> float:
    """D² of the log loss: the fraction of the log loss of the class frequencies explained by the forecast.

    `y_pred` is an old name.

    >>> round(d2_log_loss_score([0, 1, 1], [0.2, 0.7, 0.9]), 4)
    0.6412
    """
    given: Any = y_pred if y_proba is None else y_proba
    if len(np.atleast_1d(given)) < 2:
        return _too_few()
    forecast, loss = _forecast("d2_log_loss_score", y_true, given, sample_weight, labels)
    return 1 - loss / forecast.log_loss(forecast.shares())


@checked()
def brier_score_loss(
    y_true: Rows,
    y_proba: Rows,
    *,
    sample_weight: Rows | None = None,
    pos_label: Label | None = None,
    labels: Column | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    """Brier score: the mean squared difference of probabilities and outcomes.

    It is halved for two classes, which makes it (p - y)^2.

    >>> round(brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.0375
    """
    forecast = _binary_or_more("brier_score_loss", y_true, y_proba, sample_weight, pos_label, labels)
    half = forecast.classes < 3 if scale_by_half == "auto" else scale_by_half
    return forecast.brier() * (0.5 if half else 1.0)


@checked()
def d2_brier_score(
    y_true: Rows,
    y_proba: Rows,
    *,
    sample_weight: Rows | None = None,
    pos_label: Label | None = None,
    labels: Column | None = None,
) -> float:
    """D² of the Brier score: the fraction of the Brier score of the class frequencies explained by the forecast.

    Where all rows are of one class, the frequencies are never wrong: -inf, and NaN for a forecast as good as they are.

    >>> round(d2_brier_score([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]), 4)
    0.85
    """
    if np.shape(y_proba)[0] < 2:
        return _too_few()
    forecast = _binary_or_more("d2_brier_score", y_true, y_proba, sample_weight, pos_label, labels)
    return _share_removed(forecast.brier(), forecast.brier(forecast.shares()))


@checked()
def hinge_loss(
    y_true: Rows, pred_decision: Rows, *, labels: Column | None = None, sample_weight: Rows | None = None
) -> float:
    """Hinge loss.

    The mean of (1 - margin)+, where the margin is y s for two classes, otherwise the lead over the best wrong class.

    >>> hinge_loss([-1, 1, 1], [-2.0, 0.5, 3.0])
    0.16666666666666666
    """
    owner = "hinge_loss"
    truth, scores = label_array(owner, y_true, "y_true"), numbers(owner, pred_decision, "pred_decision")
    same_length(owner, y_true=truth, pred_decision=scores)
    label_kind(owner, truth, "y_true")
    classes, codes = _classes(owner, truth, labels)
    weight = weights(owner, sample_weight, len(truth))
    if len(classes) <= 2:
        if scores.ndim == 2 and scores.shape[1] != 1:
            raise DataError(f"{owner}: pred_decision must have one number per row for two classes; got {scores.shape}")
        margin = np.where(codes == len(classes) - 1, 1, -1) * scores.ravel() if len(classes) == 2 else -scores.ravel()
    else:
        margin = _leads(owner, codes, scores, len(classes), labels is not None)
    return float(np.average(np.maximum(1 - margin, 0), weights=weight))


def _leads(owner: str, codes: Array, scores: Array, classes: int, labels_given: bool) -> Array:
    """By how much the true class's score exceeds that of the best other class."""
    if scores.ndim != 2 or scores.shape[1] != classes:
        remedy = "" if labels_given else " Give all classes as labels."
        raise DataError(
            f"{owner}: with a multiclass target, the shape of pred_decision must be (n_samples, n_classes), that is "
            f"({len(codes)}, {classes}). Got: {scores.shape}.{remedy}"
        )
    own = scores[np.arange(len(codes)), codes]
    others = scores.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return np.asarray(own - others.max(axis=1))


def _classes(owner: str, truth: Array, labels: Any) -> tuple[Array, Array]:
    """The sorted classes, given or found, and the code of each row."""
    if labels is None:
        classes, (codes,) = coded(owner, truth)
        return classes, codes
    given = label_array(owner, labels, "labels")
    known, _ = coded(owner, given)
    if known.tolist() != given.tolist():
        warn(
            f"{owner}: labels={given.tolist()} are taken in their order {known.tolist()}: the columns of probabilities "
            "must come in this order",
            UserWarning,
        )
    together, (codes, _) = coded(owner, truth, given)
    if len(together) != len(known):
        raise DataError(f"{owner}: y_true holds labels other than {known.tolist()}; give all classes as labels")
    return known, codes


def _forecast(owner: str, y_true: Any, y_proba: Any, sample_weight: Any, labels: Any) -> tuple[Forecast, float]:
    """The forecast, checked, and its log loss, which comes with the checks."""
    if y_proba is None:
        raise DataError(f"{owner}: y_proba must be the probabilities of the classes; got None")
    single = getattr(y_proba, "dtype", None) == np.float32
    table = numbers(owner, y_proba, "y_proba")
    if table.size == 0:
        raise DataError(f"{owner}: y_proba has no rows; a score needs at least one")
    table = table.reshape(len(table), -1)
    truth = label_array(owner, y_true, "y_true")
    same_length(owner, y_proba=table, y_true=truth)
    if label_kind(owner, truth, "y_true") != "classes":
        truth = _single_label(owner, truth)
    classes, codes = _classes(owner, truth, labels)
    _check_classes(owner, classes, max(table.shape[1], 2), labels)
    epsilon = float(np.finfo(np.float32 if single else np.float64).eps)
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    forecast = Forecast(table, codes, len(classes), weights(owner, sample_weight, len(truth)), epsilon)
    return forecast, _checked_loss(owner, forecast)


def _single_label(owner: str, truth: Array) -> Array:
    """The class of each row of an indicator matrix with a single one per row."""
    if (truth.sum(axis=1) != 1).any():
        raise DataError(f"{owner}: y_true has rows with several labels or none; one class per row is needed")
    return np.asarray(truth.argmax(axis=1))


def _check_classes(owner: str, classes: Array, columns: int, labels: Any) -> None:
    if len(classes) == 1:
        raise DataError(
            f"{owner}: y_true holds the label {classes[0]} alone; give all classes as labels"
            if labels is None
            else f"{owner}: labels must name two classes or more; got {classes}"
        )
    if len(classes) != columns:
        raise DataError(
            f"{owner}: y_true has {len(classes)} classes ({classes.tolist()}), y_proba has {columns} columns; give all "
            "classes as labels"
        )


def _checked_loss(owner: str, forecast: Forecast) -> float:
    loss, least, most, gap = forecast.measured()
    if most > 1:
        raise DataError(f"{owner}: y_proba contains values greater than 1: {most}")
    if least < 0:
        raise DataError(f"{owner}: y_proba contains values lower than 0: {least}")
    if gap > np.sqrt(forecast.epsilon):
        warn("Rows of y_prob do not sum to one: are they probabilities?", UserWarning)
    return loss


def _binary_or_more(owner: str, y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Forecast:
    """One column is the probability of `pos_label`; more are those of the sorted classes."""
    table = numbers(owner, y_proba, "y_proba")
    if table.ndim == 2 and table.shape[1] > 1:
        return _forecast(owner, y_true, y_proba, sample_weight, labels)[0]
    truth = label_array(owner, y_true, "y_true")
    same_length(owner, y_proba=table, y_true=truth)
    label_kind(owner, truth, "y_true")
    classes, (codes,) = coded(owner, truth)
    if len(classes) > 2:
        raise DataError(f"{owner}: y_true must hold two classes; it is multiclass")
    if pos_label is None:
        if classes.dtype.kind in "OUST":
            raise ParameterError(f"{owner}: y_true holds {classes.tolist()} and pos_label is not specified; pass it")
        usual = set(classes.tolist()) <= {0, 1} or set(classes.tolist()) <= {-1, 1}
        pos_label = 1 if usual else classes[-1]
    positive = (classes[codes] == pos_label).astype(np.int64)
    forecast = Forecast(table.reshape(-1, 1), positive, 2, weights(owner, sample_weight, len(truth)), 1e-300)
    _checked_loss(owner, forecast)
    return forecast


def _share_removed(loss: float, reference: float) -> float:
    """The share of a reference's loss that a forecast removes; of no loss at all nothing can be removed."""
    if reference > 0:
        return 1 - loss / reference
    warn("D² compares with class frequencies, whose deviance is zero on a single class.", UndefinedMetricWarning)
    return float("-inf") if loss > 0 else float("nan")


def _too_few() -> float:
    warn("D² needs at least two rows; it is NaN otherwise.", UndefinedMetricWarning)
    return float("nan")
