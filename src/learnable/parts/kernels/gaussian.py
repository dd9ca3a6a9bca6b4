"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core import Array
from ...core.declare import registry
from . import pairwise_kernels
from .kernel import Kernel, check_numbers, check_width


@registry.value
@dataclass(frozen=True)
class Gaussian(Kernel):
    """Gaussian (RBF) kernel, exp(-gamma |x - z|^2); `Gaussian.of_width` takes a width instead.

    >>> import numpy as np
    >>> Gaussian(1.0)(np.array([[0.0]]), np.array([[1.0]])).round(4).tolist()
    [[0.3679]]
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, 0, gamma=self.gamma)

    @classmethod
    def of_width(cls, width: float, divisor: Literal[1, 2] = 2) -> Gaussian:
        """exp(-|x - z|^2 / (divisor width^2)): 2 as in the density of a Gaussian, or 1."""
        check_width("Gaussian", width)
        return cls(1.0 / (divisor * width**2))

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return pairwise_kernels.of_distances(X, Y, "gaussian", self.gamma)

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)
