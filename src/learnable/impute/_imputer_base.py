"""What imputers share: which entries are missing, which columns are empty, and the flags of what was filled."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, Transformer, declaring, learned, param
from ..core.validate.targets import is_sparse
from ._missing_entries import means_nan, missing_entries_of
from .missing_indicator import MissingIndicator, is_mark


@declaring
class Filler(Transformer):
    """A transformer that fills the missing values of a matrix of numbers: it writes `_learn` and `_filled`.

    Columns without any entry are left out unless `keep_empty_features`; the flags of the missing values may be put
    beside.
    """

    traits = Traits(missing="native")

    missing_values: Any = param(
        np.nan, "what stands for a missing entry", accepts=is_mark, says="a number, text or None"
    )
    add_indicator: bool = param(False, "whether to append indicators of missing values")
    keep_empty_features: bool = param(False, "whether columns without any entry are kept, filled with zeros")

    indicator_: Any = learned("fitted indicator of missing values, None without `add_indicator`")
    kept_: Array = learned("indices of the columns in the output", shape="kept", index="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        gone = missing_entries_of(data.X, self.missing_values, type(self).__name__)
        self.indicator_ = None
        if self.add_indicator:
            table = data.X.toarray() if is_sparse(data.X) else data.X
            indicator = MissingIndicator(missing_values=self.missing_values, error_on_new=False)
            flags = Data(table, data.y, data.weight, None)
            with indicator._fitting(None, None, None) as inner:
                indicator._remember_columns(table, data.names)
                indicator._fit(flags, inner)
                inner.exact("the columns with missing values were counted")
            self.indicator_ = indicator
        empty = self._empty(data, gone)
        self.kept_ = np.arange(data.p) if self.keep_empty_features else np.flatnonzero(~empty)
        self._learn(data, gone, empty, trace)

    def _empty(self, data: Data, gone: Array) -> Array:
        """Which columns have no entry in rows that count."""
        if not is_sparse(data.X):
            return np.asarray(gone.all(axis=0) if data.weight is None else gone[data.weight > 0].all(axis=0))
        counted = np.bincount(np.repeat(np.arange(data.p), np.diff(data.X.indptr))[gone], minlength=data.p)
        return np.asarray(counted == data.n)

    def _transform(self, X: Matrix) -> Matrix:
        gone = missing_entries_of(X, self.missing_values, type(self).__name__)
        filled = self._filled(X, gone)
        if len(self.kept_) < X.shape[1]:
            filled = filled[:, self.kept_]
        if self.indicator_ is None:
            return filled
        flags = self.indicator_._transform(X)
        if is_sparse(filled):
            from scipy.sparse import hstack

            return hstack([filled, flags], format=filled.format, dtype=filled.dtype)
        flags = flags.toarray() if is_sparse(flags) else flags
        return np.hstack([filled, flags.astype(filled.dtype)])

    @abstractmethod
    def _learn(self, data: Data, gone: Array, empty: Array, trace: Trace) -> None:
        """Learn what missing values are filled with."""

    @abstractmethod
    def _filled(self, X: Matrix, gone: Array) -> Matrix:
        """`X` with every gap filled."""

    def _names_out(self, names: list[str]) -> list[str]:
        flags = [] if self.indicator_ is None else self.indicator_._names_out(names)
        return [*(names[j] for j in self.kept_), *flags]

    def _effective_traits(self) -> Traits:
        return replace(self.traits, missing="native" if means_nan(self.missing_values) else "refuse")
