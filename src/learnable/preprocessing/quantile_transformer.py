"""Columns replaced by their ranks."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Invertible,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from ..core.errors import warn
from ..core.runtime.random import stream
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import used_columns
from ..core.validate.targets import is_sparse
from ..engines.columns.quantiles import column_quantiles, quantiles
from ..engines.sampled_rows import FitsSample

EDGE = 1e-7


@estimator
class QuantileTransformer(FitsSample, Invertible):
    """Quantile transform: replace values by their empirical quantiles, to a uniform or normal distribution.

    z_ij = F_j(x_ij),    F_j the distribution of the column, linear between its quantiles; or the normal quantile of it

    Entries beyond those seen get the outermost values. At most `subsample` rows are used, all where weights are
    given, and never more quantiles than rows are used (`n_quantiles_`). Missing entries stay missing.

    >>> QuantileTransformer(n_quantiles=3).fit_transform([[1.0], [10.0], [100.0], [55.0]]).ravel().round(3)
    array([0.   , 0.143, 1.   , 0.667])
    """

    title = "quantile transform"
    traits = Traits(sparse=True, missing="native")

    n_quantiles: int = param(1000, "number of quantiles that are kept", at_least=1)
    output_distribution: Literal["uniform", "normal"] = param("uniform", "distribution of the transformed columns")
    ignore_implicit_zeros: bool = param(False, "whether implicit zeros of sparse data are ignored")
    subsample: int | None = param(
        10_000, "maximum number of rows from which the quantiles are computed (None: all)", at_least=1
    )
    random_state: RandomState = param(None, "seed of the subsample")
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    n_quantiles_: int = learned("number of quantiles kept", counts="quantiles")
    quantiles_: Array = learned("the quantiles of each column", shape="quantiles columns")
    references_: Array = learned("quantile levels of quantiles_", shape="quantiles")

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.subsample is not None and self.n_quantiles > self.subsample:
            raise ParameterError(
                f"QuantileTransformer: n_quantiles={self.n_quantiles} must not exceed subsample={self.subsample} "
                "rows; raise subsample"
            )
        self._refuse_negative(data.X)
        self.n_quantiles_ = max(1, min(self.n_quantiles, int(data.total_weight)))
        self.references_ = np.linspace(0, 1, self.n_quantiles_)
        if is_sparse(data.X):
            self.quantiles_ = np.zeros((self.n_quantiles_, data.p))
            for j in used_columns(data.X):  # the quantiles of others are zero
                self.quantiles_[:, j] = self._sparse_quantiles(data, j)
            return
        if self.ignore_implicit_zeros:
            warn(
                "QuantileTransformer: 'ignore_implicit_zeros' takes effect only with sparse matrix. This parameter has "
                "no effect.",
                UserWarning,
            )
        X, weight = data.X, data.weight
        if weight is None and self.subsample is not None and self.subsample < data.n:
            X = X[_chosen(self.random_state, data.n, self.subsample)]
        self.quantiles_ = column_quantiles(X, self.references_, weight).astype(np.float64)

    def _refuse_negative(self, X: Matrix) -> None:
        if is_sparse(X) and not self.ignore_implicit_zeros and (X.data < 0).any():
            raise DataError(
                "QuantileTransformer: a sparse matrix with negative numbers has zeros in the middle, which would "
                "move; use X.toarray() or ignore_implicit_zeros=True"
            )

    def _sparse_quantiles(self, data: Data, j: int) -> Array:
        """The quantiles of a sparse column, whose zeros count unless they are to be ignored."""
        place = slice(data.X.indptr[j], data.X.indptr[j + 1])
        stored, rows = data.X.data[place], data.X.indices[place]
        if self.ignore_implicit_zeros:
            values, weight = stored, None if data.weight is None else data.weight[rows]
        else:
            values, weight = np.zeros(data.n, dtype=stored.dtype), data.weight
            values[rows] = stored
        return quantiles(values, self.references_, weight)

    def _transform(self, X: Matrix) -> Matrix:
        self._refuse_negative(X)
        return self._by_column(X, self._forward)

    def _by_column(self, X: Matrix, change: Any) -> Matrix:
        if is_sparse(X):
            result = X.copy()
            result.data = X.data.copy()
            for j in used_columns(X):
                place = slice(X.indptr[j], X.indptr[j + 1])
                result.data[place] = change(X.data[place].astype(np.float64), self.quantiles_[:, j])
            return result
        columns = [change(X[:, j].astype(np.float64), self.quantiles_[:, j]) for j in range(X.shape[1])]
        return np.column_stack(columns).astype(X.dtype, copy=False)

    def _forward(self, column: Array, edges: Array) -> Array:
        gone = np.isnan(column)
        if np.isnan(edges).any():
            return np.where(gone, np.nan, 0.0)
        rising = np.interp(column, edges, self.references_)
        falling = -np.interp(-column, -edges[::-1], -self.references_[::-1])
        share = (rising + falling) / 2
        near = EDGE if self.output_distribution == "normal" else 0.0
        with np.errstate(over="ignore"):
            share = np.where(column + near > edges[-1] if near else column == edges[-1], 1.0, share)
            share = np.where(column - near < edges[0] if near else column == edges[0], 0.0, share)
        if self.output_distribution == "normal":
            from scipy.special import ndtri

            least = EDGE - np.spacing(1.0)
            share = np.clip(ndtri(share), ndtri(least), ndtri(1 - least))
        return np.where(gone, np.nan, share)

    def inverse_transform(self, X: Any) -> Any:
        """Inverse transform: quantile levels back to the original units."""
        return super().inverse_transform(X)

    def _inverse(self, X: Matrix) -> Matrix:
        return self._by_column(X, self._back)

    def _back(self, column: Array, edges: Array) -> Array:
        gone = np.isnan(column)
        near = 0.0
        if self.output_distribution == "normal":
            from scipy.special import ndtr

            column, near = ndtr(column), EDGE
        found = np.interp(column, self.references_, edges)
        found = np.where(column + near > 1 if near else column == 1, edges[-1], found)
        found = np.where(column - near < 0 if near else column == 0, edges[0], found)
        return np.where(gone, np.nan, found)

    @property
    def _validator(self) -> FeatureValidator:
        return FeatureValidator(type(self).__name__, True, "csc", "native")


def _chosen(random_state: RandomState, n: int, size: int) -> Array:
    """Rows drawn without replacement, the same as scikit-learn's for the same seed."""
    rows = np.arange(n)
    stream(random_state).shuffle(rows)
    return rows[:size]
