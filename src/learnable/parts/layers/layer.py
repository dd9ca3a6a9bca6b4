"""Base class of layers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod
from numbers import Integral, Real
from typing import Any, Literal

from ...core.errors import ParameterError

Shape = tuple[int, ...]  # of the values of one row: (columns,), (steps, channels) or (rows, columns, channels)
ActivationName = Literal[
    "identity", "logistic", "tanh", "relu", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "softplus"
]
ACTIVATIONS: tuple[str, ...] = ActivationName.__args__  # type: ignore[attr-defined]  # the names that it lists


def check_count(layer: object, **values: Any) -> None:
    """Raise a `ParameterError` for a size that is not a whole number of at least 1."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) < 2**24:
            raise ParameterError(
                f"{type(layer).__name__}: {name} must be a whole number of at least 1; got {value!r:.40}"
            )


def check_fraction(layer: object, **values: Any) -> None:
    """Raise a `ParameterError` for a number that is not from 0 to below 1."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < 1:
            raise ParameterError(f"{type(layer).__name__}: {name} must be from 0 to below 1; got {value!r:.40}")


def check_activation(layer: object, name: Any) -> None:
    """Raise a `ParameterError` for a name that is not an activation function."""
    if name not in ACTIVATIONS:
        raise ParameterError(
            f"{type(layer).__name__}: activation must be one of {', '.join(ACTIVATIONS)}; got {name!r:.40}"
        )


class Layer(ABC):
    """Base class of layers.

    The output shape for an input shape, and the shapes of the weights, which it does not hold.
    """

    @abstractmethod
    def output_shape(self, shape: Shape) -> Shape:
        """The shape of a row after the layer; a `ParameterError` if the layer does not fit."""

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        """The arrays of weights by name; those that penalties apply to begin with `weights`."""
        return {}

    def statistic_shapes(self, shape: Shape) -> dict[str, Shape]:
        """The arrays of running statistics by name."""
        return {}

    def operations(self, shape: Shape) -> int:
        """About how many multiplications and additions a row takes."""
        return prod(self.output_shape(shape))

    @property
    def steps(self) -> tuple[Layer, ...]:
        """The layer as a sequence of simple ones: itself, and its activation function if it has one."""
        return (self,)

    @property
    def window(self) -> tuple[int, int]:
        """How many neighbouring positions an output sees, and how far apart those of neighbouring outputs begin."""
        return 1, 1

    def parameters(self, shape: Shape) -> int:
        """The number of weights."""
        return sum(prod(one) for one in self.weight_shapes(shape).values())

    def refuse(self, shape: Shape, needed: str) -> ParameterError:
        """The error for a shape that the layer cannot take."""
        return ParameterError(f"{type(self).__name__}: rows must have the shape {needed}; here they have {shape}")
