"""The embedding layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .layer import Layer, Shape, check_count


@registry.value
@dataclass(frozen=True)
class Embedding(Layer):
    """Embedding layer: a vector of `units` weights for each code, a whole number from 0 to below `codes`.

    >>> Embedding(100, 8).output_shape((20,))
    (20, 8)
    """

    codes: int
    units: int = 16

    def __post_init__(self) -> None:
        check_count(self, codes=self.codes, units=self.units)

    def output_shape(self, shape: Shape) -> Shape:
        if len(shape) != 1:
            raise self.refuse(shape, "(codes of a row,), and Embedding is the first layer")
        return (shape[0], self.units)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"weights": (self.codes, self.units)}

    def operations(self, shape: Shape) -> int:
        return 0
