"""Sparse tables in the text format of SVMlight: `target qid:query index:value index:value # comment`."""

from __future__ import annotations

import bz2
import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Column, DataType, Rows, checked
from ..core.errors import DataError, ParameterError, ParameterTypeError
from ..core.validate.features import FeatureValidator

OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}


@dataclass(slots=True)
class Lines:
    """What the lines of one file hold, row after row."""

    targets: list[Any] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    indices: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)

    @property
    def columns(self) -> Array:
        """All indices in a row."""
        return np.concatenate([np.empty(0, dtype=np.int64), *self.indices])

    def table(self, n_features: int, first: int, dtype: Any) -> Any:
        """The sparse table with the given number of columns, the first of which has the index `first`."""
        from scipy.sparse import csr_matrix

        ends = np.cumsum([0, *map(len, self.indices)])
        values = np.concatenate([np.empty(0), *self.values]).astype(dtype)
        return csr_matrix((values, self.columns - first, ends), shape=(len(self.targets), n_features))


@checked()
def load_svmlight_file(
    f: Any,
    *,
    n_features: int | None = None,
    dtype: DataType = np.float64,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
    query_id: bool = False,
    offset: int = 0,
    length: int = -1,
) -> tuple[Any, ...]:
    """Load a file in SVMlight format as a sparse matrix and its target: (X, y), or (X, y, queries) with query_id.

    f is a path (.gz and .bz2 are unpacked), an open binary file or a file descriptor. Indices begin with 0 or 1 as
    zero_based says; "auto" takes them to begin with 1 unless there is a 0. With offset and length only the lines that
    begin in that stretch of bytes are read, and n_features must be given.

    >>> import io
    >>> X, y = load_svmlight_file(io.BytesIO(b"1 1:0.5 3:2\\n-1 2:1.5 # a comment\\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.5, 0.0]], [1.0, -1.0])
    """
    found = load_svmlight_files(
        [f], n_features=n_features, dtype=dtype, multilabel=multilabel, zero_based=zero_based, query_id=query_id,
        offset=offset, length=length,
    )  # fmt: skip
    return tuple(found)


@checked()
def load_svmlight_files(
    files: Any,
    *,
    n_features: int | None = None,
    dtype: DataType = np.float64,
    multilabel: bool = False,
    zero_based: bool | str = "auto",
    query_id: bool = False,
    offset: int = 0,
    length: int = -1,
) -> list[Any]:
    """Load several files in SVMlight format with the same columns: [X1, y1, X2, y2, ...].

    >>> import io
    >>> X, y, Z, z = load_svmlight_files([io.BytesIO(b"1 1:0.5\\n"), io.BytesIO(b"2 3:1\\n")])
    >>> X.shape, Z.shape
    ((1, 3), (1, 3))
    """
    partly = offset != 0 or length > 0
    if partly and n_features is None:
        raise ParameterError(
            "load_svmlight_files: a part of a file may lack columns; give n_features with offset or length"
        )
    read = [_read(source, multilabel, offset, length) for source in files]
    lowest = [int(lines.columns.min(initial=1)) for lines in read]
    first = 0 if zero_based is True or (zero_based == "auto" and (partly or min(lowest, default=1) == 0)) else 1
    if first == 1 and min(lowest, default=1) < 1:
        raise DataError("load_svmlight_files: there is an index 0, so indices begin with 0; set zero_based=True")
    needed = max((int(lines.columns.max(initial=first - 1)) + 1 - first for lines in read), default=0)
    if n_features is not None and n_features < needed:
        raise ParameterError(
            f"load_svmlight_files: n_features was set to {n_features}, but input file contains {needed} features"
        )
    found: list[Any] = []
    for lines in read:
        found += [lines.table(needed if n_features is None else n_features, first, dtype), _target(lines, multilabel)]
        if query_id:
            found.append(np.array(lines.queries, dtype=np.int64))
    return found


@checked()
def dump_svmlight_file(
    X: Rows,
    y: Rows,
    f: Any,
    *,
    zero_based: bool = True,
    comment: str | bytes | None = None,
    query_id: Column | None = None,
    multilabel: bool = False,
) -> None:
    """Write a dense or sparse table and its target in SVMlight format to a path or an open binary file.

    Zeros are left out; numbers are written so that reading them gives them back. With multilabel y is a table of
    zeros and ones, and the columns of the ones are the labels.

    >>> import io
    >>> file = io.BytesIO()
    >>> dump_svmlight_file([[0.5, 0.0, 2.0]], [1], file)
    >>> file.getvalue()
    b'1 0:0.5 2:2\\n'
    """
    from scipy.sparse import csr_matrix, issparse

    owner = "dump_svmlight_file"
    FeatureValidator(owner, sparse=True, missing="native").matrix(X)  # refuses what is not a table of numbers
    rows = csr_matrix(X) if not issparse(X) else X.tocsr().sorted_indices()
    targets = np.asarray(_dense(y))
    if not multilabel and targets.ndim > 1 and targets.shape[1] != 1:
        raise DataError(
            f"{owner}: y must be one column of {rows.shape[0]} targets; got shape {targets.shape}; set multilabel=True"
        )
    targets = targets if multilabel else targets.reshape(-1)
    if len(targets) != rows.shape[0]:
        raise DataError(f"{owner}: X has {rows.shape[0]} rows and y has {len(targets)}; they must have the same length")
    queries = None if query_id is None else np.asarray(query_id)
    if queries is not None and queries.shape != (rows.shape[0],):
        raise DataError(f"{owner}: query_id must hold a number for each of the {rows.shape[0]} rows")
    with _opened(f, "wb") as file:
        file.write(_heading(comment, zero_based))
        for place in range(rows.shape[0]):
            label = _labels(targets[place]) if multilabel else _number(targets[place])
            head = label if queries is None else f"{label} qid:{int(queries[place])}"
            part = slice(rows.indptr[place], rows.indptr[place + 1])
            pairs = zip(rows.indices[part].tolist(), rows.data[part].tolist(), strict=True)
            cells = [f"{index + (not zero_based)}:{_number(value)}" for index, value in pairs if value != 0]
            file.write(f"{head} {' '.join(cells)}\n".encode())


