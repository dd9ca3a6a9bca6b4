"""The cosine kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core import Array
from ...core.declare import registry
from . import pairwise_kernels
from .kernel import Kernel


@registry.value
@dataclass(frozen=True)
class Cosine(Kernel):
    """Cosine kernel: the cosine of the angle between two rows, x'z / (|x| |z|); 0 for a row of zeros.

    >>> import numpy as np
    >>> Cosine()(np.array([[1.0, 1.0]]), np.array([[2.0, 0.0]])).round(4).tolist()
    [[0.7071]]
    """

    def __call__(self, X: Any, Y: Any = None) -> Array:
        left = pairwise_kernels.unit_rows(X)
        return pairwise_kernels.of_products(
            left, None if Y is None or Y is X else pairwise_kernels.unit_rows(Y), "linear"
        )

    def diagonal(self, X: Any) -> Array:
        return pairwise_kernels.squared_lengths(pairwise_kernels.unit_rows(X))
