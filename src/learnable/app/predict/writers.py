"""Writers of predictions: CSV, Parquet or JSON in chunks; a file is written completely or not at all."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import typer

from ...core.printable import printable
from ..console import SCHEMA, complain
from ..safe_csv import safe_cell, safe_column
from .predictions import Predictions

SEPARATED = {".csv": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*SEPARATED, *PARQUET)


class Writer(Protocol):
    """Interface of writers of a table with its predictions."""

    def add(self, table: Any, predictions: Predictions) -> None:
        """Write a chunk."""

    def close(self) -> None:
        """Write the end and flush."""


class CsvWriter:
    """Writer of delimited text: the columns of the table, followed by those of the predictions.

    With `safe`, no cell is a formula for a spreadsheet; for a `terminal`, all text is printable.
    """

    def __init__(self, file: BinaryIO, delimiter: str = ",", *, safe: bool = False, terminal: bool = False) -> None:
        self.file, self.delimiter, self.begun = file, delimiter, False
        self.safe, self.terminal = safe, terminal

    def add(self, table: Any, predictions: Predictions) -> None:
        """Write a chunk; the first one writes the header."""
        joined = with_predictions(table, predictions)
        if not self.begun:
            self.file.write(_line([self._name(name) for name in joined.column_names], self.delimiter))
            self.begun = True
        for block in _lines([self._texts(column) for column in joined.columns], self.delimiter):
            self.file.write(block)

    def _name(self, name: str) -> str:
        name = printable(name) if self.terminal else name
        return str(safe_cell(name)) if self.safe else name

    def _texts(self, column: Any) -> Any:
        """A column as texts."""
        import pyarrow as pa

        texts = column.cast(pa.string())
        if pa.types.is_primitive(column.type):  # numbers, times and truth values
            return texts
        if self.terminal:
            shown = (None if text is None else printable(text) for text in texts.to_pylist())
            texts = pa.chunked_array([pa.array(shown, pa.string())])
        return safe_column(texts) if self.safe else texts

    def close(self) -> None:
        """Flush the file."""
        self.file.flush()


class ParquetWriter:
    """Writer of Parquet: the columns of the table, followed by those of the predictions."""

    def __init__(self, file: BinaryIO) -> None:
        self.file: BinaryIO = file
        self.writer: Any = None

    def add(self, table: Any, predictions: Predictions) -> None:
        """Write a chunk; the first one determines the types."""
        from pyarrow import parquet

        joined = with_predictions(table, predictions)
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.file, joined.schema)
        self.writer.write_table(joined.cast(self.writer.schema))

    def close(self) -> None:
        """End the file."""
        if self.writer is not None:
            self.writer.close()


class JsonWriter:
    """Writer of the predictions as one JSON document, written incrementally."""

    def __init__(self, file: Any) -> None:
        self.file, self.begun = file, False

    def add(self, table: Any, predictions: Predictions) -> None:
        """Write a record for each row."""
        for record in predictions.rows():
            self.file.write(f"{',' if self.begun else self._head()}\n{json.dumps(record)}")
            self.begun = True

    def close(self) -> None:
        """End the document."""
        self.file.write(f"{'' if self.begun else self._head()}\n]}}\n")

    def _head(self) -> str:
        return f'{{"schema": {SCHEMA}, "predictions": ['


def _line(cells: list[str], delimiter: str) -> bytes:
    """One line of delimited text."""
    import csv

    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _lines(columns: list[Any], delimiter: str) -> Iterator[Any]:
    """Columns of texts as lines, in blocks; cells are quoted where necessary, and a missing value is empty."""
    import pyarrow as pa
    from pyarrow import compute

    cells = [_cells(column, delimiter) for column in columns]
    lines = compute.binary_join_element_wise(*cells, delimiter, null_handling="replace", null_replacement="")
    for block in compute.binary_join_element_wise(lines, "", "\n").chunks:
        yield compute.binary_join(pa.ListArray.from_arrays([0, len(block)], block), "")[0].as_buffer()


def _cells(column: Any, delimiter: str) -> Any:
    """Texts as cells of delimited text."""
    from pyarrow import compute

    special = compute.match_substring_regex(column, f'["\r\n{delimiter}]')
    if not compute.any(special).as_py():
        return column
    doubled = compute.replace_substring(column, '"', '""')
    return compute.if_else(special, compute.binary_join_element_wise('"', doubled, '"', ""), column)


def with_predictions(table: Any, predictions: Predictions) -> Any:
    """A table with columns of predictions; names that exist already get an underscore."""
    import pyarrow as pa

    for name, values in predictions.columns().items():
        while name in table.column_names:
            name += "_"
        column = pa.array(values, pa.string() if name.startswith(("plausible", "strange")) else None)
        table = table.append_column(name, column)
    return table


@contextmanager
def open_writer(path: Path | None, as_json: bool, safe_csv: bool = False) -> Iterator[Writer]:
    """Open a writer to a file or standard output; it is closed when all is written."""
    if path is None:
        terminal = sys.stdout.isatty()
        opened: Writer = (
            JsonWriter(sys.stdout) if as_json else CsvWriter(sys.stdout.buffer, safe=safe_csv, terminal=terminal)
        )
        yield opened
        opened.close()
        return
    from ...core.files.atomic_write import placed

    try:
        with placed(path) as file:
            kind = path.suffix.lower()
            opened = ParquetWriter(file) if kind in PARQUET else CsvWriter(file, SEPARATED[kind], safe=safe_csv)
            yield opened
            opened.close()
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        complain(f"{path} cannot be written: {error.strerror}" if error.strerror else str(error))
        raise typer.Exit(2) from None
