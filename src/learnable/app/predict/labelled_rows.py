"""Rows whose answer is known, for models to be judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...deployment import ExpectedColumn
from ..text import quoted
from .chunked_reader import pieces
from .number_formats import Ways
from .predictor import Answering
from .type_conversion import converted, known, written


@dataclass(frozen=True, slots=True)
class Labelled:
    """A table read at once, and the sign that numbers in its texts have."""

    name: str
    table: Any
    decimal: str

    @classmethod
    def read(cls, source: str) -> Labelled:
        """All rows of a file."""
        import pyarrow as pa

        with pieces(source) as found:
            tables = list(found.tables)
        if not tables or not sum(table.num_rows for table in tables):
            raise DataError(f"{found.name} has no rows")
        return cls(found.name, pa.concat_tables(tables), found.ways.decimal)

    def frame(self, requested: Answering) -> Any:
        """The columns that a model expects."""
        return requested.frame(self.table, Ways(self.decimal), 1)

    def truth(self, target: str, requested: Answering, remedy: str = "name it by --target") -> Array:
        """The known answers: numbers, or classes as texts, in the words of a model."""
        if target not in self.table.column_names:
            there = quoted(self.table.column_names)
            raise DataError(f"{self.name} has no column {target!r} of answers; it has {there}; {remedy}")
        column, classifies = self.table.column(target), requested.model.task != "regression"
        kind = requested.model.classes_.dtype.kind if classifies else "f"
        if kind in "biuf":  # 1, 1.0 and true are one class
            expected = ExpectedColumn(target, "number", None, None, [], False)
            numbers = converted(column, expected, Ways(self.decimal), 1).to_numpy()
            found, gone = _flags(numbers) if kind == "b" else numbers, np.isnan(numbers)
        else:
            found = np.array(_texts(column), dtype=object)
            gone = np.array([value is None for value in found], dtype=bool)
        if gone.any():
            row = int(np.argmax(gone)) + 1
            raise DataError(f"{self.name}: {target!r} is missing in row {row}; leave rows without an answer out")
        return words(found) if classifies else np.asarray(found)


def _flags(numbers: Array) -> Array:
    """0 and 1 as false and true, other numbers as they are."""
    return np.array([bool(value) if value in (0, 1) else value for value in numbers.tolist()], dtype=object)


def _texts(column: Any) -> list[str | None]:
    """Classes as they are written, None where missing."""
    import pyarrow as pa

    texts = known(column) if pa.types.is_string(column.type) else column
    return [written(value) for value in texts.to_pylist()]


def words(prediction: Array) -> Array:
    """Classes as texts, to be compared with those of a table."""
    return np.array([written(value) for value in prediction.tolist()], dtype=object)
