"""A table with column types, a target, and a role (train, validation, test) for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.runtime.random import RandomState, stream
from ..core.validate.identifier_columns import has_inexact_integers
from ..core.validate.mixed_table import is_missing
from ._reading.column_types import converted, infer_kind, is_number, levels_of, named_kinds
from ._reading.dates import notes_on_days, read_times
from ._reading.python_columns import plain_columns, texts

ROLES = ("train", "validation", "test")


@dataclass(frozen=True, slots=True, repr=False)
class Dataset:
    """Data set.

    Named columns with their types, an optional target, and a role (training, validation, test) for each row.

    columns[name] = values,   types[name] in binary, categorical, ordinal, integer, continuous, time

    Kinds are inferred and shown by printing; `with_types` overrides them. `X` and `y` are what estimators take, and
    `frame()` is a pandas table. `split` gives the rows the roles train, validation and test. `written` states how texts
    that were read as numbers or times wrote them: their decimal sign and unit, or the layout of dates. `missing` holds
    the markers that were declared to mean a missing value.

    >>> table = Dataset.of({"owner": ["yes", "no", "no"], "age": [31, 45, 28], "income": [40.5, 61.0, 33.2]}, "income")
    >>> table
    <Dataset: 3 rows, 3 columns>
    column  kind        missing  values
    owner   binary      0        no, yes
    age     integer     0        28 to 45
    income  continuous  0        33.2 to 61 (target)
    """

    columns: Mapping[str, Array]
    types: Mapping[str, str]
    target: str | None = None
    roles: Array | None = None
    name: str = "Dataset"
    notes: list[str] = field(default_factory=list)
    written: Mapping[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any],
        target: str | None = None,
        types: Mapping[str, str] | None = None,
        name: str = "Dataset",
    ) -> Dataset:
        """A dataset of columns by name, their kinds inferred unless `types` says."""
        arrays = alike(columns, name)
        table = cls(arrays, {key: infer_kind(values) for key, values in arrays.items()}, None, None, name)
        return table.with_types(types or {}).with_target(target)

    def with_types(self, types: Mapping[str, str]) -> Dataset:
        """The same table with other kinds for some columns, their values converted."""
        types = named_kinds(types)
        self._require(types)
        columns = {**self.columns, **{key: converted(key, self.columns[key], kind) for key, kind in types.items()}}
        dates = [key for key, kind in types.items() if kind == "time" and self.columns[key].dtype.kind != "M"]
        layouts = {key: read_times(key, self.columns[key])[1] for key in dates}
        notes = [note for key, layout in layouts.items() for note in notes_on_days(key, self.columns[key], layout)]
        types, written = {**self.types, **types}, {**self.written, **layouts}
        return replace(self, columns=columns, types=types, notes=[*self.notes, *notes], written=written)

    def with_target(self, target: str | None) -> Dataset:
        """The same table with another column to predict, or none."""
        self._require([] if target is None else [target])
        return replace(self, target=target)

    def split(
        self, *, validation: float = 0.0, test: float = 0.25, stratify: bool = False, random_state: RandomState = None
    ) -> Dataset:
        """The same table with roles for its rows: fractions for validation and test, the rest for training.

        With stratify each value of the target has these fractions, up to rounding.
        """
        if validation < 0 or test < 0 or validation + test >= 1:
            raise ParameterError(
                f"{self.name}: the fractions for validation and test must be 0 or more and leave rows for training; "
                f"got {validation} and {test}"
            )
        draws, roles = stream(random_state), np.full(self.n, "train", dtype="U10")
        groups = np.unique(self.y.astype(str), return_inverse=True)[1] if stratify else np.zeros(self.n, dtype=int)
        for group in range(groups.max(initial=0) + 1):
            rows = draws.permutation(np.flatnonzero(groups == group))
            held, tested = (round(share * len(rows)) for share in (validation, test))
            roles[rows[:tested]], roles[rows[tested : tested + held]] = "test", "validation"
        return replace(self, roles=roles)

    def part(self, role: str) -> Dataset:
        """The rows of one role."""
        if self.roles is None:
            raise DataError(f"{self.name}: the rows have no roles yet; call split first")
        if role not in ROLES:
            raise ParameterError(f"{self.name}: a role is one of {', '.join(ROLES)}; got {role!r}")
        return self.rows(self.roles == role)

    def rows(self, chosen: Any) -> Dataset:
        """The table of some rows, by index or mask."""
        columns = {key: values[chosen] for key, values in self.columns.items()}
        return replace(self, columns=columns, roles=None if self.roles is None else self.roles[chosen])

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def names(self) -> list[str]:
        """The columns other than the target."""
        return [key for key in self.columns if key != self.target]

    @property
    def X(self) -> Array:
        """The columns other than the target as a matrix: of numbers if all are, else of Python objects."""
        columns = [self.columns[key] for key in self.names]
        if all(column.dtype.kind in "biuf" for column in columns):
            return (
                np.column_stack([column.astype(np.float64) for column in columns]) if columns else np.empty((self.n, 0))
            )
        matrix = np.empty((self.n, len(columns)), dtype=object)
        for place, column in enumerate(columns):
            matrix[:, place] = column
        return matrix

    @property
    def y(self) -> Array:
        """The target."""
        if self.target is None:
            raise DataError(f"{self.name}: no column is the target; name one with with_target")
        return self.columns[self.target]

    def frame(self) -> Any:
        """The table as a pandas frame: categories as such, in order where they have one."""
        import pandas

        frame = pandas.DataFrame(dict(self.columns))
        for key, kind in self.types.items():
            if kind in ("categorical", "ordinal"):
                levels = levels_of(self.columns[key], kind)
                frame[key] = pandas.Categorical(frame[key], categories=levels, ordered=kind == "ordinal")
        return frame

    def arrow(self, names: Sequence[str] | None = None) -> Any:
        """Some columns, or all, as an Arrow table, which estimators take by names."""
        import pyarrow

        self._require(names or ())
        return pyarrow.table({name: _arrow(self.columns[name]) for name in (self.columns if names is None else names)})

    def _require(self, names: Any) -> None:
        for name in names:
            if name not in self.columns:
                raise DataError(f"{self.name} has no column {name!r}; it has {', '.join(map(repr, self.columns))}")

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        from ._summary import table_text

        return table_text(self)


def _arrow(values: Array) -> Any:
    """A column in Arrow; what Arrow has no kind for becomes text."""
    import pyarrow

    if values.dtype.kind in "fiub":
        return pyarrow.array(values, from_pandas=True)
    if values.dtype.kind == "M":
        return pyarrow.array(values.astype("datetime64[us]"))
    gone = is_missing(values)
    column = pyarrow.array([None if lost else str(entry) for entry, lost in zip(values.tolist(), gone, strict=True)])
    named = all(map(is_number, values[~gone].tolist()))  # who reads texts would take such categories for numbers
    return column.dictionary_encode() if named and not gone.all() else column


def _holds_nested(array: Array) -> bool:
    """Whether some entry is a list or a record."""
    return any(issubclass(kind, (dict, list)) for kind in set(map(type, array.tolist())))


def alike(columns: Mapping[str, Any], name: str) -> dict[str, Array]:
    """The columns as arrays, which must be of one length."""
    arrays = {key: _column(values) for key, values in columns.items()}
    lengths = {key: len(values) for key, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(f"{name}: the columns differ in length: {lengths}")
    return arrays


def _column(values: Any) -> Array:
    """Values as an array of numbers, times or Python objects; lists and records become JSON texts.

    Numbers that pandas calls categories are texts.
    """
    if str(getattr(values, "dtype", "")) == "category":
        return texts(None if entry != entry else str(entry) for entry in values)
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        array = np.empty((0, 0))
    if array.ndim > 1 or (array.dtype.kind == "O" and _holds_nested(array)):
        return plain_columns({"": values}, {}, "Dataset")[0][""]
    if array.dtype.kind in "US" or (array.dtype.kind == "O" and not isinstance(values, np.ndarray)):
        given = list(values)
        array = np.empty(len(given), dtype=object)
        array[:] = given
    entries = array.tolist() if array.dtype.kind == "O" else [""]
    if all(isinstance(entry, (int, float)) or entry is None for entry in entries) and not has_inexact_integers(entries):
        array = np.array([np.nan if entry is None else float(entry) for entry in entries])
    return array
