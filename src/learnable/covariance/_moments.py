"""Means, covariances and Mahalanobis distances of rows, in units in which squares neither overflow nor vanish."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core import Array, Data
from ..core.errors import DataError, warn
from ..core.scaling import power_of_two_scales
from ..engines.algebra.interruptible_lapack import interruptibly

MAX_LOST = 1e-12  # eigenvalues of a correlation matrix below this are rounding


class LocationAndCovariance(NamedTuple):
    """The mean of rows and their covariance, divided by the total weight."""

    location: Array
    covariance: Array


def scatter_of(X: Array, weight: Array | None, assume_centered: bool) -> LocationAndCovariance:
    """Mean and maximum likelihood covariance; about zero if rows are said to be centred."""
    unit = power_of_two_scales(X)
    scaled = X.astype(np.float64) * unit
    weights = np.full(len(X), 1 / len(X)) if weight is None else weight / weight.sum()
    if assume_centered:
        mean, centred = np.zeros(X.shape[1]), scaled
    else:
        first = scaled[int(np.argmax(weights > 0))]  # so that columns that do not vary are exactly zero
        centred = scaled - first
        mean = weights @ centred
        centred -= mean
        mean = mean + first
    products = interruptibly(np.matmul, np.ascontiguousarray((centred * weights[:, None]).T), centred)
    return LocationAndCovariance(mean / unit, (products + products.T) / 2 / unit / unit[:, None])


def precision_of(covariance: Array) -> Array:
    """The inverse of a covariance; of a singular one, the pseudo-inverse in columns of unit variance.

    >>> precision_of(np.diag([4.0, 0.0]))
    array([[0.25, 0.  ],
           [0.  , 0.  ]])
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale[scale == 0] = 1.0
    values, vectors = interruptibly(np.linalg.eigh, covariance / scale / scale[:, None])
    kept = np.abs(values) > MAX_LOST * max(float(np.abs(values).max(initial=0.0)), np.finfo(np.float64).tiny)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return np.asarray((inverse + inverse.T) / 2 / scale / scale[:, None])


def squared_distances(X: Array, location: Array, covariance: Array, precision: Array) -> Array:
    """Squared Mahalanobis distances (x - location)' precision (x - location), never below zero."""
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale[scale == 0] = 1.0
    centred = (X - location) / scale
    standard = precision * scale * scale[:, None]
    return np.asarray(np.maximum(np.einsum("ij,ij->i", centred @ standard, centred), 0.0))


def average_log_likelihood(covariance: Array, precision: Array) -> float:
    """The log likelihood of a normal distribution per row, for rows that have this covariance about its mean."""
    p = len(precision)
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale[scale == 0] = 1.0
    standard = precision * scale * scale[:, None]
    sign, log_determinant = np.linalg.slogdet(standard)
    if sign <= 0:
        return -np.inf
    product = float((covariance / scale / scale[:, None] * standard).sum())
    return float(log_determinant - 2 * np.log(scale).sum() - product - p * np.log(2 * np.pi)) / 2


def warn_of_one_row(X: Array) -> None:
    """Say that one row has no covariance."""
    if len(X) == 1:
        warn("Only one sample available. You may want to reshape your data array", UserWarning)


def refuse_one_row(data: Data, owner: str) -> None:
    """Refuse one row, whose covariance is zero."""
    if data.n == 1:
        raise DataError(f"{owner}: X has one sample, of which nothing varies; at least 2 rows are needed")
