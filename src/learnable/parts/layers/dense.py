"""The dense layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .activation import Activation
from .layer import ActivationName, Layer, Shape, check_activation, check_count


@registry.value
@dataclass(frozen=True)
class Dense(Layer):
    """Dense (fully connected) layer: g(x W + b), every unit from all values of the row.

    >>> layer = Dense(5, "relu")
    >>> layer.output_shape((10,)), layer.parameters((10,))
    ((5,), 55)
    """

    units: int
    activation: ActivationName = "identity"

    def __post_init__(self) -> None:
        check_count(self, units=self.units)
        check_activation(self, self.activation)

    @property
    def steps(self) -> tuple[Layer, ...]:
        plain = Dense(self.units)
        return (plain,) if self.activation == "identity" else (plain, Activation(self.activation))

    def output_shape(self, shape: Shape) -> Shape:
        if len(shape) != 1:
            raise self.refuse(shape, "(columns,); put Flatten(), GlobalPool() or a recurrent layer before it")
        return (self.units,)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {"weights": (shape[0], self.units), "intercepts": (self.units,)}

    def operations(self, shape: Shape) -> int:
        return 2 * shape[0] * self.units + self.units
