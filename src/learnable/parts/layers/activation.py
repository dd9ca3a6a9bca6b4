"""The activation layer."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.declare import registry
from .layer import ActivationName, Layer, Shape, check_activation


@registry.value
@dataclass(frozen=True)
class Activation(Layer):
    """Activation layer: an activation function of every value.

    >>> Activation("tanh").output_shape((3,))
    (3,)
    """

    activation: ActivationName = "relu"

    def __post_init__(self) -> None:
        check_activation(self, self.activation)

    def output_shape(self, shape: Shape) -> Shape:
        return shape
