"""Request bodies: received and decompressed within limits, whatever their headers claim."""

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
    HttpError,
    broken_off,
    too_large,
    too_many_columns,
    too_many_rows,
    too_slow,
    unusable,
)
from .settings import ServiceSettings

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..predict.predictor import Predictor

GZIP = 31  # window bits of zlib that mean gzip
STEP = 2**20  # bytes that are decompressed at once
MAX_LINES = 1000  # of comments above the names of the columns
_line = re.compile(rb"[^\r\n]*[\r\n]?")
MIN_COLUMNS = 1000  # always allowed, whatever the model expects
DELIMITERS = (b",", b";", b"\t", b"|", b"^", b"~", b":")
EXTRA_COLUMNS = 10  # allowed multiple of the columns of the model, if that is more


async def body_of(request: Request, settings: ServiceSettings, held: Reservation) -> tuple[bytes, bool]:
    """All bytes of a body, and whether they are compressed with gzip."""
    from starlette.requests import ClientDisconnect

    packing = request.headers.get("content-encoding", "identity").lower()
    if packing not in ("identity", "gzip"):
        raise HttpError(
            415, "unknown_encoding", f"Content-Encoding {packing[:40]!r}", "send gzip, or an uncompressed body"
        )
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
    """Decompress gzip; never to more than `most` bytes, nor to more than may be held."""
    unpacker, found, size, rest = zlib.decompressobj(GZIP), [], 0, content
    try:
        while size <= most and not unpacker.eof and (part := unpacker.decompress(rest, min(STEP, most + 1 - size))):
            size, rest = size + len(part), unpacker.unconsumed_tail
            held.resize(len(content) + size)
            found.append(part)
    except zlib.error:
        raise unusable("the body is not gzip", "compress it again, or send it uncompressed") from None
    if size > most:
        raise too_large(most)
    if not unpacker.eof:
        raise unusable("the gzip stream of the body is incomplete", "send the whole body")
    if unpacker.unused_data:
        raise unusable("the body has data after the gzip stream", "compress the whole body at once")
    return b"".join(found)


def frame_of_csv(body: bytes, predictor: Predictor, most_rows: int) -> Any:
    """The frame of a CSV body; one that is too long is rejected before it is parsed."""
    import pyarrow as pa

    from ..predict.chunked_reader import text_chunks
    from ..predict.peekable_stream import PeekableStream

    most = max(MIN_COLUMNS, EXTRA_COLUMNS * len(predictor.names))
    check_header(body, most)

    def chosen(names: list[str]) -> list[str]:
        if len(names) > most:
            raise too_many_columns(most)
        return [names[index] for index in predictor.column_indices(names)]

    try:
        found = text_chunks("the body", PeekableStream(io.BytesIO(body)), "csv", chosen)
        tables, rows = [], 0
        for table in found.tables:
            tables.append(table)
            rows += table.num_rows
            if rows > most_rows:
                raise too_many_rows(most_rows)
        if not rows:
            raise DataError("the body has a header but no rows")
        return predictor.frame(pa.concat_tables(tables), found.formats, 1)
    except DataError as error:
        raise unusable(str(error)) from None
    except csv.Error as error:
        raise unusable(f"the body cannot be read as a table: {error}") from None


def check_header(body: bytes, most: int) -> None:
    """Reject a header with too many columns, or with too many bytes or lines including the comments above it.

    >>> check_header(b"# by hand\\nx,y\\n1,2\\n", 2)
    """
    wide = body[:2] in (b"\xff\xfe", b"\xfe\xff")  # two bytes per character
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
    """Number of columns of a line that are aligned by blanks."""
    return 0 if any(mark in line for mark in DELIMITERS) else len(line.split())
