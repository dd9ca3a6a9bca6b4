"""Covariances of rows and their shrinkage, as functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked, limits, numbers
from ..core.errors import DataError
from ..core.validate.features import FeatureValidator
from ..engines.algebra.covariances import shrunk
from ._moments import scatter_of, warn_of_one_row
from ._shrinkage import ledoit_wolf_of, oas_of


def rows_of(owner: str, X: Any) -> Array:
    """The argument X of a function as a checked matrix."""
    if np.ndim(X) == 1:
        X = np.reshape(X, (1, -1))
    found = np.asarray(FeatureValidator(owner).matrix(X)[0])
    warn_of_one_row(found)
    return found


@checked()
def empirical_covariance(X: Rows, *, assume_centered: bool = False) -> Array:
    """The maximum likelihood covariance of the rows of X, divided by their number.

    >>> empirical_covariance([[0.0, 1.0], [1.0, 0.0]])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    rows = rows_of("empirical_covariance", X)
    return scatter_of(rows, None, assume_centered).covariance.astype(rows.dtype, copy=False)


@checked(shrinkage=limits(at_least=0, at_most=1))
def shrunk_covariance(emp_cov: Rows, shrinkage: float = 0.1) -> Array:
    """A covariance, or each of several, shrunk towards its mean variance: (1 - s) S + s tr(S)/p I.

    >>> shrunk_covariance([[1.0, 1.0], [1.0, 1.0]], 0.5)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    given = np.asarray(emp_cov)
    shape = (None,) * max(given.ndim, 2)
    stack = numbers("shrunk_covariance", "emp_cov", given, *shape)
    _require_square("shrunk_covariance", stack)
    flat = stack.reshape(-1, *stack.shape[-2:])
    return np.stack([shrunk(one, shrinkage) for one in flat]).reshape(stack.shape)


@checked()
def ledoit_wolf_shrinkage(X: Rows, assume_centered: bool = False, block_size: int = 1000) -> float:
    """The Ledoit-Wolf shrinkage of the covariance of the rows of X.

    >>> round(ledoit_wolf_shrinkage([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0], [-3.0, -1.0]]), 3)
    0.355
    """
    return ledoit_wolf_of(rows_of("ledoit_wolf_shrinkage", X), None, assume_centered)[2]


@checked()
def ledoit_wolf(X: Rows, *, assume_centered: bool = False, block_size: int = 1000) -> tuple[Array, float]:
    """The Ledoit-Wolf covariance of the rows of X, and its shrinkage.

    >>> covariance, shrinkage = ledoit_wolf([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0], [-3.0, -1.0]])
    >>> covariance.round(3)
    array([[4.202, 0.968],
           [0.968, 1.298]])
    """
    return ledoit_wolf_of(rows_of("ledoit_wolf", X), None, assume_centered)[1:]


@checked()
def oas(X: Rows, *, assume_centered: bool = False) -> tuple[Array, float]:
    """The oracle approximating shrinkage covariance of the rows of X, and its shrinkage.

    >>> round(oas([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0], [-3.0, -1.0]])[1], 3)
    0.821
    """
    return oas_of(rows_of("oas", X), None, assume_centered)[1:]


@checked()
def log_likelihood(emp_cov: Rows, precision: Rows) -> float:
    """The mean log likelihood of rows of a covariance under the normal distribution with a precision matrix.

    >>> round(log_likelihood([[1.0]], [[1.0]]), 4)
    -1.4189
    """
    S = numbers("log_likelihood", "emp_cov", emp_cov, None, None)
    P = numbers("log_likelihood", "precision", precision, *S.shape)
    _require_square("log_likelihood", S)
    sign, log_determinant = np.linalg.slogdet(P)
    if sign <= 0:
        return -np.inf
    return float(log_determinant - (S * P).sum() - len(P) * np.log(2 * np.pi)) / 2


def _require_square(owner: str, matrices: Array) -> None:
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise DataError(f"{owner}: a covariance must be square; got the shape {matrices.shape}")
