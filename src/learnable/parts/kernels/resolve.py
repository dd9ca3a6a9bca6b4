"""Resolution of kernel names, functions and objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...core import Array
from ...core.errors import ParameterError
from ...core.runtime.native import kernels
from .chi_squared import AdditiveChiSquared, ChiSquared
from .cosine import Cosine
from .custom import Custom
from .gaussian import Gaussian
from .kernel import Kernel
from .laplacian import Laplacian
from .linear import Linear
from .polynomial import Polynomial
from .precomputed import Precomputed
from .sigmoid import Sigmoid

_PLAIN: dict[str, Callable[[], Kernel]] = {
    "linear": Linear,
    "cosine": Cosine,
    "additive_chi2": AdditiveChiSquared,
    "precomputed": Precomputed,
}
_SCALED: dict[str, Callable[[float, float, float], Kernel]] = {
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "polynomial": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, degree, coef0: Gaussian(gamma),
    "laplacian": lambda gamma, degree, coef0: Laplacian(gamma),
    "sigmoid": lambda gamma, degree, coef0: Sigmoid(gamma, coef0),
    "chi2": lambda gamma, degree, coef0: ChiSquared(gamma),
}
KERNEL_NAMES = (*_PLAIN, *_SCALED)


def resolve_kernel(
    kernel: str | Callable[..., Any] | Kernel,
    X: Any,
    gamma: float | Literal["scale", "auto"] | None = None,
    degree: float = 3,
    coef0: float = 1.0,
    takes: Literal["rows", "tables"] = "tables",
    weight: Array | None = None,
) -> Kernel:
    """The kernel that a name, a function or a kernel stands for, for rows like those of X.

    gamma: "scale" is 1 / (columns times the variance of all entries), "auto" and None 1 / columns; but None is 1 for
    chi2, as in scikit-learn. `takes` says whether a function is one of two rows or of two tables.

    >>> resolve_kernel("rbf", np.zeros((3, 4)), gamma="auto")
    Gaussian(gamma=0.25)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return Custom(kernel, takes)
    if kernel in _PLAIN:
        return _PLAIN[kernel]()
    if kernel not in _SCALED:
        raise ParameterError(f"kernel must be one of {', '.join(KERNEL_NAMES)}, a function or a kernel; got {kernel!r}")
    if kernel == "chi2" and gamma is None:
        gamma = 1.0
    return _SCALED[kernel](scale_of(X, gamma, weight), degree, coef0)


def scale_of(X: Any, gamma: float | str | None, weight: Array | None = None) -> float:
    """The value of gamma; weights count as copies of rows.

    >>> scale_of(np.array([[1.0], [-1.0]]), "scale")
    1.0
    """
    if gamma is None or gamma == "auto":
        return 1.0 / int(X.shape[1])
    if isinstance(gamma, str) and gamma != "scale":
        raise ParameterError(f'gamma must be a number, "scale", "auto" or None; got {gamma!r}')
    if gamma != "scale":
        return float(gamma)
    spread = _variance(X, weight)
    return 1.0 / (int(X.shape[1]) * spread) if spread > 0 else 1.0


def _variance(X: Any, weight: Array | None) -> float:
    """The variance of all entries together."""
    if not isinstance(X, np.ndarray):
        squares = X.multiply(X)
        if weight is None:
            return float(squares.mean() - X.mean() ** 2)
        share = weight / weight.sum() / X.shape[1]
        first, second = (float(share @ np.asarray(table.sum(axis=1)).ravel()) for table in (X, squares))
        return second - first**2
    if weight is None:
        ready = X.dtype.char in "fd" and X.flags.forc
        spread = kernels.variance_of_entries(X if ready else np.ascontiguousarray(X, dtype=np.float64))
        if not spread < np.inf:
            raise OverflowError("the squares of the entries of X leave the range of floats")
        return spread
    share = weight / weight.sum()
    centre = float(share @ X.mean(axis=1, dtype=np.float64))
    return float(share @ ((X - centre) ** 2).mean(axis=1, dtype=np.float64))
