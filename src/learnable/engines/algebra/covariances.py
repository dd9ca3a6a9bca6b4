"""Covariances of rows: shrunk towards a multiple of the identity, by choice or by the lemma of Ledoit and Wolf."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ...core.errors import DataError, ParameterError
from ...core.roles.estimator import cloned
from ...core.scaling import power_of_two
from ...core.validate.features import Array
from .interruptible_lapack import interruptibly

FLOOR = 1e-6  # share of the mean variance in covariances that have no inverse


def shrunk(covariance: Array, shrinkage: float) -> Array:
    """(1 - s) C + s tr(C)/p I.

    >>> shrunk(np.diag([1.0, 3.0]), 0.5)
    array([[1.5, 0. ],
           [0. , 2.5]])
    """
    smaller = (1.0 - shrinkage) * covariance
    smaller.flat[:: len(covariance) + 1] += shrinkage * np.trace(covariance) / len(covariance)
    return np.asarray(smaller)


def ledoit_wolf_shrinkage(centred: Array, covariance: Array, weight: Array | None, columns: int | None = None) -> float:
    """The Ledoit-Wolf shrinkage, which minimises the expected squared error, from the variance of the rows' products.

    Rows may be written in axes of their span; `columns` then says how many columns there are. [Ledoit and Wolf, 2004]
    """
    n = float(len(centred) if weight is None else weight.sum())
    p = len(covariance) if columns is None else columns
    unit = power_of_two(np.sqrt(np.trace(covariance)))  # fourth powers of columns of any size are numbers then
    centred, covariance = centred * unit, covariance * unit * unit
    squares = np.einsum("ij,ij->i", centred, centred) ** 2
    fourth = float(squares.sum() if weight is None else weight @ squares) / n
    norm, trace = float((covariance**2).sum()), float(np.trace(covariance))
    scatter = (fourth - norm) / n
    apart = norm - trace**2 / p
    return float(min(max(scatter, 0.0) / apart, 1.0)) if scatter > 0 and apart > 0 else float(scatter > 0)


def standardised_ledoit_wolf(X: Array, weight: Array | None) -> Array:
    """The covariance of rows, shrunk by `ledoit_wolf_shrinkage` in columns of unit variance."""
    centred, covariance = _centred(X, weight)
    scale = np.sqrt(np.diag(covariance))
    scale[scale == 0] = 1.0
    centred = centred / scale
    correlation = covariance / np.outer(scale, scale)
    return np.asarray(shrunk(correlation, ledoit_wolf_shrinkage(centred, correlation, weight)) * np.outer(scale, scale))


def covariance_of(X: Array, weight: Array | None, shrinkage: Any, estimator: Any, owner: str) -> Array:
    """The covariance of rows (over their weight, not one less), shrunk as specified, or by a given estimator."""
    if estimator is not None:
        return _as_estimated(X, weight, estimator, owner)
    if shrinkage == "auto":
        return standardised_ledoit_wolf(X.astype(np.float64, copy=False), weight)
    _, covariance = _centred(X.astype(np.float64, copy=False), weight)
    return covariance if not shrinkage else shrunk(covariance, float(shrinkage))


def refuse_both(shrinkage: Any, estimator: Any, owner: str) -> None:
    """Refuse two ways of estimating a covariance at once."""
    if estimator is not None and shrinkage is not None and shrinkage != 0:
        raise ParameterError(f"{owner}: give either covariance_estimator or shrinkage, not both")


def _centred(X: Array, weight: Array | None) -> tuple[Array, Array]:
    mean = np.average(X, axis=0, weights=weight)
    centred = X - mean
    total = len(X) if weight is None else weight.sum()
    weighted = centred if weight is None else centred * weight[:, None]
    return centred, np.asarray(interruptibly(np.matmul, weighted.T, centred) / total)


def _as_estimated(X: Array, weight: Array | None, estimator: Any, owner: str) -> Array:
    copy = cloned(estimator)
    if weight is None:
        copy.fit(X)
    elif "sample_weight" in inspect.signature(copy.fit).parameters:
        copy.fit(X, sample_weight=weight)
    else:
        raise DataError(f"{owner}: the fit of {type(estimator).__name__} takes no sample_weight; leave the weights out")
    if not hasattr(copy, "covariance_"):
        raise ParameterError(f"{owner}: {type(estimator).__name__} does not have a covariance_ attribute")
    return np.atleast_2d(np.asarray(copy.covariance_, dtype=np.float64))


def has_inverse(covariance: Array, dtype: Any) -> bool:
    """Whether the correlation matrix is of full rank, beyond rounding."""
    deviations = np.sqrt(np.diag(covariance))
    if not deviations.all():
        return False
    least = np.linalg.eigvalsh(covariance / deviations / deviations[:, None])[0]
    return bool(least > 100 * len(covariance) * np.finfo(dtype).eps)
