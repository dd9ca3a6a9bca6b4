"""How the encoders of categories code a column: its values, and which of them are lumped together as rare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, Table
from ..core.declare import params
from ..core.numeric import is_fraction
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..core.sklearn_api.output_containers import wrapped
from ..core.validate.features import column_name
from ..core.validate.mixed_table import CategoricalColumn, is_missing
from ..engines.columns.categories import codes_of, counts_of, factorised
from ..engines.columns.value_counts import ValueCounts

LISTS = '"auto" or a list for each column'


@dataclass(frozen=True, slots=True)
class CategoryCodes:
    """The sorted values of a column; those marked `rare` (None: none) share one code, the last.

    Values for what is missing are coded like all others, unless missing values are left `aside`.
    """

    values: Array
    rare: Array | None
    aside: bool = False

    @property
    def frequent(self) -> Array:
        """Which values are frequent enough for a code of their own."""
        alone = np.full(len(self.values), True) if self.rare is None else ~self.rare
        return alone & ~is_missing_category(self.values) if self.aside else alone

    @property
    def size(self) -> int:
        """Number of codes."""
        return int(self.frequent.sum()) + (self.rare is not None)

    def code(self, indices: Array) -> Array:
        """The codes of values given by their indices; what is unknown (-1) stays so."""
        if self.rare is None:
            return indices
        codes = np.append(np.where(self.rare, self.size - 1, np.cumsum(self.frequent) - 1), -1)
        return np.asarray(codes[indices])

    def decode(self, codes: Array) -> Array:
        """The value of each code, that of the rare ones being a word of its own."""
        if self.rare is None:
            return self.values[codes]
        spoken = np.append(self.values[self.frequent].astype(object), "infrequent_sklearn")
        return np.asarray(spoken[codes])


def is_missing_category(values: Array) -> Array:
    """Which values stand for no entry: NaN. None is a value of its own, as in scikit-learn."""
    return np.asarray(is_missing(values) & np.array([value is not None for value in values.tolist()], dtype=bool))


def with_missing(table: Table) -> Table:
    """The table, NaN standing for the missing words of every library."""
    parts = (
        CategoricalColumn(part.values, part.codes, np.nan) if isinstance(part, CategoricalColumn) else part
        for part in table.parts
    )
    return Table(tuple(parts), table.names)


def learn(
    table: Table,
    weight: Array | None,
    given: Any,
    fewest: int | float | None,
    most: int | None,
    owner: str,
    unknown: str = "error",
    aside: bool = False,
) -> tuple[list[CategoryCodes], list[Array]]:
    """The coding of each column, and the place of each entry among its values."""
    lists = _given_lists(given, table.shape[1], owner)
    codings, indices = [], []
    for j, column in enumerate(table.parts):
        give_way()
        where = f"{owner}: {column_name(table.names, j)}"
        if lists is None:
            values, place = _found(column, weight, where)
        else:
            values = _given_values(lists[j], column, where)
            place = codes_of(column, values, where)
            refuse_unknown(column, place, where, unknown)
        rare = np.zeros(len(values), dtype=bool)
        if fewest is not None or most is not None:
            count = counts_of(place[place >= 0], len(values), None if weight is None else weight[place >= 0])
            total = len(column) if weight is None else float(weight.sum())
            here = ~is_missing_category(values) if aside else np.full(len(values), True)
            rare[here] = _rare(count[here], total, fewest, most)
        codings.append(CategoryCodes(values, rare if rare.any() else None, aside))
        indices.append(place)
    return codings, indices


def learn_from_counts(
    counts: Sequence[ValueCounts], names: list[str] | None, given: Any, fewest: int | float | None, most: int | None,
    owner: str, unknown: str = "error", aside: bool = False,
) -> list[CategoryCodes]:  # fmt: skip
    """The coding of each column from the values that occur in it and how often."""
    lists = _given_lists(given, len(counts), owner)
    codings: list[CategoryCodes] = []
    for j, column in enumerate(counts):
        one = Table((column.values,), None if names is None else [names[j]])
        own = given if lists is None else [lists[j]]
        codings += learn(one, column.counts, own, fewest, most, owner, unknown, aside)[0]
    return codings


def _found(column: Array | CategoricalColumn, weight: Array | None, where: str) -> tuple[Array, Array]:
    values, place = factorised(column, where)
    if weight is None or weight.all():
        return values, place
    kept = np.bincount(place, weight, len(values)) > 0  # values of rows that do not count are not seen
    return values[kept], np.where(kept, np.cumsum(kept) - 1, -1)[place]


def _given_lists(given: Any, columns: int, owner: str) -> list[Any] | None:
    if isinstance(given, str):
        return None
    if len(given) != columns:
        raise ParameterError(f"{owner}: categories holds {len(given)} lists for {columns} columns")
    return list(given)


def _given_values(values: Any, column: Array | CategoricalColumn, where: str) -> Array:
    listed = np.asarray(values)
    if listed.dtype.kind == "f" and np.isnan(listed[:-1]).any():
        raise ParameterError(
            f"{where}: Nan should be the last element in user provided categories, see categories {values}"
        )
    if listed.dtype.kind in "US" or column.dtype.kind == "O":
        kinds: dict[str, Any] = {"O": object, "S": "S"}
        listed = np.array(list(values), dtype=kinds.get(column.dtype.kind))
    if listed.dtype.kind in "fiu" and not (np.sort(listed) == listed)[~np.isnan(listed.astype(float))].all():
        raise ParameterError(f"{where}: categories that are numbers must be given in order; sort them")
    if len(dict.fromkeys(listed.tolist())) < len(listed):
        raise ParameterError(f"{where}: the list of categories names a value twice")
    return listed


def _rare(count: Array, total: float, fewest: int | float | None, most: int | None) -> Array:
    """Which values occur less often than `fewest` (a share if not whole), or are beyond the `most` frequent codes."""
    rare = np.zeros(len(count), dtype=bool)
    if fewest is not None:
        rare |= count < (fewest * total if is_fraction(fewest) else fewest)
    if most is not None and most < len(count) - rare.sum() + 1:
        order = np.argsort(count, kind="stable")
        rare[order[: len(count) - (most - 1)]] = True
    return rare


def codes_in(table: Table, codings: Sequence[CategoryCodes], owner: str, unknown: str) -> list[Array]:
    """The place of each entry among the values of its column; -1 for unknown ones, which may be refused."""
    found = []
    for j, (column, coding) in enumerate(zip(table.parts, codings, strict=True)):
        where = f"{owner}: {column_name(table.names, j)}"
        place = codes_of(column, coding.values, where)
        refuse_unknown(column, place, where, unknown)
        found.append(place)
    return found


def lumped_together(categories: Sequence[Array], rare: Sequence[Array | None]) -> list[Array | None]:
    """The infrequent values of each column, which share a code; None if there are none."""
    return [None if lumped is None else values[lumped] for values, lumped in zip(categories, rare, strict=True)]


def lookup(tables: Sequence[Array], indices: Sequence[Array], dtype: Any) -> Array:
    """out[i, j] = tables[j][indices[j][i]]; index -1 is the last entry of a table."""
    out = np.empty((len(indices[0]), len(indices)), dtype=dtype)
    plain = [np.ascontiguousarray(place, dtype=np.int64) for place in indices]
    if out.dtype in (np.float64, np.float32, np.int32):
        kernels.decode_columns([np.ascontiguousarray(table, dtype=dtype) for table in tables], plain, out)
        return out
    for j, (table, place) in enumerate(zip(tables, plain, strict=True)):
        out[:, j] = table[place]
    return out


def refuse_unknown(column: Array | CategoricalColumn, place: Array, where: str, unknown: str) -> None:
    """Raise an error that names the first unknown value, if such values are errors."""
    if unknown == "error" and (place < 0).any():
        row = int(np.argmax(place < 0))
        value = (column.written() if isinstance(column, CategoricalColumn) else column)[row]
        raise DataError(
            f"{where} has {value!r:.40} in row {row}, but fit has not seen it: Found unknown categories "
            "during transform; set handle_unknown, or correct the value"
        )


def is_list_or_auto(value: Any) -> bool:
    """Whether it says what the categories are: "auto", or a list for each column."""
    return value == "auto" if isinstance(value, str) else isinstance(value, (list, tuple, np.ndarray))


def is_number_type(value: Any) -> bool:
    """Whether it names a type of numbers."""
    try:
        return np.dtype(value).kind in "fiub"
    except TypeError:
        return False


def fitted_and_encoded(encoder: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit an encoder and encode the training rows in one pass over their columns."""
    params.check(encoder)
    data = encoder._training_data(X, y, sample_weight)
    with encoder._fitting(data.X, data.y, data.weight) as trace:
        encoder._remember_columns(data.X, data.names)
        indices = encoder._learn(data)
        trace.exact("the values that occur, counted directly")
    for j, place in enumerate(indices):  # values of rows that do not count are unknown
        where = f"{type(encoder).__name__}: {column_name(data.names, j)}"
        refuse_unknown(data.X.parts[j], place, where, encoder._unknown)
    return wrapped(encoder._encoded(indices), X, encoder)
