"""Coefficients of linear models, which may be stored sparsely where most are zero."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..core import Array
from ..core.errors import not_fitted


def dense(coef: Any) -> Array:
    """Coefficients as an array, however they are stored."""
    return np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef)


def flat(coef: Any) -> Array:
    """The coefficients of a model with one output, however they are stored."""
    return dense(coef).ravel()


class SparseCoefficients:
    """Mixed into linear models: coefficients that are mostly zero can be stored sparsely."""

    coef_: Any
    single_output: ClassVar[bool] = False  # coefficients are then a vector, and a sparse matrix of one row

    def sparsify(self) -> Self:
        """Store `coef_` as a sparse matrix, which pays where most coefficients are zero; predictions stay the same."""
        check_fitted(self)
        if isinstance(self.coef_, np.ndarray):
            from scipy import sparse

            self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Store `coef_` as an array again."""
        check_fitted(self)
        self.coef_ = flat(self.coef_) if self.single_output else dense(self.coef_)
        return self


def check_fitted(model: object) -> None:
    """Raise scikit-learn's NotFittedError, in our words, for a model without coefficients."""
    if "coef_" not in model.__dict__:
        raise not_fitted(model)
