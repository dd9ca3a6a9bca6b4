"""Columns of a table as a network sees them: codes of states, or real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..core import Array, DataError, Table
from ..core.validate.mixed_table import CategoricalColumn, is_missing
from ..engines.columns.categories import codes_of, factorised

MISSING, UNKNOWN = np.uint16(65535), np.uint16(65534)
MAX_ABSOLUTE = 1e150
NO_STATES: Array = np.empty(0, dtype=object)


@dataclass(frozen=True)
class Columns:
    """A table by column: `code` of the categorical ones, `value` of the others.

    Codes beyond the states are MISSING, or UNKNOWN: not a state that was there in training.

    `states` holds the sorted states of each categorical column, and is empty for a continuous one.
    """

    states: list[Array]
    code: Array
    value: Array
    names: list[str]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.code.shape[1])

    @property
    def card(self) -> Array:
        """The number of states of each column, 0 of continuous ones."""
        return np.array([len(states) for states in self.states], dtype=np.int64)

    @property
    def discrete(self) -> Array:
        """Which columns are categorical."""
        return self.card > 0

    @cached_property
    def missing(self) -> Array:
        """Which entries are missing, column by column."""
        found = self.code >= np.maximum(self.card, 1).astype(np.uint16)[:, None]
        continuous = ~self.discrete
        if continuous.any():
            found[continuous] = np.isnan(self.value[continuous])
        return found

    def chosen(self, rows: Array) -> Columns:
        """The same of some rows."""
        return Columns(self.states, self.code[:, rows].copy(), self.value[:, rows].copy(), self.names)


def is_categorical(part: Array | CategoricalColumn) -> bool:
    """Whether a column holds states rather than real numbers: text, categories, flags and whole numbers do."""
    return isinstance(part, CategoricalColumn) or part.dtype.kind in "OUSbiu"


def learn_columns(table: Table, names: Sequence[str], categorical: Sequence[bool], owner: str) -> Columns:
    """The columns of a training table, with the states that occur."""
    found = _empty(table.shape[0], list(names), [not discrete for discrete in categorical])
    for j, (part, name, discrete) in enumerate(zip(table.parts, names, categorical, strict=True)):
        where = f"{owner}: column {name!r}"
        if not discrete:
            found.value[j] = _numbers(part, where)
            continue
        values, codes = factorised(part, where)
        gone = np.asarray(is_missing(values))
        known = values[~gone]
        if len(known) == 0:
            raise DataError(f"{where} has no entry that is not missing; drop the column")
        if len(known) >= UNKNOWN:
            raise DataError(f"{where} has {len(known)} states; give real numbers as floats, or group rare states")
        found.states[j] = np.asarray(known)
        found.code[j] = codes if not gone.any() else np.where(gone, MISSING, np.cumsum(~gone) - 1)[codes]
    return found


def _empty(rows: int, names: list[str], continuous: Sequence[bool]) -> Columns:
    """A table without entries, and without memory for real numbers where no column is continuous."""
    shape = len(names), rows
    value = np.full(shape, np.nan) if any(continuous) else np.broadcast_to(np.nan, shape)
    return Columns([NO_STATES] * len(names), np.full(shape, MISSING, dtype=np.uint16), value, names)


def read_columns(table: Table, names: Sequence[str], states: list[Array], owner: str) -> Columns:
    """The columns of a table with known states; an entry that is none of them has the code 65534."""
    columns = _empty(table.shape[0], list(names), [len(known) == 0 for known in states])
    code, value = columns.code, columns.value
    columns.states[:] = states
    for j, (part, known) in enumerate(zip(table.parts, states, strict=True)):
        where = f"{owner}: column {names[j]!r}"
        if len(known) == 0:
            value[j] = _numbers(part, where)
            continue
        found = codes_of(part, known, where)
        if (found < 0).all() and known.dtype.kind == "O" and not isinstance(part, CategoricalColumn):
            found = codes_of(np.array([str(entry) for entry in part.tolist()], dtype=object), known, where)
        gone = np.asarray(is_missing(part))
        code[j] = np.where(gone, MISSING, np.where(found < 0, UNKNOWN, found)).astype(np.uint16)
    return columns


def refuse_large(columns: Columns, owner: str) -> None:
    """Refuse numbers whose squares are beyond the range of floats."""
    if columns.discrete.all():
        return
    largest = np.nanmax(np.abs(columns.value), axis=1, initial=0.0)
    worst = int(np.argmax(largest))
    if largest[worst] > MAX_ABSOLUTE:
        raise DataError(
            f"{owner}: column {columns.names[worst]!r} holds numbers as large as {largest[worst]:.3g}, whose squares "
            "overflow; divide the column by a power of ten"
        )


def _numbers(part: Array | CategoricalColumn, where: str) -> Array:
    written = part.written() if isinstance(part, CategoricalColumn) else part
    try:
        return np.asarray(written, dtype=np.float64)
    except (TypeError, ValueError):
        odd: Any = next(entry for entry in written.tolist() if not isinstance(entry, (int, float)))
        raise DataError(f"{where} holds {odd!r:.40}, but the network has real numbers there") from None
