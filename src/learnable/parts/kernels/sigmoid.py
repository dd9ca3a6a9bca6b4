"""Sigmoid kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core import Array
from ...core.declare import registry
from ...core.errors import ParameterError
from . import pairwise_kernels
from .kernel import Kernel, check_numbers, check_width


@registry.value
@dataclass(frozen=True)
class Sigmoid(Kernel):
    """Sigmoid kernel, tanh(gamma x'z + coef0), as a unit of a neural network; in general not positive semi-definite.

    form="logistic" is 1 / (1 + exp(-(gamma x'z + coef0))); `logistic(width, b)` is that of (x'z + b) / width^2.

    >>> import numpy as np
    >>> Sigmoid(1.0, 0.0)(np.array([[0.0]]), np.array([[1.0]])).tolist()
    [[0.0]]
    """

    gamma: float = 1.0
    coef0: float = 0.0
    form: Literal["tanh", "logistic"] = "tanh"

    def __post_init__(self) -> None:
        check_numbers(self, gamma=self.gamma, coef0=self.coef0)
        if self.form not in ("tanh", "logistic"):
            raise ParameterError(f'Sigmoid: form must be "tanh" or "logistic"; got {self.form!r}')

    @classmethod
    def logistic(cls, width: float, constant: float = 0.0) -> Sigmoid:
        """1 / (1 + exp(-(x'z + constant) / width^2))."""
        check_width("Sigmoid", width)
        return cls(1.0 / width**2, constant / width**2, "logistic")

    @property
    def definite(self) -> bool:
        """Not for all rows."""
        return False

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return pairwise_kernels.of_products(X, Y, self.form, self.gamma, self.coef0)

    def diagonal(self, X: Any) -> Array:
        inside = self.gamma * pairwise_kernels.squared_lengths(X).astype(np.float64) + self.coef0
        shaped = np.tanh(inside) if self.form == "tanh" else 0.5 + 0.5 * np.tanh(0.5 * inside)
        return np.asarray(shaped).astype(X.dtype, copy=False)
