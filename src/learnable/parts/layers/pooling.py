"""Pooling layers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

from ...core.declare import registry
from ...core.errors import ParameterError
from .layer import Layer, Shape
from .windows import Padding, Size, Window, check_padding, check_size, pair, shape_after, window_of


@dataclass(frozen=True)
class Pool(Layer):
    """A pooling layer: one number for each window and channel."""

    size: Size = 2
    stride: Size | None = None
    padding: Padding = 0
    crop: bool = False

    def __post_init__(self) -> None:
        check_size(self, size=self.size, **({} if self.stride is None else {"stride": self.stride}))
        check_padding(self, self.padding)

    def window_over(self, shape: Shape) -> Window:
        """The window over rows of a shape."""
        return window_of(self, shape, self.size, self._stride, self.padding, self.crop)

    @property
    def _stride(self) -> Size:
        return self.size if self.stride is None else self.stride

    def output_shape(self, shape: Shape) -> Shape:
        return shape_after(self.window_over(shape), shape, shape[-1])

    def operations(self, shape: Shape) -> int:
        window = self.window_over(shape)
        return prod(self.output_shape(shape)) * window.height * window.width

    @property
    def window(self) -> tuple[int, int]:
        return pair(self.size)[1], pair(self._stride)[1]


@registry.value
@dataclass(frozen=True)
class MaxPool(Pool):
    """Max pooling layer: the largest value of each window, channel by channel; windows lie side by side by default.

    >>> MaxPool(2).output_shape((28, 28, 6))
    (14, 14, 6)
    """


@registry.value
@dataclass(frozen=True)
class AveragePool(Pool):
    """Average pooling layer: the mean of each window, channel by channel; padded zeros count.

    >>> AveragePool(2).output_shape((28, 28, 6))
    (14, 14, 6)
    """


@registry.value
@dataclass(frozen=True)
class GlobalPool(Layer):
    """Global pooling layer: the mean or the largest value of each channel over all positions.

    >>> GlobalPool().output_shape((7, 7, 64))
    (64,)
    """

    kind: Literal["average", "max"] = "average"

    def __post_init__(self) -> None:
        if self.kind not in ("average", "max"):
            raise ParameterError(f'GlobalPool: kind must be "average" or "max"; got {self.kind!r:.40}')

    def window_over(self, shape: Shape) -> Window:
        """The window over rows of a shape: all of it."""
        if len(shape) not in (2, 3):
            raise self.refuse(shape, "(rows, columns, channels) or (steps, channels)")
        size = (shape[0], shape[1]) if len(shape) == 3 else (1, shape[0])
        return window_of(self, shape, size, 1, 0, False)

    def output_shape(self, shape: Shape) -> Shape:
        self.window_over(shape)
        return shape[-1:]

    def operations(self, shape: Shape) -> int:
        return prod(shape)
