"""How sure one can be of a share of errors."""

from __future__ import annotations

from typing import Literal

from ..core.declare.checked_functions import Rows, checked, limits
from ..core.errors import warn
from ..metrics import zero_one_loss
from ..parts.confidence_intervals import Interval, wald, wilson
from .finding import SHARE

MIN_NORMAL_ROWS = 30


@checked()
def sample_error(y_true: Rows, y_pred: Rows, sample_weight: Rows | None = None) -> float:
    """The error rate in a sample, an estimate of the error rate in the population.

    error = sum_i weight_i [y_i != prediction_i] / sum_i weight_i

    >>> sample_error(["a", "b", "a", "a"], ["a", "b", "b", "a"])
    0.25
    """
    return float(zero_one_loss(y_true, y_pred, sample_weight=sample_weight))


@checked(error=limits(at_least=0, at_most=1), n=limits(above=0), confidence=SHARE)
def error_interval(
    error: float, n: float, confidence: float = 0.95, method: Literal["wald", "wilson"] = "wald"
) -> Interval:
    """Confidence interval of the error rate, given that of `n` independent test rows.

    wald:    e +- z sqrt(e (1 - e) / n), clipped to [0, 1]; z = 1.96 for 95 %
    wilson:  all shares e' with |e - e'| <= z sqrt(e' (1 - e') / n)

    The first is the textbook's, and needs more than 30 rows and n e (1 - e) of about 5: it warns below that, and for an
    error of 0 or 1 its interval has no width at all. Use method="wilson" there: it holds for few rows and for errors
    near and at 0 and 1. [Wilson, 1927]

    >>> [round(end, 4) for end in error_interval(0.22, 50)]
    [0.1052, 0.3348]
    >>> [round(end, 4) for end in error_interval(0.0, 20, method="wilson")]
    [0.0, 0.1611]
    """
    if method == "wilson":
        return wilson(error * n, n, confidence)
    interval = wald(error, n, confidence)
    if n <= MIN_NORMAL_ROWS or n * error * (1 - error) < 5:
        why = (
            f"n = {n:g} is at most {MIN_NORMAL_ROWS}"
            if n <= MIN_NORMAL_ROWS
            else f"n e (1 - e) = {n * error * (1 - error):.2g} is below 5"
        )
        warn(f'error_interval: the normal approximation is poor, {why}; use method="wilson"', UserWarning)
    return interval
