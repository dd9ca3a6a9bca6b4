"""Rows that a kernel compares, which may be any objects; tables of its values for solvers, and sums of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import DataError
from ...core.roles.estimator import Estimator
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.validate.features import Array, Matrix
from ...parts.kernels import Gaussian, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from .. import matrix_products

ROWS_AT_ONCE = 2048
MAX_GAMMA = 1e300
MAX_ASYMMETRY = 1e-3  # share of the largest value by which rounding, also in other libraries, may set two values apart

Form = tuple[str, float, float, int]
"""A kernel that compiled code knows: its name, gamma, coef0 and degree."""


def form_of(kernel: Kernel) -> Form | None:
    """What compiled code calls this kernel, or None."""
    match kernel:
        case Linear():
            return "linear", 1.0, 0.0, 1
        case Gaussian(gamma) if gamma >= 0:
            return "rbf", min(gamma, MAX_GAMMA), 0.0, 1
        case Polynomial(degree, gamma, coef0) if degree == int(degree) and 0 <= degree < 1000 and gamma >= 0:
            return "poly", gamma, coef0, int(degree)
        case Sigmoid(gamma, coef0, "tanh") if gamma >= 0:
            return "sigmoid", gamma, coef0, 1
    return None


def table_of(kernel: Kernel, X: Matrix) -> kernels.KernelTable:
    """The kernel matrix of the rows of `X` for a solver; a kernel unknown to compiled code is computed whole."""
    form = form_of(kernel)
    if form is not None:
        return kernels.KernelTable(plain(X), *form, None)
    return kernels.KernelTable.given(symmetric(np.ascontiguousarray(kernel(X), dtype=np.float64)))


def symmetric(K: Array) -> Array:
    """`K`, checked to be symmetric; otherwise no solver would converge.

    >>> symmetric(np.array([[1.0, 0.5], [0.5, 1.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    allowed = MAX_ASYMMETRY * float(np.abs(K).max(initial=0.0))
    for i in range(0, len(K), ROWS_AT_ONCE):
        give_way()
        part = K[i : i + ROWS_AT_ONCE]
        apart = np.abs(part - K[:, i : i + ROWS_AT_ONCE].T)
        if apart.max(initial=0.0) > allowed:
            row, column = np.unravel_index(int(apart.argmax()), apart.shape)
            raise DataError(
                f"kernel values must not depend on the order of two rows; those of the rows {i + row} and {column} are "
                f"{part[row, column]:.6g} and {K[column, i + row]:.6g}"
            )
    return K


def kernel_sums(kernel: Kernel, X: Matrix, Y: Matrix, coef: Array) -> Array:
    """sum_j k(X_i, Y_j) coef_jt for every row of X: (rows, t). With `Precomputed`, X holds k(X_i, Y_j) already."""
    coef = plain(coef)
    form = form_of(kernel)
    if form is not None:
        X, Y = alike(X, Y)
        return kernels.kernel_scores(X, Y, coef, *form, None)
    across, none = np.ascontiguousarray(coef.T), np.zeros(coef.shape[1])
    if isinstance(kernel, Precomputed):
        return matrix_products.scores(X, across, none)
    parts = [
        matrix_products.scores(np.ascontiguousarray(kernel(X[i : i + ROWS_AT_ONCE], Y), dtype=np.float64), across, none)
        for i in range(0, X.shape[0], ROWS_AT_ONCE)
    ]
    return np.concatenate(parts)


def alike(X: Any, Y: Any) -> tuple[Any, Any]:
    """Both tables in float64 and in one kind of storage: sparse if one of them is."""
    if isinstance(X, np.ndarray) == isinstance(Y, np.ndarray):
        return plain(X), plain(Y)
    from scipy.sparse import csr_array

    return plain(csr_array(X)), plain(csr_array(Y))


def plain(X: Any) -> Any:
    """`X` in float64: contiguous rows, or CSR with short indices."""
    if isinstance(X, np.ndarray):
        ready = X.dtype == np.float64 and X.flags.c_contiguous and X.flags.aligned
        return X if ready else np.require(X, np.float64, ["C", "A"])
    from scipy.sparse import csr_array

    X = X.tocsr()
    short = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int32, copy=False)
    return csr_array((X.data.astype(np.float64, copy=False), *short), shape=X.shape)


def objects_of(X: Any) -> Array | None:
    """A list or series of texts, sets or mappings as a column of objects; None for anything else.

    >>> objects_of(["spam", "eggs"]).shape, objects_of([[1.0], [2.0]])
    ((2, 1), None)
    """
    listed = list(X) if isinstance(X, (list, tuple)) or len(getattr(X, "shape", ())) == 1 else []
    if not listed or not all(isinstance(item, (str, bytes, set, frozenset, dict)) for item in listed):
        return None
    column = np.empty((len(listed), 1), dtype=object)
    column[:, 0] = listed
    return column


def precision_of(X: Matrix) -> Any:
    """The dtype of predictions for `X`: its own if it holds floats, else float64."""
    return X.dtype if X.dtype.kind == "f" else np.float64


class ComparesObjects(Estimator):
    """Mixed into machines whose `kernel` may be a function: `X` may then be a list of objects."""

    kernel: Any

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; objects that only a function can compare become a column of dtype object."""
        objects = objects_of(X) if callable(self.kernel) else None
        return super()._enter(X) if objects is None else (objects, None)
