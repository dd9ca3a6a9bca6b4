"""Where answers go: CSV or Parquet, written piece by piece; a file is there whole or not at all."""

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
from ..spreadsheet import safe_cell, safe_column
from .predictions import Answers

SEPARATED = {".csv": ",", ".tsv": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*SEPARATED, *PARQUET)


class Sink(Protocol):
    """Takes the pieces of a table with the answers for their rows."""

    def add(self, table: Any, answers: Answers) -> None:
        """Write a piece."""

    def close(self) -> None:
        """Write what comes at the end."""


class CsvSink:
    """The table with columns for the answers beside its own, as separated values.

    `safe` ones hold nothing that a spreadsheet takes for a formula; those for a `terminal` are printable.
    """

    def __init__(self, file: BinaryIO, delimiter: str = ",", *, safe: bool = False, terminal: bool = False) -> None:
        self.file, self.delimiter, self.begun = file, delimiter, False
        self.safe, self.terminal = safe, terminal

    def add(self, table: Any, answers: Answers) -> None:
        """Write a piece; the first one names the columns."""
        joined = with_answers(table, answers)
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
        """Let nothing wait."""
        self.file.flush()


class ParquetSink:
    """The table with columns for the answers beside its own, as Parquet."""

    def __init__(self, file: BinaryIO) -> None:
        self.file: BinaryIO = file
        self.writer: Any = None

    def add(self, table: Any, answers: Answers) -> None:
        """Write a piece; the first one decides the types."""
        from pyarrow import parquet

        joined = with_answers(table, answers)
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.file, joined.schema)
        self.writer.write_table(joined.cast(self.writer.schema))

    def close(self) -> None:
        """End the file."""
        if self.writer is not None:
            self.writer.close()


class JsonSink:
    """The answers as one JSON document, written as they come."""

    def __init__(self, file: Any) -> None:
        self.file, self.begun = file, False

    def add(self, table: Any, answers: Answers) -> None:
        """Write a record for each row."""
        for record in answers.rows():
            self.file.write(f"{',' if self.begun else self._head()}\n{json.dumps(record)}")
            self.begun = True

    def close(self) -> None:
        """End the document."""
        self.file.write(f"{'' if self.begun else self._head()}\n]}}\n")

    def _head(self) -> str:
        return f'{{"schema": {SCHEMA}, "answers": ['


def _line(cells: list[str], delimiter: str) -> bytes:
    """One line of separated values."""
    import csv

    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _lines(columns: list[Any], delimiter: str) -> Iterator[Any]:
    """Columns of texts as lines, in blocks; a cell is quoted if it has to be, and a missing value is empty."""
    import pyarrow as pa
    from pyarrow import compute

    cells = [_cells(column, delimiter) for column in columns]
    lines = compute.binary_join_element_wise(*cells, delimiter, null_handling="replace", null_replacement="")
    for block in compute.binary_join_element_wise(lines, "", "\n").chunks:
        yield compute.binary_join(pa.ListArray.from_arrays([0, len(block)], block), "")[0].as_buffer()


def _cells(column: Any, delimiter: str) -> Any:
    """Texts as cells of separated values."""
    from pyarrow import compute

    special = compute.match_substring_regex(column, f'["\r\n{delimiter}]')
    if not compute.any(special).as_py():
        return column
    doubled = compute.replace_substring(column, '"', '""')
    return compute.if_else(special, compute.binary_join_element_wise('"', doubled, '"', ""), column)


def with_answers(table: Any, answers: Answers) -> Any:
    """A table and columns for the answers; a name that is taken gets an underscore."""
    import pyarrow as pa

    for name, values in answers.columns().items():
        while name in table.column_names:
            name += "_"
        column = pa.array(values, pa.string() if name.startswith(("plausible", "strange")) else None)
        table = table.append_column(name, column)
    return table


@contextmanager
def sink(path: Path | None, as_json: bool, safe_csv: bool = False) -> Iterator[Sink]:
    """The place for the answers: a file, or standard output; closed when all is written."""
    if path is None:
        terminal = sys.stdout.isatty()
        opened: Sink = JsonSink(sys.stdout) if as_json else CsvSink(sys.stdout.buffer, safe=safe_csv, terminal=terminal)
        yield opened
        opened.close()
        return
    from ...core.files.atomic_write import placed

    try:
        with placed(path) as file:
            kind = path.suffix.lower()
            opened = ParquetSink(file) if kind in PARQUET else CsvSink(file, SEPARATED[kind], safe=safe_csv)
            yield opened
            opened.close()
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        complain(f"{path} cannot be written: {error.strerror}" if error.strerror else str(error))
        raise typer.Exit(2) from None
