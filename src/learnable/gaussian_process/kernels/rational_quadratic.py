"""The rational quadratic kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.declare import registry
from ._pairs import RowPairs
from .covariance_function import NormalizedKernelMixin, PairKernel, StationaryKernelMixin
from .hyperparameter import Bounds, Hyperparameter


@registry.named("gaussian_process.kernels.RationalQuadratic")
@dataclass(eq=False, repr=False)
class RationalQuadratic(StationaryKernelMixin, NormalizedKernelMixin, PairKernel):
    """Rational quadratic kernel, (1 + d^2 / (2 alpha))^-alpha with d = |x - z| / length_scale.

    A mixture of RBF kernels of many length scales; alpha to infinity is a single one.

    >>> RationalQuadratic(1.0, alpha=0.5)([[0.0]], [[1.0]]).round(4)
    array([[0.7071]])
    """

    length_scale: float = 1.0
    alpha: float = 1.0
    length_scale_bounds: Bounds = (1e-5, 1e5)
    alpha_bounds: Bounds = (1e-5, 1e5)

    @property
    def hyperparameter_length_scale(self) -> Hyperparameter:
        """The length scale."""
        return Hyperparameter("length_scale", "numeric", self.length_scale_bounds)

    @property
    def hyperparameter_alpha(self) -> Hyperparameter:
        """The mixture of length scales."""
        return Hyperparameter("alpha", "numeric", self.alpha_bounds)

    def _ratio(self, pairs: RowPairs) -> Array:
        """d^2 / (2 alpha)."""
        if np.size(self.length_scale) > 1:
            raise AttributeError(
                "RationalQuadratic kernel only supports isotropic version, please use a single scalar for length_scale"
            )
        scale = np.ravel(self.length_scale)[0]
        return pairs.once(("ratio", id(self)), lambda: pairs.squared_distances / (2 * self.alpha * scale**2))

    def _values(self, pairs: RowPairs) -> Array:
        return np.exp(-self.alpha * np.log1p(self._ratio(pairs)))

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        ratio, values = self._ratio(pairs), pairs.values_of(self)
        part = self.alpha * ratio / (1 + ratio)
        if not self.hyperparameter_alpha.fixed:
            yield values * (part - self.alpha * np.log1p(ratio))
        if not self.hyperparameter_length_scale.fixed:
            yield values * (2 * part)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(alpha={self.alpha:.3g}, length_scale={self.length_scale:.3g})"
