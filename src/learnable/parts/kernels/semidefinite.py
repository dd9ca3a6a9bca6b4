"""Test of positive semi-definite matrices."""

from __future__ import annotations

import numpy as np

from ...core.validate.features import Array

ROUNDING = float(np.finfo(np.float64).eps)


def is_semidefinite(matrix: Array, tolerance: float | None = None) -> bool:
    """Whether a square matrix is symmetric without negative eigenvalues, up to `tolerance` or rounding.

    >>> is_semidefinite(np.array([[2.0, 1.0], [1.0, 2.0]])), is_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]))
    (True, False)
    """
    slack = 8 * len(matrix) * ROUNDING * float(np.abs(matrix).max()) if tolerance is None else tolerance
    if np.abs(matrix - matrix.T).max() > slack:
        return False
    return bool(np.linalg.eigvalsh(matrix)[0] >= -slack)
