"""The kernel of inner products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.declare import registry
from ._pairs import RowPairs
from .covariance_function import PairKernel
from .hyperparameter import Bounds, Hyperparameter


@registry.named("gaussian_process.kernels.DotProduct")
@dataclass(eq=False, repr=False)
class DotProduct(PairKernel):
    """Dot-product kernel, sigma_0^2 + x'z: Bayesian linear regression; with a power, of polynomials.

    >>> DotProduct(1.0)([[2.0]], [[3.0]])
    array([[7.]])
    """

    sigma_0: float = 1.0
    sigma_0_bounds: Bounds = (1e-5, 1e5)

    @property
    def hyperparameter_sigma_0(self) -> Hyperparameter:
        """The standard deviation of the intercept."""
        return Hyperparameter("sigma_0", "numeric", self.sigma_0_bounds)

    def is_stationary(self) -> bool:
        """Whether k(x, z) depends on x - z alone: False."""
        return False

    def _values(self, pairs: RowPairs) -> Array:
        return pairs.products + self.sigma_0**2

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        if not self.hyperparameter_sigma_0.fixed:
            yield np.full(pairs.shape, 2.0 * self.sigma_0**2)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(sigma_0={self.sigma_0:.3g})"