def _read(source: Any, multilabel: bool, offset: int, length: int) -> Lines:
    lines = Lines()
    with _opened(source, "rb") as file:
        for number, line in enumerate(_stretch(file, offset, length), start=1):
            words = line.partition(b"#")[0].split()
            if not words:
                continue
            try:
                _take(words, lines, multilabel)
            except (ValueError, OverflowError) as error:
                where = f"line {number}" + (f" after byte {offset}" if offset else "")
                said = line.strip().decode(errors="replace")[:60]
                raise DataError(f"load_svmlight_file: {where} is {said!r}: {error}") from None
    return lines


def _take(words: list[bytes], lines: Lines, multilabel: bool) -> None:
    """Add the row that a line's words describe."""
    first, pairs = words[0], words[1:]
    if multilabel:
        tagged = b":" in first or first == b"qid"
        labels = b"" if tagged else first
        pairs = words if tagged else pairs
        target: Any = tuple(sorted(float(label) for label in labels.split(b",") if label))
    else:
        target = float(first)
    query = 0
    if pairs and pairs[0].startswith(b"qid:"):
        query, pairs = int(pairs[0][4:]), pairs[1:]
    if not all(pair.count(b":") == 1 for pair in pairs):
        raise ValueError("after the target there must be pairs index:value")
    entries = [pair.split(b":") for pair in pairs]
    indices = np.array([int(index) for index, _ in entries], dtype=np.int64)
    if (indices < 0).any():
        raise ValueError(f"Invalid index {indices.min()}; the first column has index 0 or 1")
    if (np.diff(indices) <= 0).any():
        raise ValueError("Feature indices in SVMlight/LibSVM data file should be sorted and unique.")
    lines.targets.append(target)
    lines.queries.append(query)
    lines.indices.append(indices)
    lines.values.append(np.array([float(value) for _, value in entries]))


def _target(lines: Lines, multilabel: bool) -> Any:
    return lines.targets if multilabel else np.array(lines.targets, dtype=np.float64)


def _stretch(file: BinaryIO, offset: int, length: int) -> Iterator[bytes]:
    """Lines that begin after `offset` and not after `offset + length`; all to the end for a negative length.

    A line that begins at an offset above 0 belongs to the stretch that ends there.
    """
    if length == 0 and offset == 0:
        return
    if offset > 0:
        file.seek(offset)
        file.readline()
    while line := file.readline():
        yield line
        if length >= 0 and file.tell() > offset + length:
            return


@contextmanager
def _opened(source: Any, mode: str) -> Iterator[Any]:
    """A path opened, unpacked where its name says so; files and descriptors as they are."""
    if hasattr(source, "read" if mode == "rb" else "write"):
        yield source
        return
    if isinstance(source, int):
        with os.fdopen(source, mode, closefd=False) as file:
            yield file
        return
    if not isinstance(source, (str, os.PathLike)):
        raise ParameterTypeError(
            f"load_svmlight_file: f must be a path, an open binary file or a descriptor; got {source!r}"
        )
    path = Path(source)
    if mode == "rb" and not path.is_file():
        raise FileNotFoundError(f"load_svmlight_file: file {path} does not exist")
    with OPENERS.get(path.suffix, open)(path, mode) as file:
        yield file


def _heading(comment: str | bytes | None, zero_based: bool) -> bytes:
    if not comment:
        return b""
    text = comment.decode("ascii") if isinstance(comment, bytes) else comment
    if "\0" in text:
        raise ParameterError("dump_svmlight_file: a comment cannot hold the character of code zero; take it out")
    lines = [*text.split("\n"), "", f"Column indices are {'zero' if zero_based else 'one'}-based"]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()


def _labels(row: Array) -> str:
    return ",".join(str(label) for label in np.flatnonzero(row))


def _number(value: Any) -> str:
    """The shortest text with 16 digits, and no point in whole numbers."""
    return f"{float(value):.17g}" if float(f"{float(value):.16g}") != float(value) else f"{float(value):.16g}"


def _dense(table: Any) -> Array:
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table)
