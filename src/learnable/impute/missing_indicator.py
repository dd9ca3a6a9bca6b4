"""What is missing, as a feature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, Transformer, estimator, learned, param
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ._missing_entries import means_nan, missing_entries_of


def is_mark(value: Any) -> bool:
    """Whether a value can stand for missing entries."""
    return value is None or isinstance(value, (str, int, float, np.generic)) or type(value).__name__ == "NAType"


@estimator
class MissingIndicator(Transformer):
    """Missing indicator: a binary feature for the missing values of each feature.

    z_j = [x_j is missing],    for the columns that had missing values when fitted, or for all

    >>> import numpy as np
    >>> MissingIndicator().fit_transform([[np.nan, 1.0], [2.0, 3.0]])
    array([[ True],
           [False]])
    """

    title = "missing indicator"
    traits = Traits(takes="table", sparse=True, storage="csc", missing="native")

    missing_values: Any = param(
        np.nan, "what stands for a missing entry", accepts=is_mark, says="a number, text or None"
    )
    features: Literal["missing-only", "all"] = param(
        "missing-only", "columns that get an indicator: those with missing values, or all"
    )
    sparse: Any = param(
        "auto",
        "whether the result is sparse",
        accepts=lambda v: isinstance(v, (bool, str)) and v in (True, False, "auto"),
        says="a flag",
    )
    error_on_new: bool = param(True, "whether missing values in columns without any in training are an error")

    features_: Array = learned("indices of the columns with an indicator", shape="flags", index="features")

    @property
    def _validator(self) -> FeatureValidator:
        return FeatureValidator(type(self).__name__, True, self.traits.storage, self.traits.missing)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        plain = is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "fiub")
        return self._validator.matrix(X) if plain else self._validator.table(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        counts = self._counts(data.X, data.weight)
        self.features_ = np.arange(data.p) if self.features == "all" else np.flatnonzero(counts > 0)

    def _counts(self, X: Matrix, weight: Array | None) -> Array:
        """How many entries of each column are missing, in rows that count."""
        gone = missing_entries_of(X, self.missing_values, type(self).__name__)
        if is_sparse(X):
            kept = gone if weight is None else gone & (weight[X.indices] > 0)
            return np.bincount(np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))[kept], minlength=X.shape[1])
        return np.asarray(gone.sum(axis=0) if weight is None else gone[weight > 0].sum(axis=0))

    def _transform(self, X: Matrix) -> Matrix:
        if self.features == "missing-only" and self.error_on_new:
            fresh = np.setdiff1d(np.flatnonzero(self._counts(X, None)), self.features_)
            if len(fresh):
                raise DataError(
                    f"MissingIndicator: columns {fresh.tolist()} have missing values now and had none in fit; set "
                    "error_on_new=False to accept that"
                )
        gone = missing_entries_of(X, self.missing_values, type(self).__name__)
        if not is_sparse(X):
            flags = gone[:, self.features_]
            if self.sparse is not True:
                return flags
            from scipy.sparse import csc_matrix

            return csc_matrix(flags)
        return self._of_sparse(X, gone)

    def _of_sparse(self, X: Any, gone: Array) -> Any:
        from scipy.sparse import csc_matrix

        flags = csc_matrix((gone, X.indices.copy(), X.indptr.copy()), shape=X.shape)[:, self.features_]
        flags.eliminate_zeros()
        return flags if self.sparse in ("auto", True) else flags.toarray()

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"missingindicator_{names[j]}" for j in self.features_]

    def _effective_traits(self) -> Traits:
        return replace(self.traits, missing="native" if means_nan(self.missing_values) else "refuse")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
