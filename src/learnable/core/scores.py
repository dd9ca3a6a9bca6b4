"""The share of a spread that predictions explain."""

from __future__ import annotations

import numpy as np

from .data import Array
from .errors import warn

FARTHEST = 256  # power of two beyond which sums of squares may leave the range


def explained_share(missed: Array, spread: Array, force_finite: bool = True) -> Array:
    """1 - missed / spread; without any spread it is 1 where nothing was missed and 0 where something was.

    `force_finite=False` leaves the quotient as it is: NaN or minus infinity there.

    >>> explained_share(np.array([1.0, 0.0, 2.0]), np.array([4.0, 0.0, 0.0])).tolist()
    [0.75, 1.0, 0.0]
    """
    if not force_finite:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - missed / spread)
    varied = spread != 0
    return np.where(varied, 1 - missed / np.where(varied, spread, 1), np.where(missed != 0, 0.0, 1.0))


def squares(truth: Array, prediction: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """For each target (column): the weighted squares that predictions miss, and those around the mean.

    Both are in the same unit, another than the data's where squares would leave the range.
    """
    weight = np.ones(len(truth)) if weight is None else weight
    exponent = int(np.frexp(max(np.abs(truth).max(initial=0), np.abs(prediction).max(initial=0)))[1])
    if abs(exponent) > FARTHEST:
        truth, prediction = np.ldexp(truth, -exponent), np.ldexp(prediction, -exponent)
    missed = weight @ (truth - prediction) ** 2
    spread = weight @ (truth - np.average(truth, axis=0, weights=weight)) ** 2
    return missed, spread


def r_squared(truth: Array, prediction: Array, weight: Array | None = None) -> float:
    """Share of the spread of `truth` that `prediction` explains, averaged over targets; 1 or 0 without any spread."""
    if len(truth) < 2:
        warn("R² is not well-defined with less than two samples.", UserWarning)
        return float("nan")
    truth, prediction = truth.reshape(len(truth), -1), prediction.reshape(len(truth), -1)
    return float(explained_share(*squares(truth, prediction, weight)).mean())
