"""Kernels of a constant and of noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.declare import registry
from ._pairs import RowPairs
from .covariance_function import GenericKernelMixin, PairKernel, StationaryKernelMixin
from .hyperparameter import Bounds, Hyperparameter


@registry.named("gaussian_process.kernels.ConstantKernel")
@dataclass(eq=False, repr=False)
class ConstantKernel(StationaryKernelMixin, GenericKernelMixin, PairKernel):
    """Constant kernel, k(x, z) = c: the variance of an offset, or the scale of another kernel in a product.

    >>> ConstantKernel(4.0)([[0.0], [1.0]])
    array([[4., 4.],
           [4., 4.]])
    """

    constant_value: float = 1.0
    constant_value_bounds: Bounds = (1e-5, 1e5)

    @property
    def hyperparameter_constant_value(self) -> Hyperparameter:
        """The constant."""
        return Hyperparameter("constant_value", "numeric", self.constant_value_bounds)

    def _values(self, pairs: RowPairs) -> Array:
        return np.broadcast_to(float(self.constant_value), pairs.shape)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        if not self.hyperparameter_constant_value.fixed:
            yield pairs.values_of(self)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        return np.array([] if self.hyperparameter_constant_value.fixed else [self.constant_value * weights.sum()])

    def __repr__(self) -> str:
        return f"{np.sqrt(self.constant_value):.3g}**2"


@registry.named("gaussian_process.kernels.WhiteKernel")
@dataclass(eq=False, repr=False)
class WhiteKernel(StationaryKernelMixin, GenericKernelMixin, PairKernel):
    """White noise kernel: k(x, z) is the noise variance if x and z are the same sample, else 0.

    >>> WhiteKernel(0.5)([[0.0], [1.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    noise_level: float = 1.0
    noise_level_bounds: Bounds = (1e-5, 1e5)

    @property
    def hyperparameter_noise_level(self) -> Hyperparameter:
        """The variance of the noise."""
        return Hyperparameter("noise_level", "numeric", self.noise_level_bounds)

    def _values(self, pairs: RowPairs) -> Array:
        return float(self.noise_level) * pairs.identity()

    def _add_to(self, pairs: RowPairs, total: Array) -> None:
        pairs.add_to_same(total, float(self.noise_level))

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        if not self.hyperparameter_noise_level.fixed:
            yield pairs.values_of(self)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        if self.hyperparameter_noise_level.fixed:
            return np.array([])
        return np.array([self.noise_level * pairs.sum_of_same(weights)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(noise_level={self.noise_level:.3g})"
