"""Batch normalisation."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .layer import Layer, Shape, check_fraction


@registry.value
@dataclass(frozen=True)
class BatchNorm(Layer):
    """Batch normalisation: each channel with mean 0 and variance 1 over the batch, then scaled and shifted.

    In training by the moments of the batch, of which running means are kept; in prediction by those. [Ioffe and
    Szegedy, 2015]

    >>> BatchNorm().weight_shapes((8, 8, 16))
    {'scale': (16,), 'shift': (16,)}
    """

    momentum: float = 0.9
    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        check_fraction(self, momentum=self.momentum, epsilon=self.epsilon)

    def output_shape(self, shape: Shape) -> Shape:
        return shape

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"scale": shape[-1:], "shift": shape[-1:]}

    def statistic_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"mean": shape[-1:], "variance": shape[-1:]}
