"""The dropout layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .layer import Layer, Shape, check_fraction


@registry.value
@dataclass(frozen=True)
class Dropout(Layer):
    """Dropout layer: in training, each value becomes zero with probability `rate`, and others are divided by 1 - rate.

    In prediction it does nothing. [Srivastava et al., 2014]

    >>> Dropout(0.2).output_shape((3,))
    (3,)
    """

    rate: float = 0.5

    def __post_init__(self) -> None:
        check_fraction(self, rate=self.rate)

    def output_shape(self, shape: Shape) -> Shape:
        return shape
