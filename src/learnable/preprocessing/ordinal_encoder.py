"""Categories as whole numbers."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, ParameterError, Table, Trace, Traits, Transformer, estimator, learned, param
from ..core.files.learned_limits import flaw_of_categories
from ..core.roles.transformer import numbers_back
from ..engines.columns.value_counts import ValueCounts, value_counts
from ..engines.passes import RowBlock, TrainingRows
from ._category_encoding import (
    LISTS,
    CategoryCodes,
    codes_in,
    fitted_and_encoded,
    is_list_or_auto,
    is_missing_category,
    is_number_type,
    learn,
    learn_from_counts,
    lookup,
    lumped_together,
    with_missing,
)


def _is_code(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and not isinstance(value, bool))


@estimator
class OrdinalEncoder(Transformer):
    """Ordinal encoding: each category of a feature as its index in their order.

    z_j = k for the k-th value of column j, counted from zero

    For trees and for values that have an order. Missing entries, NaN or what a data frame calls missing, get
    `encoded_missing_value`; None in a list is a value. Values that fit has not seen are refused or get `unknown_value`.

    >>> OrdinalEncoder(categories=[["low", "high"]]).fit_transform([["high"], ["low"]])
    array([[1.],
           [0.]])
    """

    title = "ordinal encoding"
    traits = Traits(takes="table", missing="native", categorical=True)

    categories: Any = param("auto", "categories of each column, in order", accepts=is_list_or_auto, says=LISTS)
    dtype: Any = param(np.float64, "data type of the result", accepts=is_number_type, says="a dtype")
    handle_unknown: Literal["error", "use_encoded_value"] = param("error", "handling of categories not seen in fit")
    unknown_value: Any = param(None, "code of values unknown to fit", accepts=_is_code, says="None, a number or NaN")
    encoded_missing_value: float = param(np.nan, "code of missing entries")
    min_frequency: int | float | None = param(None, "frequency below which categories share one code", at_least=0)
    max_categories: int | None = param(None, "maximum number of codes of a column", at_least=1)

    categories_: list[Any] = learned("the values of each column in order", counts="features")
    rare_: list[Any] = learned("which values of each column share a code; None where none do", counts="features")

    def _unsound(self) -> str:
        """Categories and rare ones belong together."""
        return flaw_of_categories(self.categories_, self.rare_)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._learn(data)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X).transform(X)`, in one pass over the columns."""
        return fitted_and_encoded(self, X, y, sample_weight)

    def _learn(self, data: Data) -> list[Array]:
        """Learn the values of each column; the indices of the training entries among them."""
        self._check_unknown()
        owner, few, most = type(self).__name__, self.min_frequency, self.max_categories
        table = with_missing(data.X)
        codings, indices = learn(table, data.weight, self.categories, few, most, owner, self._unknown, aside=True)
        self._keep(codings)
        return indices

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        self._check_unknown()
        owner, few, most = type(self).__name__, self.min_frequency, self.max_categories
        counts, names = rows.total(counts_with_missing, owner), rows.first.names
        self._keep(learn_from_counts(counts, names, self.categories, few, most, owner, self._unknown, aside=True))

    def _keep(self, codings: list[CategoryCodes]) -> None:
        """Store the values of each column; codes must not be those of other entries."""
        self.categories_ = [coding.values for coding in codings]
        self.rare_ = [coding.rare for coding in codings]
        gone = [j for j, coding in enumerate(codings) if is_missing_category(coding.values).any()]
        if gone and np.dtype(self.dtype).kind in "iu" and np.isnan(self.encoded_missing_value):
            raise DataError(
                f"OrdinalEncoder: There are missing values in features {gone}. For OrdinalEncoder to encode missing "
                f"values with dtype: {self.dtype}, set encoded_missing_value to a non-nan value, or set dtype to a "
                "float"
            )
        for j, coding in enumerate(codings):
            self._refuse_taken("unknown_value", coding, j)
            if is_missing_category(coding.values).any():
                self._refuse_taken("encoded_missing_value", coding, j)

    def _refuse_taken(self, name: str, coding: CategoryCodes, j: int) -> None:
        code = getattr(self, name)
        if code is not None and 0 <= code < coding.size:
            raise ParameterError(
                f"OrdinalEncoder: {name}={code} is the code of a category of column {j}; choose another, such as -1"
            )

    def _check_unknown(self) -> None:
        if self.handle_unknown == "use_encoded_value" and self.unknown_value is None:
            raise ParameterError(
                "OrdinalEncoder: handle_unknown='use_encoded_value' needs unknown_value, a whole number or NaN"
            )
        if self.handle_unknown == "error" and self.unknown_value is not None:
            raise ParameterError("OrdinalEncoder: unknown_value is used only with handle_unknown='use_encoded_value'")
        whole = np.dtype(self.dtype).kind in "iu"
        if whole and self.unknown_value is not None and self.unknown_value != self.unknown_value:
            raise ParameterError(
                "OrdinalEncoder: codes of type dtype cannot be NaN; choose a float dtype for that unknown_value"
            )

    @property
    def _unknown(self) -> str:
        return "error" if self.handle_unknown == "error" else "ignore"

    @property
    def _codings(self) -> list[CategoryCodes]:
        return [
            CategoryCodes(values, rare, aside=True) for values, rare in zip(self.categories_, self.rare_, strict=True)
        ]

    def _transform(self, X: Table) -> Array:
        return self._encoded(codes_in(with_missing(X), self._codings, type(self).__name__, self._unknown))

    def _encoded(self, indices: list[Array]) -> Array:
        """The codes of entries given by their indices among the values."""
        tables = [self._table(coding, place) for coding, place in zip(self._codings, indices, strict=True)]
        return lookup(tables, indices, self.dtype)

    def _table(self, coding: CategoryCodes, place: Array) -> Array:
        """The code of each value of a column, that of unknown ones last."""
        table = np.append(coding.code(np.arange(len(coding.values))).astype(np.float64), np.nan)
        gone = is_missing_category(coding.values)
        table[:-1][gone] = self.encoded_missing_value
        table[-1] = np.nan if self.unknown_value is None else self.unknown_value
        if np.dtype(self.dtype).kind not in "iu":
            return table
        used = np.append(np.flatnonzero(gone), len(table) - 1)
        if np.isnan(table[used[np.isin(used, place % len(table))]]).any():
            raise DataError(
                "OrdinalEncoder: some entries are missing, which integers cannot represent; set encoded_missing_value "
                "or dtype=float"
            )
        return np.asarray(np.nan_to_num(table))

    def inverse_transform(self, X: Any) -> Array:
        """The values that the codes stand for; None for the code of unknown values."""
        self._require_fit()
        codes = numbers_back(self, X, len(self.categories_))
        same = len({values.dtype for values in self.categories_}) == 1 and all(rare is None for rare in self.rare_)
        columns = [self._values(codes[:, j], coding) for j, coding in enumerate(self._codings)]
        dtype = self.categories_[0].dtype if same and all(column.dtype != object for column in columns) else object
        return np.column_stack([column.astype(dtype) for column in columns])

    def _values(self, codes: Array, coding: CategoryCodes) -> Array:
        missing, known = is_missing_category(coding.values), np.full(len(codes), True)
        indices = np.zeros(len(codes), dtype=np.int64)
        if missing.any():
            marked = _equal(codes, self.encoded_missing_value)
            indices[marked], known[marked] = int(np.argmax(missing)), True
        else:
            marked = np.zeros(len(codes), dtype=bool)
        strange = ~marked & _equal(codes, self.unknown_value) if self.unknown_value is not None else marked & False
        plain = ~marked & ~strange
        if (codes[plain] != np.floor(codes[plain])).any() or not (
            (codes[plain] >= 0) & (codes[plain] < coding.size)
        ).all():
            raise DataError(f"OrdinalEncoder: a code is not one of 0 to {coding.size - 1}")
        indices[plain] = codes[plain].astype(np.int64)
        found = np.where(marked, coding.values[indices], coding.decode(np.where(marked, 0, indices)))
        if strange.any():
            found = found.astype(object)
            found[strange] = None
        return found

    @property
    def infrequent_categories_(self) -> list[Any]:
        """The values of each column that share a code; None where none do."""
        return lumped_together(self.categories_, self.rare_)


def _equal(codes: Array, value: float | None) -> Array:
    return np.isnan(codes) if value is None or value != value else codes == value


def counts_with_missing(block: RowBlock, owner: str) -> list[ValueCounts]:
    """The values of each column of a block, NaN standing for the missing words of every library."""
    return value_counts(replace(block, X=with_missing(block.X)), owner)
