"""Tables with categories as matrices of numbers: each category by its place among those that training rows had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import registry
from ..core.data import Array, Door, Matrix
from ..core.errors import DataError, ParameterError
from ..core.frames import is_frame, labels_of, opened
from .categories import factorised, places_of


@registry.value
@dataclass(frozen=True)
class Coding:
    """The categories of each column, empty for one of numbers; missing entries and other categories become NaN."""

    categories: list[Array]
    categorical: Array

    @classmethod
    def of(cls, X: Any, wanted: Any, door: Door) -> Coding:
        """The categories of the columns that `wanted` names: by number, name or mask, or all that a frame types so."""
        chosen = _chosen(X, wanted, door.owner)
        if chosen is None or not chosen.any():
            return cls([], np.zeros(0 if chosen is None else len(chosen), dtype=bool))
        table, _ = door.table(X)
        found = [np.empty(0)] * len(chosen)
        for j in np.flatnonzero(chosen):
            values, _ = factorised(table.parts[j], f"{door.owner}: column {j}")
            known = [value is not None and value == value for value in values.tolist()]
            found[j] = values[np.array(known, dtype=bool)]
        return cls(found, chosen)

    @property
    def counts(self) -> list[int]:
        """How many categories each column has, zero if it holds numbers."""
        return [len(values) for values in self.categories]

    def matrix(self, X: Any, door: Door) -> tuple[Matrix, list[str] | None]:
        """`X` as numbers, and its column names."""
        if not self.categories:
            return door.matrix(X)
        table, names = door.table(X)
        if len(table.parts) != len(self.categories):
            return np.empty(table.shape), names  # the caller says what is wrong with it
        columns = [self._column(table.parts[j], j, door.owner) for j in range(len(self.categories))]
        return np.column_stack(columns), names

    def _column(self, part: Any, j: int, owner: str) -> Array:
        where = f"{owner}: column {j}"
        if self.categorical[j]:
            places = places_of(part, self.categories[j], where).astype(np.float64)
            return np.where(places < 0, np.nan, places)
        try:
            return np.asarray(part if isinstance(part, np.ndarray) else part.written(), dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{where} holds texts; name it among the categorical columns, or encode it") from None


def _chosen(X: Any, wanted: Any, owner: str) -> Array | None:
    """Which columns hold categories, None if none is asked for."""
    by_type = isinstance(wanted, str) and wanted == "from_dtype"
    if wanted is None or (by_type and not is_frame(X)):
        return None
    if by_type:
        import narwhals as nw

        return np.array([kind in (nw.Categorical, nw.Enum) for kind in opened(X).schema.values()], dtype=bool)
    asked = np.asarray(wanted)
    columns = np.shape(X)[1] if not is_frame(X) else len(labels_of(X, owner))
    if asked.size == 0:
        return None
    if asked.dtype.kind == "b":
        if asked.shape != (columns,):
            raise ParameterError(
                f"{owner}: a mask of categorical_features has an entry for each of the {columns} columns; this one has "
                f"the shape {asked.shape}"
            )
        return asked
    return _named(X, asked, columns, owner)


def _named(X: Any, asked: Array, columns: int, owner: str) -> Array:
    chosen = np.zeros(columns, dtype=bool)
    if asked.dtype.kind in "iu":
        if asked.max() >= columns or asked.min() < 0:
            raise ParameterError(f"{owner}: places in categorical_features go from 0 to {columns - 1}; got {asked}")
        chosen[asked] = True
        return chosen
    if asked.dtype.kind not in "UO" or not all(isinstance(name, str) for name in asked.tolist()):
        raise ParameterError(
            f"{owner}: categorical_features says by names, places or a mask which columns are categories; entries of "
            f"type {asked.dtype.name} do neither"
        )
    if not is_frame(X):
        raise ParameterError(f"{owner}: categorical_features holds names, but X has none; give places or a mask")
    labels = labels_of(X, owner)
    for name in asked.tolist():
        if name not in labels:
            raise ParameterError(f"{owner}: categorical_features has a name {name!r} that is not present in the data")
        chosen[labels.index(name)] = True
    return chosen
