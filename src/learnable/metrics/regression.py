"""Errors of predicted numbers; several targets are averaged, or summed, as `multioutput` says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataError, ParameterError
from ..core.r2 import explained_share, squares
from ..parts import regression_errors
from ._validate import numbers, same_length, weights

Pair = tuple[Array, Array, Array | None]


@checked()
def mean_squared_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Mean squared error, mean (y - p)^2.

    Several targets are averaged; `multioutput="sum"` adds them: the mean squared distance |y - p|^2 of vectors.

    >>> mean_squared_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.375
    >>> mean_squared_error([[0, 0], [1, 1]], [[3, 4], [1, 1]], multioutput="sum")
    12.5
    """
    truth, prediction, weight = _targets("mean_squared_error", y_true, y_pred, sample_weight)
    return _sum_or_mean("mean_squared_error", regression_errors.squared_error(truth, prediction, weight), multioutput)


@checked()
def root_mean_squared_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Root mean squared error, in the unit of the target.

    The errors of several targets are averaged; `multioutput="sum"` is the root of the mean squared distance |y - p|^2.

    >>> root_mean_squared_error([0, 0], [3, 3])
    3.0
    """
    truth, prediction, weight = _targets("root_mean_squared_error", y_true, y_pred, sample_weight)
    roots = regression_errors.root_squared_error(truth, prediction, weight)
    if isinstance(multioutput, str) and multioutput == "sum":
        return float(np.hypot.reduce(roots))
    return _over_targets("root_mean_squared_error", roots, multioutput, extra=("sum",))


@checked()
def mean_absolute_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Mean absolute error, mean |y - p|.

    >>> mean_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 8])
    0.5
    """
    return _averaged(
        "mean_absolute_error", regression_errors.absolute_error, y_true, y_pred, sample_weight, multioutput
    )


@checked()
def median_absolute_error(
    y_true: Rows, y_pred: Rows, *, multioutput: str | Rows = "uniform_average", sample_weight: Rows | None = None
) -> Any:
    """Median absolute error, robust to outliers.

    >>> median_absolute_error([3, -0.5, 2, 7], [2.5, 0.0, 2, 80])
    0.5
    """
    return _averaged(
        "median_absolute_error", regression_errors.median_error, y_true, y_pred, sample_weight, multioutput
    )


