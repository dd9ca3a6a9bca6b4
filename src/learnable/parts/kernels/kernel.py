"""Base class of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import Array
from ...core.errors import ParameterError
from ...core.validate.sparse_input import ChecksSparse

if TYPE_CHECKING:
    from .combined import Product, Scaled, Sum


def check_numbers(kernel: Kernel, least: float = -np.inf, **values: Any) -> None:
    """Raise a `ParameterError` for a parameter that is not finite, or below its minimum."""
    for name, value in values.items():
        if not (isinstance(value, Real) and least <= float(value) < np.inf):
            requested = "a finite number" if least == -np.inf else f"a finite number, at least {least:g}"
            raise ParameterError(f"{type(kernel).__name__}: {name} must be {requested}; got {value!r}")


def check_width(owner: str, width: Any) -> None:
    """Raise a `ParameterError` for a width that is not positive and finite."""
    if not (isinstance(width, Real) and 0 < float(width) < np.inf):
        raise ParameterError(f"{owner}: width must be a finite number above 0; got {width!r}")


class Kernel(ChecksSparse, ABC):
    """Base class of kernels k(x, z). Kernels can be added, multiplied, and scaled by a number.

    `definite`: every matrix of it is positive semi-definite, so that it is an inner product in some space.
    `pairwise`: what it is given are similarities already.
    """

    pairwise: bool = False

    @property
    def definite(self) -> bool:
        """Whether the kernel is positive semi-definite for any rows."""
        return True

    @abstractmethod
    def __call__(self, X: Any, Y: Any = None) -> Array:
        """k(x, y) for every row x of X and y of Y (None: X again), both dense or CSR and checked."""

    @abstractmethod
    def diagonal(self, X: Any) -> Array:
        """k(x, x) for every row of X."""

    def __add__(self, other: Kernel) -> Sum:
        from .combined import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: int) -> Kernel:
        """The kernel itself, so that `sum` of several kernels works."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        from .combined import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        if not isinstance(other, Real):
            return NotImplemented
        return Scaled(self, float(other))

    __rmul__ = __mul__
