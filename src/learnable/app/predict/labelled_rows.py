"""Labelled rows, on which models are evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...deployment import ExpectedColumn
from ..text import quoted
from .chunked_reader import table_chunks
from .number_formats import NumberFormats
from .predictor import Predictor
from .type_conversion import convert_column, null_missing_texts, written


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """A table read at once, and the decimal sign of its texts."""

    name: str
    table: Any
    decimal: str

    @classmethod
    def read(cls, source: str) -> LabelledRows:
        """All rows of a file."""
        import pyarrow as pa

        with table_chunks(source) as found:
            tables = list(found.tables)
        if not tables or not sum(table.num_rows for table in tables):
            raise DataError(f"{found.name} has no rows")
        return cls(found.name, pa.concat_tables(tables), found.formats.decimal)

    def frame(self, predictor: Predictor) -> Any:
        """The columns that a model expects."""
        return predictor.frame(self.table, NumberFormats(self.decimal), 1)

    def truth(self, target: str, predictor: Predictor, remedy: str = "name it by --target") -> Array:
        """The target: numbers, or classes as texts in the notation of the model."""
        if target not in self.table.column_names:
            there = quoted(self.table.column_names)
            raise DataError(f"{self.name} has no target column {target!r}; it has {there}; {remedy}")
        column, classifies = self.table.column(target), predictor.model.task != "regression"
        kind = predictor.model.classes_.dtype.kind if classifies else "f"
        if kind in "biuf":  # 1, 1.0 and true are one class
            expected = ExpectedColumn(target, "number", None, None, [], False)
            numbers = convert_column(column, expected, NumberFormats(self.decimal), 1).to_numpy()
            found, missing = _flags(numbers) if kind == "b" else numbers, np.isnan(numbers)
        else:
            found = np.array(_texts(column), dtype=object)
            missing = np.array([value is None for value in found], dtype=bool)
        if missing.any():
            row = int(np.argmax(missing)) + 1
            raise DataError(f"{self.name}: {target!r} is missing in row {row}; leave out rows without a target")
        return class_texts(found) if classifies else np.asarray(found)


def _flags(numbers: Array) -> Array:
    """0 and 1 as false and true, other numbers unchanged."""
    return np.array([bool(value) if value in (0, 1) else value for value in numbers.tolist()], dtype=object)


def _texts(column: Any) -> list[str | None]:
    """Classes as they are written, None where missing."""
    import pyarrow as pa

    texts = null_missing_texts(column) if pa.types.is_string(column.type) else column
    return [written(value) for value in texts.to_pylist()]


def class_texts(prediction: Array) -> Array:
    """Classes as texts, for comparison with those of a table."""
    return np.array([written(value) for value in prediction.tolist()], dtype=object)
