"""Sums, products and multiples of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import Array
from ...core.declare import registry
from .kernel import Kernel


@registry.value
@dataclass(frozen=True)
class Sum(Kernel):
    """Sum of kernels, k(x, z) + l(x, z): the feature maps are concatenated.

    >>> import numpy as np
    >>> from learnable.parts.kernels import Linear
    >>> (Linear() + Linear())(np.array([[1.0]])).tolist()
    [[2.0]]
    """

    left: Kernel
    right: Kernel

    @property
    def definite(self) -> bool:
        """If both are."""
        return self.left.definite and self.right.definite

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.left(X, Y) + self.right(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) + self.right.diagonal(X)


@registry.value
@dataclass(frozen=True)
class Product(Kernel):
    """Product of kernels, k(x, z) l(x, z): the feature map has all products of features of both.

    >>> import numpy as np
    >>> from learnable.parts.kernels import Linear
    >>> (Linear() * Linear())(np.array([[3.0]])).tolist()
    [[81.0]]
    """

    left: Kernel
    right: Kernel

    @property
    def definite(self) -> bool:
        """If both are."""
        return self.left.definite and self.right.definite

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.left(X, Y) * self.right(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) * self.right.diagonal(X)


@registry.value
@dataclass(frozen=True)
class Scaled(Kernel):
    """Multiple of a kernel, factor k(x, z).

    >>> import numpy as np
    >>> from learnable.parts.kernels import Linear
    >>> (0.5 * Linear())(np.array([[2.0]])).tolist()
    [[2.0]]
    """

    kernel: Kernel
    factor: float

    @property
    def definite(self) -> bool:
        """If the kernel is and the factor is not negative."""
        return self.kernel.definite and self.factor >= 0

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.factor * self.kernel(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self.factor * self.kernel.diagonal(X)
