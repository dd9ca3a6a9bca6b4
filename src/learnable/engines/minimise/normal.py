"""Symmetric systems with their condition number, and what a solver of least squares hands over."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.data import Array

WORST_CONDITION = 1e5  # of an equilibrated Gram matrix; beyond it an orthogonal factorisation is used where it fits


class Candidate(NamedTuple):
    """An answer before it is tried: `coef` (features, targets) and what the factorisation knows.

    `invert` applies (X'SX + alpha)^-1, None if unknown; `final` says that nothing is gained by correcting the answer.
    `freedom` is the effective number of coefficients. `root_inverse` is the root of the diagonal of the covariance of
    the coefficients for noise of size one, None if unknown. `intercept` is None where it follows from the means.
    """

    coef: Array
    invert: Callable[[Array], Array] | None
    rank: int
    condition: float
    freedom: float
    method: str
    root_inverse: Array | None = None
    intercept_root: float = np.nan
    intercept: Array | None = None
    final: bool = False


class NormalEquations:
    """(G + alpha I) w = c by Cholesky, after scaling every diagonal entry to one."""

    def __init__(self, gram: Array, alpha: float) -> None:
        diagonal = gram.diagonal() + alpha
        self._scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        system = gram * self._scale[:, None] * self._scale
        np.fill_diagonal(system, np.where(diagonal > 0, 1.0, 0.0))
        self.condition, self.inverse = np.inf, system
        try:
            root = np.linalg.inv(np.linalg.cholesky(system))
        except np.linalg.LinAlgError:
            return
        inverse = root.T @ root
        self.condition = float(np.abs(system).sum(axis=0).max() * np.abs(inverse).sum(axis=0).max())
        self.inverse = inverse * self._scale[:, None] * self._scale

    def solve(self, right: Array) -> Array:
        """The answer for one or several right-hand sides."""
        solution: Array = self.inverse @ right
        return solution
