"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry
from . import pairwise_kernels
from .kernel import Kernel, check_numbers


@registry.value
@dataclass(frozen=True)
class Laplacian(Kernel):
    """Laplacian kernel, exp(-gamma sum |x_j - z_j|).

    >>> import numpy as np
    >>> Laplacian(0.5)(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]])).round(4).tolist()
    [[0.3679]]
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, 0, gamma=self.gamma)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return pairwise_kernels.of_distances(X, Y, "laplacian", self.gamma)

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)
