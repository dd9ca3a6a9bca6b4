"""Least squares with rows for every coefficient, by the normal equations (X'SX + alpha) w = X'S y."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ....core.runtime.native import kernels
from ...sufficient_statistics import Moments
from .select_solver import Factorisation
from .symmetric_systems import NormalEquations, UncheckedSolution


@dataclass(frozen=True, slots=True)
class PrimalEquations:
    """The equations, whose condition is known before they are solved."""

    moments: Moments
    system: NormalEquations
    alpha: float

    name: ClassVar[Factorisation] = "cholesky"

    @classmethod
    def of(cls, moments: Moments, alpha: float) -> PrimalEquations:
        return cls(moments, NormalEquations(moments.gram, alpha), alpha)

    def solve(self) -> UncheckedSolution:
        """The solution, with the factors of its standard errors."""
        moments, system, columns = self.moments, self.system, len(self.moments.gram)
        root, trace, variance_at_mean = kernels.coefficient_spread(system.inverse, moments.mean_x, self.alpha)
        return UncheckedSolution(
            coef=system.solve(moments.cross),
            invert=system.solve,
            rank=columns,
            condition=system.condition,
            freedom=columns - self.alpha * trace,
            method=self.name,
            root_inverse=root,
            intercept_root=math.sqrt(1 / moments.weight + max(variance_at_mean, 0.0)),
        )
