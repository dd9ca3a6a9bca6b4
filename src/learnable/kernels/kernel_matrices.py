"""Matrices of kernels: how they are made, whether they are any, and their centring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..parts.kernels import Custom, Kernel, resolve_kernel
from ..parts.kernels.semidefinite import is_semidefinite


@checks_sparse
def gram(
    X: Any,
    kernel: str | Callable[..., Any] | Kernel = "rbf",
    Y: Any = None,
    *,
    gamma: float | Literal["scale", "auto"] | None = None,
    degree: float = 3,
    coef0: float = 1.0,
) -> Array:
    """Kernel (Gram) matrix, K_ij = k(x_i, y_j), for all rows of X and Y (None: X again).

    The kernel is a name as in scikit-learn, an object such as `Gaussian(0.5) + Linear()`, or a function of two rows;
    for a function, rows may be anything: texts, sets, graphs.

    >>> gram([[0.0], [1.0]], "rbf", gamma=1.0).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    >>> gram(["spam", "maps", "eggs"], lambda left, right: len(set(left) & set(right))).tolist()
    [[4.0, 4.0, 1.0], [4.0, 4.0, 1.0], [1.0, 1.0, 3.0]]
    """
    if isinstance(kernel, Custom) or (callable(kernel) and not isinstance(kernel, Kernel)):
        return resolve_kernel(kernel, X, takes="rows")(X, Y)
    validator = FeatureValidator("gram", sparse=True, storage="csr")
    rows = validator.matrix(X)[0]
    others = None if Y is None or Y is X else validator.matrix(Y)[0]
    if others is not None and others.shape[1] != rows.shape[1]:
        raise DataError(f"gram: X has {rows.shape[1]} columns but Y has {others.shape[1]}; both need the same")
    return resolve_kernel(kernel, rows, gamma, degree, coef0)(rows, others)


def square(owner: str, K: Any) -> Array:
    """A kernel matrix of rows with themselves, checked, in double precision."""
    matrix = FeatureValidator(owner).matrix(K)[0].astype(np.float64, copy=False)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{owner}: K must be a square kernel matrix; got shape {matrix.shape}")
    return np.asarray(matrix)


@checks_sparse
def is_positive_semidefinite(K: Any, tolerance: float | None = None) -> bool:
    """Whether a matrix is symmetric without negative eigenvalues, so that it holds inner products (Mercer).

    K = K',    least eigenvalue >= -tolerance;    n times the rounding of the largest entry if not given

    >>> is_positive_semidefinite([[2.0, 1.0], [1.0, 2.0]]), is_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    (True, False)
    """
    return is_semidefinite(square("is_positive_semidefinite", K), tolerance)


@checks_sparse
def centre_gram(K: Any, new: Any = None) -> Array:
    """Kernel centring: the kernel matrix of centred feature vectors, H K H with H = I - 11'/n.

    With `new`, the kernel of new rows (first axis) and the training rows, centred by the mean of the training rows.
    `KernelCenterer` does the same as a transformer, with weights.

    >>> centre_gram([[1.0, 0.0], [0.0, 1.0]]).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    matrix = square("centre_gram", K)
    means = matrix.mean(axis=0)
    rows = matrix if new is None else FeatureValidator("centre_gram").matrix(new)[0]
    if rows.shape[1] != len(matrix):
        raise DataError(f"centre_gram: new must have a column for each of the {len(matrix)} rows; got {rows.shape[1]}")
    return np.asarray(rows - means - rows.mean(axis=1, keepdims=True) + means.mean())
