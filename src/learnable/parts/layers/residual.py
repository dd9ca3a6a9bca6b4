"""The residual block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.declare import registry
from ...core.errors import ParameterError
from .layer import Layer, Shape


@registry.value
@dataclass(frozen=True)
class Residual(Layer):
    """Residual block: x + f(x), where f are the layers in it, which must keep the shape.

    [He et al., 2016]

    >>> from learnable.parts.layers import Dense
    >>> Residual([Dense(8, "relu"), Dense(8)]).parameters((8,))
    144
    """

    layers: tuple[Any, ...] | list[Any] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", tuple(self.layers))
        if not self.layers or not all(isinstance(layer, Layer) for layer in self.layers):
            raise ParameterError(f"Residual: layers must be a list of layers; got {self.layers!r:.60}")

    def output_shape(self, shape: Shape) -> Shape:
        after = shape
        for layer in self.layers:
            after = layer.output_shape(after)
        if after != shape:
            raise ParameterError(
                f"Residual: its layers must keep the shape {shape}, to which they add; they make {after}"
            )
        return after

    def parameters(self, shape: Shape) -> int:
        total = 0
        for layer in self.layers:
            total, shape = total + layer.parameters(shape), layer.output_shape(shape)
        return total

    def operations(self, shape: Shape) -> int:
        total = 0
        for layer in self.layers:
            total, shape = total + layer.operations(shape), layer.output_shape(shape)
        return total

    @property
    def window(self) -> tuple[int, int]:
        field = 1
        for layer in self.layers:
            field += layer.window[0] - 1
        return field, 1
