"""Least squares with fewer rows than coefficients, by the dual:  w = A'a,  (A A' + alpha) a = y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...sufficient_statistics import Marginals
from .helmert_basis import Contrasts
from .select_solver import Factorisation
from .symmetric_systems import NormalEquations, RidgeDual, UncheckedSolution


@dataclass(frozen=True, slots=True)
class DualEquations:
    """The equations, with their condition number; A is centred and root-weighted.

    `right` is the target, prepared likewise, and `kernel` holds the products of all pairs of rows.
    """

    X: Matrix
    mean_x: Array
    root: Array
    contrasts: Contrasts
    right: Array
    kernel: Array
    system: NormalEquations
    alpha: float

    name: ClassVar[Factorisation] = "dual cholesky"

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> DualEquations:
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        contrasts = Contrasts.of(root, middle.centred)
        kernel = contrasts.of_pairs(matrix_products.centred_kernel(X, middle.mean_x) * root[:, None] * root)
        right = (y - middle.mean_y) * root[:, None]
        return cls(X, middle.mean_x, root, contrasts, right, kernel, NormalEquations(kernel, alpha), alpha)

    def solve(self) -> UncheckedSolution:
        """The minimum-norm solution."""
        system, right, alpha, size = self.system, self.right, self.alpha, len(self.system.inverse)
        dual = self.contrasts.rows(system.solve(self.contrasts.coordinates(right)))
        coef = matrix_products.centred_transposed_product(self.X, self.mean_x, dual * self.root[:, None])
        freedom = size - alpha * float(np.trace(system.inverse))
        gap = RidgeDual(dual, coef, right, alpha).gap if alpha > 0 else None
        return UncheckedSolution(coef, None, size, system.condition, freedom, self.name, gap=gap)
