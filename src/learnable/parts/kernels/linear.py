"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import Array
from ...core.declare import registry
from . import pairwise_kernels
from .kernel import Kernel


@registry.value
@dataclass(frozen=True)
class Linear(Kernel):
    """Linear kernel, x'z.

    >>> import numpy as np
    >>> Linear()(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return pairwise_kernels.of_products(X, Y, "linear")

    def diagonal(self, X: Any) -> Array:
        return pairwise_kernels.squared_lengths(X)
