"""Kernels: similarities of all rows of two tables that are inner products in some space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ParameterError
from ..parts import kernels as parts
from . import distance_functions
from ._row_pairs import Pair, pair


@checked()
def linear_kernel(X: Rows, Y: Rows | None = None, dense_output: bool = True) -> Any:
    """Linear kernel, x'y.

    >>> linear_kernel([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """
    tables = pair("linear_kernel", X, Y)
    return _inner(tables, dense_output)


@checked()
def polynomial_kernel(
    X: Rows, Y: Rows | None = None, degree: float = 3, gamma: float | None = None, coef0: float = 1
) -> Array:
    """Polynomial kernel, (gamma x'y + coef0)^degree; gamma is 1 / columns by default.

    >>> polynomial_kernel([[1.0, 1.0]], [[1.0, 1.0]], degree=2).tolist()
    [[4.0]]
    """
    tables = pair("polynomial_kernel", X, Y)
    return _of(parts.Polynomial(degree, _rate(tables, gamma), coef0), tables)


@checked()
def sigmoid_kernel(X: Rows, Y: Rows | None = None, gamma: float | None = None, coef0: float = 1) -> Array:
    """Sigmoid kernel, tanh(gamma x'y + coef0).

    >>> sigmoid_kernel([[0.0]], [[1.0]], coef0=0).tolist()
    [[0.0]]
    """
    tables = pair("sigmoid_kernel", X, Y)
    return _of(parts.Sigmoid(_rate(tables, gamma), coef0), tables)


@checked()
def rbf_kernel(X: Rows, Y: Rows | None = None, gamma: float | None = None) -> Array:
    """Gaussian (RBF) kernel, exp(-gamma |x - y|^2).

    >>> rbf_kernel([[0.0]], [[1.0]]).round(4).tolist()
    [[0.3679]]
    """
    tables = pair("rbf_kernel", X, Y)
    return _of(parts.Gaussian(_rate(tables, gamma)), tables)


@checked()
def laplacian_kernel(X: Rows, Y: Rows | None = None, gamma: float | None = None) -> Array:
    """Laplacian kernel, exp(-gamma sum |x_j - y_j|).

    >>> laplacian_kernel([[0.0]], [[1.0]]).round(4).tolist()
    [[0.3679]]
    """
    tables = pair("laplacian_kernel", X, Y)
    return _of(parts.Laplacian(_rate(tables, gamma)), tables.widened())


@checked()
def cosine_similarity(X: Rows, Y: Rows | None = None, dense_output: bool = True) -> Any:
    """Cosine similarity: the cosine of the angle between rows; 0 for a row of zeros.

    >>> cosine_similarity([[1.0, 1.0]], [[2.0, 0.0]]).round(4).tolist()
    [[0.7071]]
    """
    tables = pair("cosine_similarity", X, Y)
    found = tables.cast(distance_functions.similarity(tables))
    if tables.sparse and not dense_output:
        from scipy.sparse import csr_array

        return csr_array(found)
    return found


@checked()
def additive_chi2_kernel(X: Rows, Y: Rows | None = None) -> Array:
    """Additive chi-squared kernel, -sum (x_j - y_j)^2 / (x_j + y_j), for histograms.

    >>> additive_chi2_kernel([[0.0, 1.0]], [[1.0, 0.0]]).tolist()
    [[-2.0]]
    """
    tables = pair("additive_chi2_kernel", X, Y)
    return _of(parts.AdditiveChiSquared(), tables)


@checked()
def chi2_kernel(X: Rows, Y: Rows | None = None, gamma: float = 1.0) -> Array:
    """Chi-squared kernel, exp(-gamma sum (x_j - y_j)^2 / (x_j + y_j)), for histograms.

    >>> chi2_kernel([[0.0, 1.0]], [[1.0, 0.0]], gamma=0.5).round(4).tolist()
    [[0.3679]]
    """
    return _of(parts.ChiSquared(gamma), pair("chi2_kernel", X, Y))


_KERNELS: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {
    "additive_chi2": (additive_chi2_kernel, frozenset()),
    "chi2": (chi2_kernel, frozenset({"gamma"})),
    "linear": (linear_kernel, frozenset()),
    "polynomial": (polynomial_kernel, frozenset({"gamma", "degree", "coef0"})),
    "poly": (polynomial_kernel, frozenset({"gamma", "degree", "coef0"})),
    "rbf": (rbf_kernel, frozenset({"gamma"})),
    "laplacian": (laplacian_kernel, frozenset({"gamma"})),
    "sigmoid": (sigmoid_kernel, frozenset({"gamma", "coef0"})),
    "cosine": (cosine_similarity, frozenset()),
}


@checked()
def kernel_metrics() -> dict[str, Callable[..., Any]]:
    """The names of kernels, with their functions.

    >>> "rbf" in kernel_metrics()
    True
    """
    return {name: function for name, (function, _) in _KERNELS.items()}


@checked()
def pairwise_kernels(
    X: Rows,
    Y: Rows | None = None,
    metric: str | Callable[..., float] = "linear",
    *,
    filter_params: bool = False,
    n_jobs: int | None = None,
    **kwds: Any,
) -> Any:
    """Kernel matrix of all rows of X and Y, by the name of a kernel or a function of two rows.

    `filter_params` leaves out options that the kernel does not have.

    >>> pairwise_kernels([[1.0, 2.0]], metric="linear").tolist()
    [[5.0]]
    """
    if callable(metric):
        rows, others = pair("pairwise_kernels", X, Y).dense()
        return np.array([[float(metric(x, y, **kwds)) for y in others] for x in rows])
    if metric == "precomputed":
        from .distances import _precomputed

        return _precomputed("pairwise_kernels", X, Y)
    if metric not in _KERNELS:
        raise ParameterError(f"Unknown kernel {metric!r}; known are {sorted(_KERNELS)}, precomputed, or a callable")
    function, options = _KERNELS[metric]
    return function(X, Y, **({name: v for name, v in kwds.items() if name in options} if filter_params else kwds))


def _rate(tables: Pair, gamma: float | None) -> float:
    return 1.0 / tables.X.shape[1] if gamma is None else gamma


def _inner(tables: Pair, dense_output: bool = True) -> Any:
    if tables.sparse and not dense_output:
        return tables.X @ tables.Y.T
    return _of(parts.Linear(), tables)


def _of(kernel: parts.Kernel, tables: Pair) -> Array:
    return kernel(tables.X, None if tables.same else tables.Y)
