"""The coefficient of determination R^2."""

from __future__ import annotations

import numpy as np

from .errors import DataError, warn
from .scaling import in_common_unit
from .validate.features import Array

MIN_SUM, MAX_SUM = 1e-280, 1e280  # sums of squares between which none of them left the range


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


def centre(values: Array, weight: Array | None = None) -> Array:
    """The weighted mean of every column, exact where all rows that count hold the same number.

    Distances from the heaviest row are averaged, so rounding cannot give a constant target a spread.

    >>> centre(np.full((7, 1), 1.1)).item(), np.full(7, 1.1).mean().item()
    (1.1, 1.0999999999999999)
    """
    known = values[0] if weight is None else values[np.argmax(weight)]
    return np.asarray(known + np.average(values - known, axis=0, weights=weight))


def squares(truth: Array, prediction: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """For each target (column): the weighted residual sum of squares, and the total sum of squares around the mean.

    Both are in the same unit, which is not that of the data if their squares would overflow.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = _squares(truth, prediction, weight)
    if all(float(sums.min(initial=1.0)) > MIN_SUM and float(sums.max(initial=1.0)) < MAX_SUM for sums in found):
        return found
    return _squares(*in_common_unit(truth, prediction)[:2], weight)


def _squares(truth: Array, prediction: Array, weight: Array | None) -> tuple[Array, Array]:
    missed, apart = np.square(truth - prediction), np.square(truth - centre(truth, weight))
    if weight is None:
        return missed.sum(axis=0), apart.sum(axis=0)
    return weight @ missed, weight @ apart


def r_squared(truth: Array, prediction: Array, weight: Array | None = None) -> float:
    """Share of the spread of `truth` that `prediction` explains, averaged over targets; 1 or 0 without any spread."""
    if len(truth) < 2:
        warn("R² needs at least two rows; it is NaN otherwise.", UserWarning)
        return float("nan")
    truth, prediction = truth.reshape(len(truth), -1), prediction.reshape(len(truth), -1)
    if prediction.dtype.kind not in "fiub":
        raise DataError(f"R² needs predictions that are numbers; these are {prediction.dtype}")
    if truth.shape != prediction.shape:
        raise DataError(f"y has {truth.shape[1]} targets; predictions have {prediction.shape[1]}")
    return float(explained_share(*squares(truth, prediction, weight)).mean())
