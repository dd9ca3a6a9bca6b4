"""What every kernel can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ...core import Array

if TYPE_CHECKING:
    from .combined import Product, Scaled, Sum


class Kernel(ABC):
    """A similarity k(x, z) of two rows. Kernels add and multiply, and may be multiplied by a number.

    `definite`: every matrix of it is positive semi-definite, so that it is an inner product in some space.
    `stationary`: it depends on x - z alone, so that k(x, x) is the same for every x.
    `pairwise`: what it is given are similarities already.
    """

    pairwise: bool = False
    stationary: bool = False

    @property
    def definite(self) -> bool:
        """Whether it is an inner product, whatever the rows."""
        return True

    @abstractmethod
    def __call__(self, X: Any, Y: Any = None) -> Array:
        """k(x, y) for every row x of X and y of Y (None: X again), both dense or CSR and checked."""

    @abstractmethod
    def diagonal(self, X: Any) -> Array:
        """k(x, x) for every row of X."""

    def __add__(self, other: Kernel) -> Sum:
        from .combined import Sum

        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        from .combined import Product, Scaled

        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, float(other))

    __rmul__ = __mul__
