"""Recurrent layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...core.declare import registry
from .layer import Layer, Shape, check_count


@dataclass(frozen=True)
class Recurrent(Layer):
    """A layer that goes through the steps of a sequence with a hidden state; the state after the last is its output."""

    units: int
    sequences: bool = False
    gates: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_count(self, units=self.units)

    def output_shape(self, shape: Shape) -> Shape:
        if len(shape) != 2:
            raise self.refuse(shape, "(steps, channels); set input_shape, or put Embedding before it")
        return (shape[0], self.units) if self.sequences else (self.units,)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        wide = self.gates * self.units
        return {"weights": (shape[1], wide), "weights_hidden": (self.units, wide), "intercepts": (wide,)}

    def operations(self, shape: Shape) -> int:
        wide = self.gates * self.units
        return shape[0] * (2 * (shape[1] + self.units) * wide + 2 * wide)


@registry.value
@dataclass(frozen=True)
class RNN(Recurrent):
    """Recurrent layer: h_t = tanh(x_t W + h_{t-1} V + b). With `sequences` the states of all steps are the output.

    [Elman, 1990]

    >>> RNN(8).output_shape((20, 3)), RNN(8).parameters((20, 3))
    ((8,), 96)
    """


@registry.value
@dataclass(frozen=True)
class GRU(Recurrent):
    """Gated recurrent unit: h_t = z h_{t-1} + (1 - z) n, with an update gate z, a reset gate r and the new state n.

    z, r = logistic(x_t W + h_{t-1} V + b),  n = tanh(x_t W + (r h_{t-1}) V + b). [Cho et al., 2014]

    >>> GRU(8).parameters((20, 3))
    288
    """

    gates: ClassVar[int] = 3


@registry.value
@dataclass(frozen=True)
class LSTM(Recurrent):
    """Long short-term memory: a cell c_t = f c_{t-1} + i g, and the state h_t = o tanh(c_t).

    The input, forget and output gates i, f, o are logistic, and the new content g is a tanh, of x_t W + h_{t-1} V + b.
    [Hochreiter and Schmidhuber, 1997; Gers, Schmidhuber and Cummins, 2000]

    >>> LSTM(8, sequences=True).output_shape((20, 3)), LSTM(8).parameters((20, 3))
    ((20, 8), 384)
    """

    gates: ClassVar[int] = 4
