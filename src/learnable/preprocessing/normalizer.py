"""Rows of length one."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, Transformer, estimator, param
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ..engines.passes import FitsFirstBlock

Norm = Literal["l1", "l2", "max"]


@estimator
class Normalizer(FitsFirstBlock, Transformer):
    """Normalisation: every row divided by its norm.

    z_i = x_i / |x_i|_p    with p = 1, 2 or infinity ("max")

    Nothing is learned. A row of zeros stays as it is.

    >>> Normalizer().fit_transform([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """

    title = "normalisation"
    traits = Traits(sparse=True, storage="csr", stateless=True)

    norm: Norm = param("l2", "norm by which rows are divided", kw_only=False)
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """The rows of `X` divided by their norms; `copy` is accepted for compatibility."""
        return super().transform(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        trace.exact("each row is measured by itself")

    def _transform(self, X: Matrix) -> Matrix:
        return _divided(X, lengths(X, self.norm))


def lengths(X: Matrix, norm: Norm) -> Array:
    """The norm of each row, computed without overflow; one if it is zero."""
    if is_sparse(X):
        largest = np.asarray(abs(X).max(axis=1).toarray()).ravel()
    else:
        largest = np.abs(X).max(axis=1)
    largest = np.where(largest == 0, 1, largest).astype(np.float64)
    if norm == "max":
        return largest
    shares = abs(_divided(X, largest))
    total = np.asarray((shares if norm == "l1" else shares.multiply(shares) if is_sparse(X) else shares**2).sum(axis=1))
    total = total.ravel().astype(np.float64)
    return np.where(total == 0, 1.0, largest * (total if norm == "l1" else np.sqrt(total)))


def _divided(X: Matrix, length: Array) -> Matrix:
    if not is_sparse(X):
        return (X / length[:, None]).astype(X.dtype, copy=False)
    result = X.copy()
    result.data = (result.data / np.repeat(length, np.diff(X.indptr))).astype(X.dtype, copy=False)
    return result


@checked()
def normalize(X: Rows, norm: Norm = "l2", *, axis: int = 1, copy: bool = True, return_norm: bool = False) -> Any:
    """Normalisation: the rows of `X` (or its columns, with axis=0) divided by their norms.

    >>> normalize([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """
    if axis not in (0, 1):
        raise ParameterError(f"normalize: axis must be 0 (columns) or 1 (rows); got {axis!r}")
    matrix, _ = FeatureValidator("normalize", True, "csr" if axis == 1 else "csc").matrix(X)
    rows = matrix if axis == 1 else matrix.T
    length = lengths(rows, norm)
    result = _divided(rows, length)
    result = result if axis == 1 else result.T
    return (result, length) if return_norm else result
