"""The attention layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .layer import Layer, Shape, check_count


@registry.value
@dataclass(frozen=True)
class Attention(Layer):
    """Self-attention with one head: softmax(Q K' / sqrt(units)) V, where Q, K and V are linear in the steps.

    [Vaswani et al., 2017]

    >>> Attention(4).output_shape((10, 8))
    (10, 4)
    """

    units: int

    def __post_init__(self) -> None:
        check_count(self, units=self.units)

    def output_shape(self, shape: Shape) -> Shape:
        if len(shape) != 2:
            raise self.refuse(shape, "(steps, channels)")
        return (shape[0], self.units)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"weights": (shape[1], 3 * self.units), "intercepts": (3 * self.units,)}

    def operations(self, shape: Shape) -> int:
        return 2 * shape[0] * shape[1] * 3 * self.units + 4 * shape[0] ** 2 * self.units
