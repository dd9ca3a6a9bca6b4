"""The body of a request: read and unpacked within limits, whatever it claims to be."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import zlib
from collections.abc import AsyncIterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...core import DataError
from .budget import Reservation
from .problems import (
    MAX_HEADER,
    Problem,
    broken_off,
    too_large,
    too_many_columns,
    too_many_rows,
    too_slow,
    unusable,
)
from .settings import Settings

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..predict.predictor import Answering

GZIP = 31  # how zlib is told that a stream is gzip
STEP = 2**20  # bytes that are unpacked at once
MAX_LINES = 1000  # of comments above the names of the columns
_line = re.compile(rb"[^\r\n]*[\r\n]?")
MIN_COLUMNS = 1000  # that a table may have whatever the model takes
DELIMITERS = (b",", b";", b"\t", b"|", b"^", b"~", b":")
EXTRA_COLUMNS = 10  # times as many as the model takes, if that is more


async def body_of(request: Request, settings: Settings, held: Reservation) -> tuple[bytes, bool]:
    """All bytes of a body, and whether they are packed by gzip."""
    from starlette.requests import ClientDisconnect

    packing = request.headers.get("content-encoding", "identity").lower()
    if packing not in ("identity", "gzip"):
        raise Problem(415, "unknown_encoding", f"Content-Encoding {packing[:40]!r}", "send gzip, or nothing packed")
    try:
        async with asyncio.timeout(settings.seconds):
            content = await _collected(request.stream(), settings.most_bytes, held)
    except TimeoutError:
        raise too_slow(settings.seconds, "the body") from None
    except ClientDisconnect:
        raise broken_off() from None
    return content, packing == "gzip"


async def _collected(parts: AsyncIterator[bytes], most: int, held: Reservation) -> bytes:
    found, size = [], 0
    async for part in parts:
        size += len(part)
        if size > most:
            raise too_large(most)
        held.resize(size)
        found.append(part)
    return b"".join(found)


def unpacked(content: bytes, most: int, held: Reservation) -> bytes:
    """The bytes that were packed by gzip; never more than `most` of them are made, nor more than may be held."""
    unpacker, found, size, rest = zlib.decompressobj(GZIP), [], 0, content
    try:
        while size <= most and not unpacker.eof and (part := unpacker.decompress(rest, min(STEP, most + 1 - size))):
            size, rest = size + len(part), unpacker.unconsumed_tail
            held.resize(len(content) + size)
            found.append(part)
    except zlib.error:
        raise unusable("the body is not gzip", "pack it again, or send it as it is") from None
    if size > most:
        raise too_large(most)
    if not unpacker.eof:
        raise unusable("the gzip of the body breaks off", "send all of it")
    if unpacker.unused_data:
        raise unusable("something follows the gzip of the body", "pack the whole body at once")
    return b"".join(found)


def frame_of_csv(body: bytes, requested: Answering, most_rows: int) -> Any:
    """The frame that a body of separated values holds; what is too long is refused before it is read."""
    import pyarrow as pa

    from ..predict.chunked_reader import text_pieces
    from ..predict.peekable_stream import Ahead

    most = max(MIN_COLUMNS, EXTRA_COLUMNS * len(requested.names))
    check_header(body, most)

    def chosen(names: list[str]) -> list[str]:
        if len(names) > most:
            raise too_many_columns(most)
        return [names[place] for place in requested.places(names)]

    try:
        found = text_pieces("the body", Ahead(io.BytesIO(body)), "csv", chosen)
        tables, rows = [], 0
        for table in found.tables:
            tables.append(table)
            rows += table.num_rows
            if rows > most_rows:
                raise too_many_rows(most_rows)
        if not rows:
            raise DataError("the body has a header and no rows")
        return requested.frame(pa.concat_tables(tables), found.ways, 1)
    except DataError as error:
        raise unusable(str(error)) from None
    except csv.Error as error:
        raise unusable(f"the body cannot be read as a table: {error}") from None


def check_header(body: bytes, most: int) -> None:
    """Refuse a header of too many columns, or of too many bytes or lines with the comments above it.

    >>> check_header(b"# by hand\\nx,y\\n1,2\\n", 2)
    """
    wide = body[:2] in (b"\xff\xfe", b"\xfe\xff")  # two bytes to a letter
    for found in islice(_line.finditer(body, 0, MAX_HEADER + 1), MAX_LINES):
        if found.end() > MAX_HEADER:
            break
        line = found[0].replace(b"\0", b"") if wide else found[0]
        comment = line.startswith(b"#")
        if max(map(line.count, DELIMITERS)) >= most or (not comment and _words(line) > most):
            break
        if line.strip() and not comment and not line.lower().startswith((b"sep=", b'"sep=')):
            return
        if found.end() == len(body):
            return
    raise too_many_columns(most)


def _words(line: bytes) -> int:
    """Columns of a line that are aligned by blanks."""
    return 0 if any(mark in line for mark in DELIMITERS) else len(line.split())
