"""Deviances of predicted means, and the share of them that a model explains."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import DataError, ParameterError
from ..core.r2 import centre
from ..parts import regression_errors
from .regression import one_target


@checked()
def mean_tweedie_deviance(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, power: float = 0) -> float:
    """Mean Tweedie deviance of the family whose variance is mean^power: 0 Gauss, 1 Poisson, 2 gamma, 3 inverse Gauss.

    twice the integral from y to p of (u - y) / u^power du

    >>> round(mean_tweedie_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0], power=1), 4)
    1.426
    """
    truth, prediction, weight = one_target("mean_tweedie_deviance", y_true, y_pred, sample_weight)
    return _deviance(truth, prediction, weight, power)


@checked()
def mean_poisson_deviance(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Mean Poisson deviance, the mean of 2 (y log(y / p) - y + p), for counts.

    >>> round(mean_poisson_deviance([2, 0, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.426
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


@checked()
def mean_gamma_deviance(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None) -> float:
    """Mean gamma deviance, the mean of 2 (log(p / y) + y / p - 1), for positive numbers; it depends on ratios only.

    >>> round(mean_gamma_deviance([2, 0.5, 1, 4], [0.5, 0.5, 2.0, 2.0]), 4)
    1.0569
    """
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


@checked()
def d2_tweedie_score(y_true: Rows, y_pred: Rows, *, sample_weight: Rows | None = None, power: float = 0) -> float:
    """D² of the Tweedie deviance: the fraction of the deviance around the mean explained by predictions.

    It equals R² for power 0.

    >>> round(d2_tweedie_score([0.5, 1, 2.5, 7], [1, 1, 5, 3.5], power=1), 4)
    0.4879
    """
    truth, prediction, weight = one_target("d2_tweedie_score", y_true, y_pred, sample_weight)
    if len(truth) < 2:
        return float(regression_errors.undefined_for_one_row(truth, "D^2 score")[0])
    mean = np.full_like(truth, centre(truth, weight))
    missed, spread = _deviance(truth, prediction, weight, power), _deviance(truth, mean, weight, power)
    return 1 - missed / spread if spread else float("nan" if missed == 0 else "-inf")


def _deviance(truth: Array, prediction: Array, weight: Array | None, power: float) -> float:
    _check_range(truth, prediction, power)
    return float(regression_errors.tweedie_deviance(truth, prediction, weight, power)[0])


def _check_range(truth: Array, prediction: Array, power: float) -> None:
    """The family of a power has targets in a range of its own."""
    if 0 < power < 1:
        raise ParameterError(f"mean_tweedie_deviance: power must be at most 0 or at least 1; got {power!r}")
    words = f"Mean Tweedie deviance error with power={power} can only be used on "
    if power != 0 and (prediction <= 0).any():
        need = "" if power < 0 else ("non-negative y and " if power < 2 else "strictly positive y and ")
        raise DataError(words + need + "strictly positive y_pred.")
    if 1 <= power < 2 and (truth < 0).any():
        raise DataError(words + "non-negative y and strictly positive y_pred.")
    if power >= 2 and (truth <= 0).any():
        raise DataError(words + "strictly positive y and y_pred.")
