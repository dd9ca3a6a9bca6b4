"""Tables from files: any dialect of separated values, JSON lines, Parquet, Arrow; compressed or from standard input."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from .arrow import columns_of_binary
from .dataset import Dataset
from .separated import MISSING, columns_of_text, decoded_text, found_dialect

Format = Literal["csv", "tsv", "jsonl", "parquet", "arrow"]
SUFFIXES: dict[str, Format] = {
    ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip


def read_table(
    source: Any,
    *,
    target: str | None = None,
    types: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = MISSING,
    format: Format | None = None,
) -> Dataset:
    """The table in a file, as a Dataset whose kinds of columns are inferred and shown when it is printed.

    source is a path, "-" for standard input, or an open file; gzip is undone. Format, encoding, delimiter and decimal
    sign are found out unless given. types overrides kinds, such as {"zip": "categorical"}, which keeps 01234 as it is
    written; missing lists the texts that mean no value. What cannot be read is an error that names the line and the
    remedy.

    >>> import io
    >>> read_table(io.StringIO("name;height\\nann;1,68\\nbob;1,81\\ncy;?\\n"), target="height")
    <table: 3 rows, 2 columns>
    column  kind         missing  values
    name    categorical  0        ann, bob, cy
    height  continuous   1        1.68 to 1.81 (target)
    """
    name, columns, notes = read_columns(
        source, delimiter=delimiter, decimal=decimal, encoding=encoding, missing=missing, format=format,
        as_text=[column for column, kind in (types or {}).items() if kind == "categorical"],
    )  # fmt: skip
    if not len(next(iter(columns.values()), ())):
        raise DataError(f"{name} has 0 rows and {len(columns)} columns; a table needs rows")
    table = Dataset.of(columns, target, types, name)
    table.notes.extend(notes)
    return table


def read_columns(
    source: Any,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = MISSING,
    format: Format | None = None,
    as_text: Sequence[str] = (),
) -> tuple[str, dict[str, Array], list[str]]:
    """Name of the source, its columns by name, and notes on what was guessed; `as_text` names columns of codes."""
    name, content = _content(source)
    kind = format or _format(name, content)
    if kind not in (*SUFFIXES.values(), "csv"):
        raise ParameterError(f"read_table: format must be csv, tsv, jsonl, parquet or arrow; got {kind!r}")
    if kind in ("parquet", "arrow"):
        return name, columns_of_binary(content, kind, name), []
    text, coding = decoded_text(content, encoding, name)
    notes = [f"read as {coding}: the bytes are not UTF-8"] if coding == "latin-1" and encoding is None else []
    if kind == "jsonl":
        return name, _columns_of_lines(text, name), notes
    dialect = found_dialect(text, delimiter, decimal, "\t" if kind == "tsv" else None)
    return name, columns_of_text(text, dialect, missing, name, as_text), notes


def _content(source: Any) -> tuple[str, bytes]:
    """Name and bytes of a path, of standard input or of an open file, gzip undone."""
    if hasattr(source, "read"):
        name, content = Path(str(getattr(source, "name", "table"))).name, source.read()
    elif str(source) == "-":
        name, content = "standard input", sys.stdin.buffer.read()
    else:
        path = Path(source)
        if path.is_dir():
            raise DataError(f"{path.resolve()} is a folder; name a file in it")
        if not path.is_file():
            raise DataError(f"there is no file {path}")
        name, content = path.name, path.read_bytes()
    if isinstance(content, str):
        content = content.encode()
    if not content.startswith(b"\x1f\x8b"):
        return name, content
    try:
        return name.removesuffix(".gz"), gzip.decompress(content)
    except (OSError, EOFError) as error:
        raise DataError(f"{name} cannot be read as a table: {error}") from None


def _format(name: str, content: bytes) -> Format:
    """What the bytes are, or else what the name promises."""
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(b"ARROW1"):
        return "arrow"
    return SUFFIXES.get(Path(name).suffix.lower(), "csv")


def _columns_of_lines(text: str, name: str) -> dict[str, Array]:
    """The columns of records that stand one to a line, in the order in which they first appear."""
    records = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataError(f"{name} cannot be read as a table: line {number}: {error}") from None
        if not isinstance(record, dict):
            raise DataError(f"{name} cannot be read as a table: line {number} is no record {{...}}: {line!r:.40}")
        records.append(record)
    names = dict.fromkeys(column for record in records for column in record)
    return {column: _plain([record.get(column) for record in records]) for column in names}


def _plain(values: list[Any]) -> Array:
    if all(value is None or isinstance(value, (int, float)) for value in values):
        return np.array([np.nan if value is None else float(value) for value in values])
    column = np.empty(len(values), dtype=object)
    column[:] = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return column
