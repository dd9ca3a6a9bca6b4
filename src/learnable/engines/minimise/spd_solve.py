"""Symmetric positive systems, solved by Cholesky after scaling their diagonal to one."""

from __future__ import annotations

import numpy as np

from ...core.numeric import EPSILON
from ...core.runtime.threads import scipy_linalg
from ...core.validate.features import Array
from ..algebra.interruptible_lapack import interruptibly

MAX_EXPLICIT_INVERSE = 100  # columns up to which an explicit inverse is as quick as SciPy and spares its import
MIN_PIVOT = 1e-11


class PositiveSystem:
    """H x = r for a positive semi-definite H; where H is singular, the minimum-norm solution in scaled units.

    A diagonal of some rounding errors is added before factorising, and more of it if that fails or nearly does: it
    changes the solution only in directions of negligible curvature. Where the diagonal is zero, so is the solution.

    >>> PositiveSystem(np.array([[4.0, 0.0], [0.0, 1.0]])).solve(np.array([8.0, 1.0])).round(9).tolist()
    [2.0, 1.0]
    """

    def __init__(self, matrix: Array) -> None:
        diagonal = matrix.diagonal()
        self._scale = np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0)), 0.0)
        system = matrix * self._scale[:, None] * self._scale
        for extra in (4 * len(matrix) * EPSILON, 1e-9, 1e-6, 1e-3, 1.0, float(len(matrix))):
            np.fill_diagonal(system, 1 + extra)
            try:
                self._lower = interruptibly(np.linalg.cholesky, system)
            except np.linalg.LinAlgError:
                continue
            if extra >= 1e-9 or self._lower.diagonal().min() ** 2 > MIN_PIVOT:
                break
        else:
            raise np.linalg.LinAlgError("the matrix is far from positive semi-definite")
        self._inverse = _inverse(self._lower) if len(matrix) <= MAX_EXPLICIT_INVERSE else None

    def solve(self, right: Array) -> Array:
        """The solution for one right-hand side, or one for each column."""
        scale = self._scale if right.ndim == 1 else self._scale[:, None]
        scaled = scale * right
        if self._inverse is not None:
            solution: Array = self._inverse @ scaled
        else:
            solution = scipy_linalg().cho_solve((self._lower, True), scaled)
        return scale * solution

    def inverse(self) -> Array:
        """H^-1."""
        inverse = interruptibly(_inverse, self._lower) if self._inverse is None else self._inverse
        return inverse * self._scale[:, None] * self._scale


def _inverse(lower: Array) -> Array:
    root = np.linalg.inv(lower)
    return root.T @ root
