"""The convolution layer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...core.declare import registry
from .activation import Activation
from .layer import ActivationName, Layer, Shape, check_activation, check_count
from .windows import Padding, Size, Window, check_padding, check_size, pair, shape_after, window_of


@registry.value
@dataclass(frozen=True)
class Conv(Layer):
    """Convolution layer: `filters` weighted sums of the same small window, moved over an image or a sequence.

    Of N positions, windows of F with the stride S and P zeros on both sides make (N - F + 2 P) / S + 1, which must be a
    whole number unless `crop` leaves the rest out; F F C K + K parameters for C channels and K filters. [LeCun et al.,
    1989]

    >>> layer = Conv(10, 5)
    >>> layer.output_shape((32, 32, 3)), layer.parameters((32, 32, 3))
    ((28, 28, 10), 760)
    """

    filters: int
    kernel_size: Size = 3
    activation: ActivationName = "identity"
    stride: Size = 1
    padding: Padding = 0
    crop: bool = False

    def __post_init__(self) -> None:
        check_count(self, filters=self.filters)
        check_size(self, kernel_size=self.kernel_size, stride=self.stride)
        check_padding(self, self.padding)
        check_activation(self, self.activation)

    @property
    def steps(self) -> tuple[Layer, ...]:
        plain = replace(self, activation="identity")
        return (plain,) if self.activation == "identity" else (plain, Activation(self.activation))

    def window_over(self, shape: Shape) -> Window:
        """The window over rows of a shape."""
        return window_of(self, shape, self.kernel_size, self.stride, self.padding, self.crop)

    def output_shape(self, shape: Shape) -> Shape:
        return shape_after(self.window_over(shape), shape, self.filters)

    def weight_shapes(self, shape: Shape) -> dict[str, Shape]:
        window = self.window_over(shape)
        kernel = (window.height, window.width, window.channels, self.filters)
        return {"weights": kernel, "intercepts": (self.filters,)}

    def operations(self, shape: Shape) -> int:
        window = self.window_over(shape)
        return window.positions * self.filters * (2 * window.height * window.width * window.channels + 1)

    @property
    def window(self) -> tuple[int, int]:
        return pair(self.kernel_size)[1], pair(self.stride)[1]
