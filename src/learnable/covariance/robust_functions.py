"""The minimum covariance determinant as a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState
from ..core.declare.checked_functions import checked, limits
from ..core.runtime.random import seed_of
from ..core.validate.features import FeatureValidator
from ._minimum_determinant import minimum_determinant
from ._moments import precision_of, squared_distances


@checked(support_fraction=limits(above=0, at_most=1))
def fast_mcd(
    X: Any,
    support_fraction: float | None = None,
    cov_computation_method: Callable[..., Any] | None = None,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array, Array]:
    """The minimum covariance determinant (FastMCD): location and covariance of the most concentrated rows.

    Returns the location, the covariance, which rows are among them, and the squared distances of all rows. It is not
    corrected for consistency; `MinCovDet` is. `cov_computation_method` may compute the covariance of the chosen rows.
    [Rousseeuw and van Driessen, 1999]

    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.4], [90.0, 90.0]]
    >>> location, covariance, support, distance = fast_mcd(X, random_state=0)
    >>> support
    array([ True,  True,  True,  True,  True, False])
    """
    if np.ndim(X) == 1:
        raise DataError("fast_mcd: Expected 2D array, got 1D array instead; X must have rows and columns")
    rows = np.asarray(FeatureValidator("fast_mcd").matrix(X)[0], dtype=np.float64)
    found = minimum_determinant(rows, None, support_fraction, seed_of(random_state))
    covariance = found.covariance
    if cov_computation_method is not None:
        covariance = np.asarray(cov_computation_method(rows[found.support]), dtype=np.float64)
    distance = squared_distances(rows, found.location, covariance, precision_of(covariance))
    return found.location, covariance, found.support, distance
