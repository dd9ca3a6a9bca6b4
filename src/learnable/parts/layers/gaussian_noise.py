"""The layer of Gaussian noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Real

from ...core.declare import registry
from ...core.errors import ParameterError
from .layer import Layer, Shape


@registry.value
@dataclass(frozen=True)
class GaussianNoise(Layer):
    """Gaussian noise layer: in training, adds normal noise with standard deviation `scale` to each value.

    In prediction it does nothing. [Bishop, 1995]

    >>> GaussianNoise(0.2).output_shape((3,))
    (3,)
    """

    scale: float = 0.1

    def __post_init__(self) -> None:
        known = isinstance(self.scale, Real) and not isinstance(self.scale, bool)
        if not known or not isfinite(self.scale) or self.scale < 0:
            raise ParameterError(f"GaussianNoise: scale must be a number of at least 0; got {self.scale!r:.40}")

    def output_shape(self, shape: Shape) -> Shape:
        return shape
