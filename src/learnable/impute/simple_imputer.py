"""Missing values filled with a statistic of the column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Table, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..core.roles.transformer import given_back
from ..core.validate.features import column_name
from ..core.validate.mixed_table import is_missing
from ..core.validate.targets import is_sparse
from ..engines.columns.categories import counts_of, factorised
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.columns.quantiles import column_quantiles, quantiles
from ..engines.columns.value_counts import ValueCounts, value_counts
from ..engines.passes import RowBlock, TrainingRows
from ..engines.sampled_rows import SAMPLE_ROWS, SampledRows
from ._imputer_base import Filler
from ._missing_entries import means_nan, missing_entries_of, without

Strategy = Literal["mean", "median", "most_frequent", "constant"]


@estimator
class SimpleImputer(Filler):
    """Simple imputation: missing values become the mean, median or most frequent value of their column, or a constant.

    z_ij = x_ij if it is there, else statistic_j

    "most_frequent" and "constant" also take columns of text. A function of the entries that are there can be the
    statistic. Columns without entries are left out unless `keep_empty_features`.

    >>> import numpy as np
    >>> SimpleImputer().fit_transform([[1.0], [np.nan], [5.0]]).ravel()
    array([1., 3., 5.])
    """

    title = "simple imputation"
    traits = Traits(sparse=True)

    strategy: Strategy | Callable[..., Any] = param("mean", "statistic, or a function of the entries of a column")
    fill_value: Any = param(
        None,
        'constant of strategy="constant" (None: 0, or "missing_value" for strings)',
        accepts=lambda value: value is None or isinstance(value, (str, int, float, np.generic)),
        says="a number or text",
    )
    copy: bool = param(True, "accepted for compatibility; X is never changed")

    statistics_: Any = learned("what fills the missing values of each column", shape="columns")

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        plain = is_sparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "fiub")
        if plain or self.strategy not in ("most_frequent", "constant"):
            return self._validator.matrix(X)
        table, names = self._validator.table(X)
        if all(column.dtype.kind in "fiub" for column in table.columns):
            return self._validator.matrix(np.column_stack(table.columns))[0], names
        return table, names

    def _learn(self, data: Data, gone: Array, empty: Array, trace: Trace) -> None:
        if self.strategy == "constant":
            found = self._constants(data)
        elif isinstance(data.X, Table):
            found = np.empty(data.p, dtype=object)
            found[:] = [
                _most_frequent(c[~gone[:, j]], _part(data.weight, ~gone[:, j])) for j, c in enumerate(data.X.columns)
            ]
        else:
            found = self._statistics(data, gone)
        found = found.astype(object) if found.dtype.kind == "O" else found
        if empty.any():
            kept = self.keep_empty_features
            missing = found[empty] if kept and self.strategy == "constant" else (0 if kept else np.nan)
            found[empty] = missing
        self.statistics_ = found

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if callable(self.strategy):
            raise DataError("SimpleImputer: a function as strategy needs all rows at once; name a statistic")
        found = self._statistics_of(rows)
        missing = np.array([any_missing for _, any_missing in found])
        few = np.empty((2, len(found)), dtype=object if isinstance(rows.first.X, Table) else np.float64)
        few[:] = [statistic for statistic, _ in found]
        few[1, missing] = self._mark  # which a mean leaves aside, and an indicator shows
        columns = Table(tuple(few.T.copy()), rows.first.names) if few.dtype.kind == "O" else few
        self._fit(Data(columns, rows.first.y, None, rows.first.names), trace)

    @property
    def _mark(self) -> Any:
        """What stands for a missing entry."""
        return np.nan if means_nan(self.missing_values) else self.missing_values

    def _statistics_of(self, rows: TrainingRows) -> list[tuple[Any, bool]]:
        """For each column its statistic, or the mark of missing entries, and whether entries are missing."""
        owner, mark = type(self).__name__, self._mark
        if self.strategy in ("most_frequent", "constant"):
            return [_most_frequent_of(column, mark) for column in rows.total(value_counts, owner)]
        columns = rows.total(statistics_of_present, mark, owner)
        if self.strategy == "median":
            sample: SampledRows = rows.total(SampledRows.of, SAMPLE_ROWS)
            present = without(sample.X, missing_entries_of(sample.X, mark, owner))
            values = column_quantiles(present, np.array([0.5]), sample.weight)[0]
        else:
            values = columns.mean
        there = columns.weight > 0
        return [
            (value if seen else mark, bool(gone))
            for value, seen, gone in zip(values.tolist(), there.tolist(), columns.missing > 0, strict=True)
        ]

    def _constants(self, data: Data) -> Array:
        text = isinstance(data.X, Table)
        value = self.fill_value
        if value is None:
            value = "missing_value" if text else 0
        if not text and isinstance(value, str):
            raise ParameterError(
                f"SimpleImputer: fill_value={value!r} is text, but the columns are numbers (float64): it cannot be cast"
            )
        return np.full(data.p, value, dtype=object if text else np.float64)

    def _statistics(self, data: Data, gone: Array) -> Array:
        """The statistic of each column of numbers."""
        if is_sparse(data.X):
            X = data.X.copy()
            X.data = without(X.data, gone)
        else:
            X = without(data.X, gone)
        if self.strategy == "mean":
            found = ColumnStatistics.of(X, data.weight)
            return np.where(found.weight > 0, found.mean, np.nan)
        if self.strategy == "median" and not is_sparse(X):
            return np.asarray(column_quantiles(X, np.array([0.5]), data.weight)[0])
        return np.array([self._statistic(_dense(X, j), data.weight) for j in range(data.p)], dtype=np.float64)

    def _statistic(self, column: Array, weight: Array | None) -> float:
        there = ~np.isnan(column)
        if not there.any():
            return np.nan
        if self.strategy == "median":
            return float(quantiles(column, np.array([0.5]), weight)[0])
        if self.strategy == "most_frequent":
            return float(_most_frequent(column[there], _part(weight, there)))
        entries = column[there]
        if weight is not None:
            counts = weight[there]
            if (counts != np.floor(counts)).any():
                raise ParameterError("SimpleImputer: a function as strategy needs weights that are whole numbers")
            entries = np.repeat(entries, counts.astype(np.int64))
        found = np.asarray(self.strategy(entries))  # type: ignore[operator]  # the words were dealt with
        if found.ndim or found.dtype.kind not in "biuf":
            raise ParameterError(
                f"SimpleImputer: strategy must return one number per column; it returned {found!r:.40}"
            )
        return float(found)

    def _transform(self, X: Matrix) -> Matrix:
        if len(self.kept_) < X.shape[1]:
            skipped = np.delete(self.__dict__.get("feature_names_in_", np.arange(X.shape[1])), self.kept_)
            warn(
                f"Skipping features without any observed values: {skipped[:10]}; keep_empty_features=True keeps them",
                UserWarning,
            )
        return super()._transform(X)

    def _filled(self, X: Matrix, gone: Array) -> Matrix:
        if isinstance(X, Table):
            columns = np.empty(X.shape, dtype=object)
            for j, column in enumerate(X.columns):
                columns[:, j] = column
                columns[gone[:, j], j] = self.statistics_[j]
            return columns
        if self.statistics_.dtype.kind == "O" and self.strategy != "constant" and gone.any():
            self._refuse_numbers(gone)
        if is_sparse(X):
            result = X.copy()
            indices = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
            result.data = np.where(gone, self.statistics_[indices], X.data).astype(X.dtype)
            return result
        return np.where(gone, self.statistics_, X).astype(X.dtype) if gone.any() else X.copy()

    def _refuse_numbers(self, gone: Array) -> None:
        for j in np.flatnonzero(gone.any(axis=0)):
            if isinstance(self.statistics_[j], str):
                raise DataError(
                    f"SimpleImputer: {column_name(None, int(j))} was text when fitted and is numbers now; "
                    "pass columns of the same kinds"
                )

    def inverse_transform(self, X: Any) -> Array:
        """Inverse transform: imputed rows with indicators, with their missing values restored."""
        self._require_fit()
        if not self.add_indicator:
            raise ParameterError(
                "SimpleImputer: inverse_transform needs to know where missing values were; fit with add_indicator=True"
            )
        width = len(self.kept_)
        matrix = given_back(self, X, width + len(self.indicator_.features_))
        result = np.zeros((len(matrix), self.n_features_in_), dtype=matrix.dtype)
        result[:, self.kept_] = matrix[:, :width]
        gone = np.zeros(result.shape, dtype=bool)
        gone[:, self.indicator_.features_] = matrix[:, width:].astype(bool)
        result[gone] = self.missing_values
        return result


def _part(weight: Array | None, kept: Array) -> Array | None:
    return None if weight is None else weight[kept]


def _dense(X: Matrix, j: int) -> Array:
    """Column j of a dense or sparse matrix."""
    return np.asarray(X[:, [j]].toarray()[:, 0] if is_sparse(X) else X[:, j])


def statistics_of_present(block: RowBlock, missing_values: Any, owner: str) -> ColumnStatistics:
    """The statistics of the columns of a block without what stands for missing entries."""
    gone = missing_entries_of(block.X, missing_values, owner)
    X = block.X
    if is_sparse(X):
        X = X.copy()
        X.data = without(X.data, gone)
    else:
        X = without(X, gone)
    return ColumnStatistics.of(X, block.weight)


def _most_frequent_of(column: ValueCounts, mark: Any) -> tuple[Any, bool]:
    """The value that occurs most often, the mark of missing ones if none does, and whether entries are missing."""
    gone = is_missing(column.values) if means_nan(mark) else np.asarray(column.values == mark, dtype=bool)
    if gone.all():
        return mark, True
    return column.values[~gone][int(column.counts[~gone].argmax())], bool(gone.any())


def _most_frequent(entries: Array, weight: Array | None) -> Any:
    """The value that occurs most often, the first in order among equals; NaN where there is none."""
    if len(entries) == 0:
        return np.nan
    values, codes = factorised(entries, "SimpleImputer: a column")
    return values[int(counts_of(codes, len(values), weight).argmax())]
