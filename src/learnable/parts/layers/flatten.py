"""The flattening layer."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ...core.declare import registry
from .layer import Layer, Shape


@registry.value
@dataclass(frozen=True)
class Flatten(Layer):
    """Flattening layer: the values of an image or a sequence side by side, as a dense layer takes them.

    >>> Flatten().output_shape((4, 4, 16))
    (256,)
    """

    @property
    def steps(self) -> tuple[Layer, ...]:
        return ()

    def output_shape(self, shape: Shape) -> Shape:
        return (prod(shape),)

    def operations(self, shape: Shape) -> int:
        return 0
