"""Polynomial kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry
from . import pairwise_kernels
from .kernel import Kernel, check_numbers, check_width


@registry.value
@dataclass(frozen=True)
class Polynomial(Kernel):
    """Polynomial kernel, (gamma x'z + coef0)^degree: all products of up to `degree` columns.

    The conventions in use are `shifted` (x'z + c)^d, `scaled` (1 + x'z / width^2)^d, `quadratic` (x'z + c)^2 and
    `homogeneous` (x'z)^d.

    >>> import numpy as np
    >>> Polynomial(2, 1.0, 1.0)(np.array([[1.0, 1.0]]), np.array([[1.0, 1.0]])).tolist()
    [[9.0]]
    """

    degree: float = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, 0, degree=self.degree)
        check_numbers(self, gamma=self.gamma, coef0=self.coef0)

    @classmethod
    def shifted(cls, degree: float, constant: float = 1.0) -> Polynomial:
        """(x'z + constant)^degree."""
        return cls(degree, 1.0, constant)

    @classmethod
    def scaled(cls, degree: float, width: float) -> Polynomial:
        """(1 + x'z / width^2)^degree."""
        check_width("Polynomial", width)
        return cls(degree, 1.0 / width**2, 1.0)

    @classmethod
    def quadratic(cls, constant: float = 1.0) -> Polynomial:
        """(x'z + constant)^2."""
        return cls(2, 1.0, constant)

    @classmethod
    def homogeneous(cls, degree: float) -> Polynomial:
        """(x'z)^degree."""
        return cls(degree, 1.0, 0.0)

    @property
    def definite(self) -> bool:
        """For whole degrees and constants that are not negative."""
        return self.degree == int(self.degree) and self.degree >= 0 and self.gamma >= 0 and self.coef0 >= 0

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return pairwise_kernels.of_products(X, Y, "polynomial", self.gamma, self.coef0, self.degree)

    def diagonal(self, X: Any) -> Array:
        squares = pairwise_kernels.squared_lengths(X)
        return np.asarray((squares.dtype.type(self.gamma) * squares + squares.dtype.type(self.coef0)) ** self.degree)
