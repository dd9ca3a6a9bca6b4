"""Images of rows written out, where they can be: their inner products are the kernel."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..parts.kernels.semidefinite import ROUNDING
from .kernel_matrices import square


def polynomial_map_size(columns: int, degree: int) -> int:
    """The number of features of an inhomogeneous polynomial kernel: (columns + degree) over degree.

    >>> polynomial_map_size(784, 2)
    308505
    """
    if columns != int(columns) or degree != int(degree) or columns < 1 or degree < 0:
        raise ParameterError(
            "polynomial_map_size: columns and degree must be whole numbers, at least 1 and 0; "
            f"got {columns!r} and {degree!r}"
        )
    return comb(int(columns) + int(degree), int(degree))


@checks_sparse
def polynomial_map(X: Any, degree: int = 2, *, gamma: float = 1.0, coef0: float = 1.0) -> Array:
    """Feature map of the polynomial kernel (gamma x'z + coef0)^degree: all products of columns, suitably weighted.

    >>> polynomial_map([[3.0]], 2).round(4).tolist()
    [[1.0, 4.2426, 9.0]]
    """
    rows = np.asarray(FeatureValidator("polynomial_map").matrix(X)[0], dtype=np.float64)
    if degree < 0 or degree != int(degree) or gamma < 0 or coef0 < 0:
        raise ParameterError(
            "polynomial_map: degree must be a whole number, gamma and coef0 at least 0; "
            f"got {degree}, {gamma} and {coef0}"
        )
    found = []
    for order in range(int(degree) + 1):
        scale = comb(int(degree), order) * coef0 ** (int(degree) - order) * gamma**order
        if scale == 0 and order < degree:  # without a constant only products of the full degree are there
            continue
        for chosen in combinations_with_replacement(range(rows.shape[1]), order):
            powers = np.bincount(chosen, minlength=rows.shape[1]) if chosen else np.zeros(0, dtype=int)
            ways = factorial(order) / np.prod([factorial(power) for power in powers])
            found.append(np.sqrt(scale * ways) * np.prod(rows[:, list(chosen)], axis=1))
    return np.column_stack(found)


@checks_sparse
def gaussian_map(X: Any, gamma: float = 1.0, terms: int = 20) -> Array:
    """The first terms of the feature map of the Gaussian kernel exp(-gamma (x - z)^2) of one column.

    phi_k(x) = exp(-gamma x^2) sqrt((2 gamma)^k / k!) x^k,    k = 0, 1, ..., terms - 1

    Inner products of these converge to the kernel, the faster the smaller gamma |x z|.

    >>> left, right = gaussian_map([[0.7], [-0.4]])
    >>> round(float(left @ right), 5)
    0.2982
    """
    rows = np.asarray(FeatureValidator("gaussian_map").matrix(X)[0], dtype=np.float64)
    if rows.shape[1] != 1:
        raise DataError(f"gaussian_map: X must have one column; got {rows.shape[1]}")
    if not (0 <= gamma < np.inf and terms == int(terms) and terms >= 1):
        raise ParameterError(
            f"gaussian_map: gamma must be at least 0 and terms a whole number above 0; got {gamma!r} and {terms!r}"
        )
    ratios = np.sqrt(2 * gamma / np.arange(1, terms)) * rows
    steps = np.hstack([np.exp(-gamma * rows**2), ratios])
    return np.cumprod(steps, axis=1)


@checks_sparse
def empirical_features(K: Any) -> Array:
    """Empirical kernel map: coordinates of the training rows whose inner products are K.

    K = sum_k lambda_k e_k e_k',    phi(x_i) = (sqrt(lambda_k) e_ik)_k,    largest eigenvalues first

    Eigenvalues that are zero to rounding are left out; a matrix with negative ones is refused.

    >>> empirical_features([[4.0, 0.0], [0.0, 0.0]]).round(4).tolist()
    [[2.0], [0.0]]
    """
    matrix = square("empirical_features", K)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    rounding = 8 * len(matrix) * ROUNDING * float(np.abs(values).max())
    if values[0] < -rounding:
        raise DataError(
            f"empirical_features: K has the negative eigenvalue {values[0]:.3g}: it holds no inner products; "
            "use a kernel that is positive semi-definite"
        )
    kept = np.flatnonzero(values > rounding)[::-1]
    signs = np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))] < 0, -1.0, 1.0)
    return np.asarray((vectors * signs)[:, kept] * np.sqrt(values[kept]))
