"""Tables of any kind as matrices: numbers as they are, categories by their index among the sorted training values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core.declare import registry
from ...core.errors import DataError, ParameterError
from ...core.runtime import context
from ...core.validate.dataframes import is_frame, labels_of, opened
from ...core.validate.features import Array, FeatureValidator, Matrix, column_name
from ...core.validate.mixed_table import CategoricalColumn, Table, is_missing
from .categories import codes_of, factorised


@registry.value
@dataclass(frozen=True)
class Coding:
    """The categories of each column, empty for one of numbers; missing entries and other categories become NaN."""

    categories: list[Array]
    categorical: Array

    @classmethod
    def of(cls, X: Any, requested: Any, validator: FeatureValidator) -> Coding:
        """The categories of the `requested` columns: by number, name or mask, or all that a frame types so."""
        chosen = _typed(X, requested, validator.owner)
        if not chosen.any():
            return cls([], chosen)
        table, _ = validator.table(X)
        found = learned_categories(table, chosen, with_missing=False, owner=validator.owner)
        return cls([np.empty(0) if values is None else values for values in found], chosen)

    @property
    def counts(self) -> list[int]:
        """How many categories each column has, zero if it holds numbers."""
        return [len(values) for values in self.categories]

    def matrix(self, X: Any, validator: FeatureValidator) -> tuple[Matrix, list[str] | None]:
        """`X` as numbers, and its column names."""
        if not self.categories:
            return validator.matrix(X)
        table, names = validator.table(X)
        if len(table.parts) != len(self.categories):
            return np.empty(table.shape), names  # the caller says what is wrong with it
        pairs = zip(self.categories, self.categorical, strict=True)
        return coded(table, [values if chosen else None for values, chosen in pairs], validator.owner), names


def _typed(X: Any, requested: Any, owner: str) -> Array:
    """Which columns hold categories: for "from_dtype" those that a frame types so; empty if none is requested."""
    by_type = isinstance(requested, str) and requested == "from_dtype"
    if requested is None or (by_type and not is_frame(X)) or np.size(requested) == 0:
        return np.zeros(0, dtype=bool)
    names = labels_of(X, owner) if is_frame(X) else None
    if by_type:
        import narwhals as nw

        return np.array([kind in (nw.Categorical, nw.Enum) for kind in opened(X).schema.values()], dtype=bool)
    return named_columns(requested, names, np.shape(X)[1] if names is None else len(names), owner)


def chosen_columns(table: Table, requested: Any, owner: str) -> Array:
    """Which columns hold categories: by kind if "from_dtype", else by names, numbers or marks."""
    if isinstance(requested, str) and requested == "from_dtype":
        return np.array([not _holds_numbers(part) for part in table.parts])
    return named_columns(requested, table.names, table.shape[1], owner)


def named_columns(requested: Any, names: list[Any] | None, columns: int, owner: str) -> Array:
    """Marks for the columns that are requested by names, numbers or marks."""
    selected = np.asarray(requested)
    if selected.dtype == bool:
        if selected.shape != (columns,):
            raise ParameterError(
                f"{owner}: categorical_features marks {selected.size} columns, and X has {columns}; "
                "give a mark for each"
            )
        return selected
    if selected.dtype.kind not in "iuUO":
        raise ParameterError(
            f"{owner}: categorical_features must hold column names, indices or a mask; entries of "
            f"type {selected.dtype.name} are not supported"
        )
    chosen = np.zeros(columns, dtype=bool)
    for item in selected.ravel().tolist():
        chosen[_place(item, names, columns, owner)] = True
    return chosen


def _place(item: Any, names: list[Any] | None, columns: int, owner: str) -> int:
    if names is not None and item in names:
        return names.index(item)
    if isinstance(item, int) and -columns <= item < columns:
        return item % columns
    known = f"columns go from 0 to {columns - 1}" + (", and have no names" if names is None else "")
    raise ParameterError(f"{owner}: categorical_features names the column {item!r}, which X does not have; {known}")


def _holds_numbers(part: Array | CategoricalColumn) -> bool:
    """Whether a column is one of numbers; truth values are not."""
    if isinstance(part, CategoricalColumn) or part.dtype.kind in "USbmM":
        return False
    if part.dtype.kind != "O":
        return True
    known = part[~is_missing(part)]
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in known.tolist())


def learned_categories(table: Table, chosen: Array, *, with_missing: bool, owner: str) -> list[Array | None]:
    """The sorted values of each chosen column, with one for what is missing if `with_missing`; None for the others."""
    return [
        _values(part, with_missing, f"{owner}: {column_name(table.names, j)}") if chosen[j] else None
        for j, part in enumerate(table.parts)
    ]


def _values(part: Array | CategoricalColumn, with_missing: bool, where: str) -> Array:
    context.give_way()
    values, _ = factorised(part, where)
    return values if with_missing else values[~is_missing(values)]


def coded(table: Table, categories: list[Array | None], owner: str, unseen: float = np.nan) -> Array:
    """The table as a matrix; missing entries are NaN, categories that `fit` has not seen the number `unseen`."""
    found = np.empty(table.shape)
    for j, (part, values) in enumerate(zip(table.parts, categories, strict=True)):
        context.give_way()
        where = f"{owner}: {column_name(table.names, j)}"
        if values is None:
            found[:, j] = _numbers(part, where)
            continue
        codes = codes_of(part, values, where) if len(values) else np.full(len(part), -1)
        found[:, j] = np.where(codes < 0, unseen, codes)
        if not np.isnan(unseen):
            found[is_missing(part), j] = np.nan
    return found


def _numbers(part: Array | CategoricalColumn, where: str) -> Array:
    column = part.written() if isinstance(part, CategoricalColumn) else part
    if column.dtype.kind == "O":
        column = np.where(is_missing(column), np.nan, column)
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{where} holds {column[0]!r:.40}, but the column was numeric in fit; pass numbers, or declare the column "
            "as categorical: in categorical_features, or in metric_params of a metric that compares them"
        ) from None