@checked()
def mean_squared_log_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Mean squared logarithmic error, mean (log(1 + y) - log(1 + p))^2, for numbers above -1.

    >>> round(mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.0397
    """
    measure = _above_minus_one(regression_errors.squared_log_error, "Mean Squared Logarithmic Error")
    return _averaged("mean_squared_log_error", measure, y_true, y_pred, sample_weight, multioutput)


@checked()
def root_mean_squared_log_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Root mean squared logarithmic error.

    >>> round(root_mean_squared_log_error([3, 5, 2.5, 7], [2.5, 5, 4, 8]), 4)
    0.1993
    """
    measure = _above_minus_one(regression_errors.root_squared_log_error, "Root Mean Squared Logarithmic Error")
    return _averaged("root_mean_squared_log_error", measure, y_true, y_pred, sample_weight, multioutput)


@checked()
def mean_absolute_percentage_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Mean absolute percentage error, mean |y - p| / |y| (a fraction, not a percentage).

    >>> mean_absolute_percentage_error([1.0, 2.0], [1.5, 2.0])
    0.25
    """
    owner = "mean_absolute_percentage_error"
    return _averaged(owner, regression_errors.relative_error, y_true, y_pred, sample_weight, multioutput)


@checked()
def mean_fractional_error(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """Mean fractional error, mean of |y - p| / min(y, p), for positive numbers: too high and too low count alike.

    >>> mean_fractional_error([1.0, 3.0], [3.0, 1.0])
    2.0
    """

    def measure(truth: Array, prediction: Array, weight: Array | None) -> Array:
        if (truth <= 0).any() or (prediction <= 0).any():
            raise DataError("mean_fractional_error: y_true and y_pred must be positive, as their ratio is used")
        return regression_errors.fractional_error(truth, prediction, weight)

    return _averaged("mean_fractional_error", measure, y_true, y_pred, sample_weight, multioutput)


@checked()
def max_error(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Maximum absolute error; rows of weight zero are ignored.

    >>> max_error([3, 2, 7, 1], [4, 2, 7, 1])
    1.0
    """
    truth, prediction, weight = one_target("max_error", y_true, y_pred, sample_weight)
    return float(regression_errors.largest_error(truth, prediction, weight)[0])


@checked()
def mean_pinball_loss(
    y_true: Rows,
    y_pred: Rows,
    *,
    sample_weight: Rows | None = None,
    alpha: float = 0.5,
    multioutput: str | Rows = "uniform_average",
) -> Any:
    """Mean pinball (quantile) loss, the mean of alpha (y - p)+ + (1 - alpha) (p - y)+, minimal for the alpha quantile.

    >>> round(mean_pinball_loss([1, 2, 3], [0, 2, 3], alpha=0.1), 4)
    0.0333
    """
    _check_level("mean_pinball_loss", alpha)

    def measure(truth: Array, prediction: Array, weight: Array | None) -> Array:
        return regression_errors.pinball_error(truth, prediction, weight, alpha)

    return _averaged("mean_pinball_loss", measure, y_true, y_pred, sample_weight, multioutput)


@checked()
def explained_variance_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    sample_weight: Rows | None = None,
    multioutput: str | Rows = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Explained variance, 1 - var(y - p) / var(y): like R², but a constant error costs nothing.

    >>> explained_variance_score([1, 2, 3], [2, 3, 4])
    1.0
    """
    truth, prediction, weight = _targets("explained_variance_score", y_true, y_pred, sample_weight)
    unexplained = regression_errors.unexplained_variance(truth, prediction, weight)
    return _explained("explained_variance_score", *unexplained, multioutput, force_finite)


@checked()
def r2_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    sample_weight: Rows | None = None,
    multioutput: str | Rows = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """R², the coefficient of determination, 1 - sum (y - p)^2 / sum (y - mean y)^2.

    >>> r2_score([1, 2, 3], [1, 2, 3]), r2_score([1, 2, 3], [2, 2, 2])
    (1.0, 0.0)
    """
    truth, prediction, weight = _targets("r2_score", y_true, y_pred, sample_weight)
    if len(truth) < 2:
        return float(regression_errors.undefined_for_one_row(truth, "R^2 score")[0])
    return _explained("r2_score", *squares(truth, prediction, weight), multioutput, force_finite)


@checked()
def d2_pinball_score(
    y_true: Rows,
    y_pred: Rows,
    *,
    sample_weight: Rows | None = None,
    alpha: float = 0.5,
    multioutput: str | Rows = "uniform_average",
) -> Any:
    """D² of the pinball (quantile) loss.

    The fraction of the loss of the best constant, the alpha quantile, explained by predictions.

    >>> d2_pinball_score([1, 2, 3], [1, 3, 3])
    0.5
    """
    _check_level("d2_pinball_score", alpha)
    truth, prediction, weight = _targets("d2_pinball_score", y_true, y_pred, sample_weight)
    if len(truth) < 2:
        return float(regression_errors.undefined_for_one_row(truth, "D^2 score")[0])
    unexplained = regression_errors.pinball_against_constant(truth, prediction, weight, alpha)
    return _explained("d2_pinball_score", *unexplained, multioutput, True)


@checked()
def d2_absolute_error_score(
    y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, multioutput: str | Rows = "uniform_average"
) -> Any:
    """D² of the absolute error: the fraction of the absolute error around the median explained by predictions.

    >>> round(d2_absolute_error_score([3, -0.5, 2, 7], [2.5, 0.0, 2, 8]), 4)
    0.7647
    """
    return d2_pinball_score(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)


def _targets(owner: str, y_true: Any, y_pred: Any, sample_weight: Any) -> Pair:
    """Truth and predictions as tables with one column a target, and the weights."""
    truth, prediction = numbers(owner, y_true, "y_true"), numbers(owner, y_pred, "y_pred")
    for name, values in (("y_true", truth), ("y_pred", prediction)):
        if values.ndim not in (1, 2):
            raise DataError(f"{owner}: {name} must have one or two dimensions; got {values.ndim}")
    same_length(owner, y_true=truth, y_pred=prediction)
    truth, prediction = truth.reshape(len(truth), -1), prediction.reshape(len(truth), -1)
    if truth.shape != prediction.shape:
        raise DataError(
            f"{owner}: y_true has {truth.shape[1]} targets and y_pred has {prediction.shape[1]}; they must have the "
            "same number"
        )
    return truth, prediction, weights(owner, sample_weight, len(truth))


def one_target(owner: str, y_true: Any, y_pred: Any, sample_weight: Any) -> Pair:
    """Truth and predictions of a single target, as columns, and the weights."""
    truth, prediction, weight = _targets(owner, y_true, y_pred, sample_weight)
    if truth.shape[1] > 1:
        raise DataError(f"Multioutput not supported in {owner}")
    return truth, prediction, weight


def _averaged(
    owner: str, measure: regression_errors.Measure, y_true: Any, y_pred: Any, sample_weight: Any, multioutput: Any
) -> Any:
    truth, prediction, weight = _targets(owner, y_true, y_pred, sample_weight)
    return _over_targets(owner, measure(truth, prediction, weight), multioutput)


def _sum_or_mean(owner: str, values: Array, multioutput: Any) -> Any:
    """The sum over the targets if requested, else as `_over_targets`."""
    if isinstance(multioutput, str) and multioutput == "sum":
        return float(values.sum())
    return _over_targets(owner, values, multioutput, extra=("sum",))


def _over_targets(
    owner: str,
    values: Array,
    multioutput: Any,
    shares: Callable[[], Array | None] | None = None,
    extra: tuple[str, ...] = (),
) -> Any:
    """All values, their plain mean, or their mean by given weights or by `shares`; `extra` names what else is valid."""
    if isinstance(multioutput, str):
        if multioutput == "raw_values":
            return values
        if multioutput == "uniform_average":
            return float(values.mean())
        if multioutput == "variance_weighted" and shares is not None:
            return float(np.average(values, weights=shares()))
    elif multioutput is None:
        return float(values.mean())
    else:
        return float(np.average(values, weights=_output_weights(owner, multioutput, len(values))))
    known = ["raw_values", "uniform_average", *(["variance_weighted"] if shares is not None else []), *extra]
    words = ", ".join(map(repr, known))
    raise ParameterError(f"{owner}: multioutput must be one of {words} or weights of targets; got {multioutput!r}")


def _output_weights(owner: str, multioutput: Any, targets: int) -> Array:
    given = numbers(owner, multioutput, "multioutput")
    if targets == 1:
        raise ParameterError(f"{owner}: weights of targets need several targets; leave multioutput at its default")
    if len(given) != targets:
        raise ParameterError(f"{owner}: multioutput holds {len(given)} weights for {targets} targets")
    return given


def _explained(owner: str, missed: Array, spread: Array, multioutput: Any, force_finite: bool) -> Any:
    values = explained_share(missed, spread, force_finite)
    return _over_targets(owner, values, multioutput, lambda: spread if spread.any() else None)


def _above_minus_one(measure: regression_errors.Measure, words: str) -> regression_errors.Measure:
    def checked(truth: Array, prediction: Array, weight: Array | None) -> Array:
        if (truth <= -1).any() or (prediction <= -1).any():
            raise DataError(f"{words} takes logarithms of one plus the target: every target must be above -1")
        return measure(truth, prediction, weight)

    return checked


def _check_level(owner: str, alpha: float) -> None:
    if not 0 <= alpha <= 1:
        raise ParameterError(f"{owner}: alpha must be between 0 and 1; got {alpha!r}")
