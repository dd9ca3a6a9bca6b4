"""Chi-squared kernels of histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry
from ...core.errors import DataError
from . import pairwise_kernels
from .kernel import Kernel, check_numbers


@registry.value
@dataclass(frozen=True)
class ChiSquared(Kernel):
    """Chi-squared kernel, exp(-gamma sum (x_j - z_j)^2 / (x_j + z_j)), for entries that are not negative.

    >>> import numpy as np
    >>> ChiSquared(0.5)(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])).round(4).tolist()
    [[0.3679]]
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, 0, gamma=self.gamma)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        _refuse_negative(X, Y)
        return pairwise_kernels.of_distances(X, Y, "chi_squared", self.gamma)

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0], dtype=X.dtype)


@registry.value
@dataclass(frozen=True)
class AdditiveChiSquared(Kernel):
    """Additive chi-squared kernel, -sum (x_j - z_j)^2 / (x_j + z_j): only conditionally positive definite.

    >>> import numpy as np
    >>> AdditiveChiSquared()(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])).tolist()
    [[-2.0]]
    """

    @property
    def definite(self) -> bool:
        """Not for all rows."""
        return False

    def __call__(self, X: Any, Y: Any = None) -> Array:
        _refuse_negative(X, Y)
        return pairwise_kernels.of_distances(X, Y, "additive_chi_squared")

    def diagonal(self, X: Any) -> Array:
        return np.zeros(X.shape[0], dtype=X.dtype)


def _refuse_negative(X: Any, Y: Any) -> None:
    for name, table in (("X", X), ("Y", Y)):
        if table is not None and pairwise_kernels.least_entry(table) < 0:
            raise DataError(f"{name} contains negative values: the chi-squared kernel compares histograms.")
