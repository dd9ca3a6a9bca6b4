"""Regression errors: one value per target.

`truth` and `prediction` have one column a target, `weight` (None: all one) counts the rows. These are the only
definitions of these errors: metrics add checks and averages over targets, engines use them as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.errors import UndefinedMetricWarning, warn
from ..core.r2 import centre, explained_share, squares
from ..core.scaling import in_common_unit
from ..core.validate.features import Array
from .losses import Tweedie
from .losses.optimal_constants import quantile

Measure = Callable[[Array, Array, Array | None], Array]
EPSILON = float(np.finfo(np.float64).eps)


def mean_by_target(values: Array, weight: Array | None) -> Array:
    """The weighted mean of every column."""
    return np.asarray(np.average(values, axis=0, weights=weight))


def quantile_by_target(values: Array, weight: Array | None, level: float = 0.5) -> Array:
    """A weighted quantile of every column, in the middle where it is not unique."""
    return np.array([quantile(column, weight, level) for column in values.T])


def variance_by_target(values: Array, weight: Array | None) -> Array:
    """The weighted variance of every column."""
    return mean_by_target((values - centre(values, weight)) ** 2, weight)


def squared_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of (y - p)^2; infinite only where that exceeds the range of floats."""
    truth, prediction, exponent = in_common_unit(truth, prediction)
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(mean_by_target((truth - prediction) ** 2, weight), 2 * exponent))


def root_squared_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Square root of the mean of (y - p)^2."""
    truth, prediction, exponent = in_common_unit(truth, prediction)
    return np.ldexp(np.sqrt(squared_error(truth, prediction, weight)), exponent)


def squared_log_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of (log(1 + y) - log(1 + p))^2."""
    return squared_error(np.log1p(truth), np.log1p(prediction), weight)


def root_squared_log_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Square root of the mean of (log(1 + y) - log(1 + p))^2."""
    return root_squared_error(np.log1p(truth), np.log1p(prediction), weight)


def absolute_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of |y - p|."""
    return mean_by_target(np.abs(truth - prediction), weight)


def median_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Median of |y - p|: no square."""
    return quantile_by_target(np.abs(truth - prediction), weight)


def relative_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of |y - p| / |y|."""
    return mean_by_target(np.abs(truth - prediction) / np.maximum(np.abs(truth), EPSILON), weight)


def fractional_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of |y - p| / min(y, p) for positive values: a factor too large counts like the same factor too small."""
    return mean_by_target(np.abs(truth - prediction) / np.minimum(truth, prediction), weight)


def largest_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """The largest |y - p| of the rows with positive weight."""
    error = np.abs(truth - prediction)
    return np.asarray((error if weight is None else error[weight > 0]).max(axis=0))


def pinball_error(truth: Array, prediction: Array, weight: Array | None = None, level: float = 0.5) -> Array:
    """Mean of level (y - p)+ + (1 - level) (p - y)+, smallest at the quantile of that level."""
    gap = truth - prediction
    return mean_by_target(np.where(gap >= 0, level, level - 1) * gap, weight)


def tweedie_deviance(truth: Array, prediction: Array, weight: Array | None = None, power: float = 0.0) -> Array:
    """Mean deviance of the family with variance mean^power, with `prediction` as the mean."""
    return mean_by_target(2 * Tweedie(power, "identity").value(truth, prediction), weight)


def poisson_deviance(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of 2 (y log(y / p) - y + p)."""
    return tweedie_deviance(truth, prediction, weight, 1.0)


def gamma_deviance(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """Mean of 2 (log(p / y) + y / p - 1)."""
    return tweedie_deviance(truth, prediction, weight, 2.0)


def r2(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """1 - sum (y - p)^2 / sum (y - mean)^2; NaN for a single row."""
    if len(truth) < 2:
        return undefined_for_one_row(truth, "R^2 score")
    return explained_share(*squares(truth, prediction, weight))


def unexplained_variance(truth: Array, prediction: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """The variances of y - p and of y, both in a unit in which squares stay in range."""
    truth, prediction, _ = in_common_unit(truth, prediction)
    return variance_by_target(truth - prediction, weight), variance_by_target(truth, weight)


def explained_variance(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """1 - variance of (y - p) / variance of y: a constant error costs nothing."""
    return explained_share(*unexplained_variance(truth, prediction, weight))


def pinball_against_constant(
    truth: Array, prediction: Array, weight: Array | None = None, level: float = 0.5
) -> tuple[Array, Array]:
    """The pinball errors of the predictions and of the best constant, a quantile."""
    constant = quantile_by_target(truth, weight, level)
    return pinball_error(truth, prediction, weight, level), pinball_error(truth, constant, weight, level)


def d2_absolute_error(truth: Array, prediction: Array, weight: Array | None = None) -> Array:
    """1 - sum |y - p| / sum |y - median|; NaN for a single row."""
    if len(truth) < 2:
        return undefined_for_one_row(truth, "D^2 score")
    return explained_share(*pinball_against_constant(truth, prediction, weight))


def undefined_for_one_row(truth: Array, name: str) -> Array:
    """NaN for every target, with a warning."""
    warn(f"{name} needs at least two rows; it is NaN otherwise.", UndefinedMetricWarning)
    return np.full(truth.shape[1], np.nan)


def _negative(measure: Measure) -> Measure:
    return lambda truth, prediction, weight: -measure(truth, prediction, weight)


NAMED: dict[str, Measure] = {
    "neg_mean_squared_error": _negative(squared_error),
    "neg_root_mean_squared_error": _negative(root_squared_error),
    "neg_mean_absolute_error": _negative(absolute_error),
    "neg_median_absolute_error": _negative(median_error),
    "neg_mean_squared_log_error": _negative(squared_log_error),
    "neg_root_mean_squared_log_error": _negative(root_squared_log_error),
    "neg_mean_absolute_percentage_error": _negative(relative_error),
    "neg_mean_poisson_deviance": _negative(poisson_deviance),
    "neg_mean_gamma_deviance": _negative(gamma_deviance),
    "neg_max_error": _negative(largest_error),
    "r2": r2,
    "explained_variance": explained_variance,
    "d2_absolute_error_score": d2_absolute_error,
}
