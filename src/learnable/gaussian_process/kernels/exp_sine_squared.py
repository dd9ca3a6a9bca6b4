"""The periodic kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.declare import registry
from ._pairs import RowPairs
from .covariance_function import NormalizedKernelMixin, PairKernel, StationaryKernelMixin
from .hyperparameter import Bounds, Hyperparameter


@registry.named("gaussian_process.kernels.ExpSineSquared")
@dataclass(eq=False, repr=False)
class ExpSineSquared(StationaryKernelMixin, NormalizedKernelMixin, PairKernel):
    """Periodic (exp-sine-squared) kernel, exp(-2 sin^2(pi |x - z| / periodicity) / length_scale^2).

    Positive semi-definite for a single column; of several columns, multiply one kernel for each.

    >>> ExpSineSquared(1.0, periodicity=3.0)([[0.0]], [[3.0]]).round(4)
    array([[1.]])
    """

    length_scale: float = 1.0
    periodicity: float = 1.0
    length_scale_bounds: Bounds = (1e-5, 1e5)
    periodicity_bounds: Bounds = (1e-5, 1e5)

    @property
    def hyperparameter_length_scale(self) -> Hyperparameter:
        """The length scale."""
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_periodicity(self) -> Hyperparameter:
        """The period."""
        return Hyperparameter("periodicity", "numeric", self.periodicity_bounds)

    def _angle(self, pairs: RowPairs) -> Array:
        return pairs.once(("angle", id(self)), lambda: np.pi * pairs.distances / self.periodicity)

    def _values(self, pairs: RowPairs) -> Array:
        return np.exp(-2 * (np.sin(self._angle(pairs)) / self.length_scale) ** 2)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        angle, values = self._angle(pairs), pairs.values_of(self)
        if not self.hyperparameter_length_scale.fixed:
            yield values * (2 * np.sin(angle) / self.length_scale) ** 2
        if not self.hyperparameter_periodicity.fixed:
            yield values * angle * np.sin(2 * angle) * (2 / self.length_scale**2)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(length_scale={self.length_scale:.3g}, periodicity={self.periodicity:.3g})"
