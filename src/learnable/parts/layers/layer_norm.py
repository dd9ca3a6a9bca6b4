"""Layer normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...core.declare import registry
from .layer import Layer, Shape, check_fraction


@registry.value
@dataclass(frozen=True)
class LayerNorm(Layer):
    """Layer normalisation: the values of each row with mean 0 and variance 1, then scaled and shifted.

    [Ba, Kiros and Hinton, 2016]

    >>> LayerNorm().parameters((10,))
    20
    """

    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        check_fraction(self, epsilon=self.epsilon)

    def output_shape(self, shape: Shape) -> Shape:
        return shape

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"scale": (prod(shape),), "shift": (prod(shape),)}
