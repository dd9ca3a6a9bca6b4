"""Entries as zeros and ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Data, Matrix, Trace, Traits, Transformer, estimator, param
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ..engines.passes import FitsFirstBlock


@estimator
class Binarizer(FitsFirstBlock, Transformer):
    """Binarisation: values above a threshold become one, all others zero.

    z_ij = 1 if x_ij > threshold else 0

    Nothing is learned.

    >>> Binarizer(threshold=1.0).fit_transform([[0.5, 2.0]])
    array([[0., 1.]])
    """

    title = "binarisation"
    traits = Traits(sparse=True, storage="given", stateless=True)

    threshold: float = param(0.0, "entries above it become one", infinite=True)
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Zeros and ones for the entries of `X`; `copy` is accepted for compatibility."""
        return super().transform(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        trace.exact("each entry is compared by itself")

    def _transform(self, X: Matrix) -> Matrix:
        return _compared(X, self.threshold, type(self).__name__)


def _compared(X: Matrix, threshold: float, owner: str) -> Matrix:
    if not is_sparse(X):
        return (threshold < X).astype(X.dtype)
    if threshold < 0:
        raise ParameterError(f"{owner}: with a threshold below 0 the zeros of a sparse matrix would become ones")
    result = X.copy()
    result.data = (result.data > threshold).astype(X.dtype)
    result.eliminate_zeros()
    return result


@checked()
def binarize(X: Rows, *, threshold: float = 0.0, copy: bool = True) -> Any:
    """Binarisation: ones where entries of `X` exceed the threshold, zeros elsewhere.

    >>> binarize([[0.4, 0.6]], threshold=0.5)
    array([[0., 1.]])
    """
    matrix, _ = FeatureValidator("binarize", True, "given").matrix(X)
    return _compared(matrix, threshold, "binarize")


@checked()
def add_dummy_feature(X: Rows, value: float = 1.0) -> Any:
    """Add a first column that holds `value` everywhere: the intercept of a linear model as a feature.

    >>> add_dummy_feature([[5.0], [7.0]])
    array([[1., 5.],
           [1., 7.]])
    """
    matrix, _ = FeatureValidator("add_dummy_feature", True, "given").matrix(X)
    column = np.full((matrix.shape[0], 1), value, dtype=matrix.dtype)
    if not is_sparse(matrix):
        return np.hstack([column, matrix])
    from scipy.sparse import csr_array, hstack

    return hstack([csr_array(column), matrix], format=X.format)
