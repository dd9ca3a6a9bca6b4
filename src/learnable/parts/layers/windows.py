"""Windows that move over images and sequences: how many fit, and which padding would fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ...core.errors import ParameterError
from .layer import Layer, Shape, check_count

Padding = int | Literal["same"]
Size = int | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Window:
    """A window over an image: of what, how large, how far apart, how many zeros before the first and in all."""

    rows: int
    columns: int
    channels: int
    height: int
    width: int
    down: int
    across: int
    above: int
    left: int
    out_rows: int
    out_columns: int

    @property
    def positions(self) -> int:
        """How many windows there are."""
        return self.out_rows * self.out_columns

    @property
    def sizes(self) -> tuple[int, ...]:
        """All numbers in the order of the kernels."""
        return (
            self.rows, self.columns, self.channels, self.height, self.width, self.down, self.across, self.above,
            self.left, self.out_rows, self.out_columns,
        )  # fmt: skip


def pair(value: Any) -> tuple[int, int]:
    """Both numbers of a size that may be a single one."""
    return (value[0], value[1]) if isinstance(value, (tuple, list)) else (value, value)


def check_size(layer: object, **values: Any) -> None:
    """Raise a `ParameterError` for a size that is not a whole number, or a pair of them."""
    for name, value in values.items():
        if isinstance(value, (tuple, list)) and len(value) != 2:
            raise ParameterError(f"{type(layer).__name__}: {name} must be a number or a pair; got {value!r:.40}")
        for one in pair(value):
            check_count(layer, **{name: one})


def check_padding(layer: object, padding: Any) -> None:
    """Raise a `ParameterError` for a padding that is neither a number of zeros nor "same"."""
    number = isinstance(padding, int) and not isinstance(padding, bool) and 0 <= padding < 2**24
    if not number and padding != "same":
        raise ParameterError(
            f'{type(layer).__name__}: padding must be a number of zeros, or "same"; got {padding!r:.40}'
        )


def windows_along(layer: object, length: int, size: int, stride: int, padding: Padding, crop: bool) -> tuple[int, int]:
    """How many windows fit along an axis, (length - size + 2 padding) / stride + 1, and the padding as a number."""
    owner = type(layer).__name__
    if padding == "same":
        if size % 2 == 0 or stride != 1:
            raise ParameterError(
                f'{owner}: padding="same" needs an odd size and a stride of 1; here the size is {size} and the stride '
                f"{stride}; give the number of zeros"
            )
        padding = (size - 1) // 2
    if padding >= size:
        raise ParameterError(f"{owner}: padding={padding} must be below the size of the window, {size}")
    free = length + 2 * padding - size
    if free < 0:
        raise ParameterError(
            f"{owner}: a window of {size} does not fit into {length} with a padding of {padding}; use a smaller "
            "window, or leave out a pooling layer before it"
        )
    if free % stride and not crop:
        fitting = [
            zeros for zeros in range(size) if length + 2 * zeros >= size and not (length + 2 * zeros - size) % stride
        ]
        remedy = f"padding={fitting[0]} would fit" if fitting else "no padding on both sides would fit"
        raise ParameterError(
            f"{owner}: ({length} - {size} + 2 * {padding}) / {stride} + 1 = {free / stride + 1:g} windows: not a whole "
            f"number; {remedy}, and crop=True leaves the last {free % stride} of {length} out"
        )
    return free // stride + 1, padding


def window_of(layer: Layer, shape: Shape, size: Size, stride: Size, padding: Padding, crop: bool) -> Window:
    """The window of a layer over rows of a shape: images, or sequences as images of one row."""
    if len(shape) == 3:
        rows, columns, channels = shape
        height, width = pair(size)
        down, across = pair(stride)
    elif len(shape) == 2:
        (rows, (columns, channels)), (height, down) = (1, shape), (1, 1)
        width, across = pair(size)[1], pair(stride)[1]
    else:
        raise layer.refuse(
            shape, "(rows, columns, channels) or (steps, channels); set input_shape, such as (28, 28, 1)"
        )
    out_rows, above = (1, 0) if len(shape) == 2 else windows_along(layer, rows, height, down, padding, crop)
    out_columns, left = windows_along(layer, columns, width, across, padding, crop)
    return Window(rows, columns, channels, height, width, down, across, above, left, out_rows, out_columns)


def shape_after(window: Window, shape: Shape, channels: int) -> Shape:
    """The shape of what the windows make: an image, or a sequence."""
    return (window.out_rows, window.out_columns, channels) if len(shape) == 3 else (window.out_columns, channels)
