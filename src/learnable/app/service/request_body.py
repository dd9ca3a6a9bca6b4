"""The body of a request: read and unpacked within limits, whatever it claims to be."""

from __future__ import annotations

import asyncio
import io
import zlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from ...core import DataError
from .problems import Problem, broken_off, too_large, too_slow, unusable
from .settings import Settings

if TYPE_CHECKING:
    from starlette.requests import Request

    from ..predict.predictor import Answering

GZIP = 31  # how zlib is told that a stream is gzip


async def body_of(request: Request, settings: Settings) -> bytes:
    """All bytes of a body, unpacked, in good time."""
    from starlette.requests import ClientDisconnect

    packing = request.headers.get("content-encoding", "identity").lower()
    if packing not in ("identity", "gzip"):
        raise Problem(415, "unknown_encoding", f"Content-Encoding {packing[:40]!r}", "send gzip, or nothing packed")
    try:
        async with asyncio.timeout(settings.seconds):
            content = await _collected(request.stream(), settings.most_bytes)
    except TimeoutError:
        raise too_slow(settings.seconds, "the body") from None
    except ClientDisconnect:
        raise broken_off() from None
    return unpacked(content, settings.most_bytes) if packing == "gzip" else content


async def _collected(parts: AsyncIterator[bytes], most: int) -> bytes:
    found, size = [], 0
    async for part in parts:
        size += len(part)
        if size > most:
            raise too_large(most)
        found.append(part)
    return b"".join(found)


def unpacked(content: bytes, most: int) -> bytes:
    """The bytes that were packed by gzip; never more than `most` of them are made."""
    unpacker = zlib.decompressobj(GZIP)
    try:
        found = unpacker.decompress(content, most + 1)
    except zlib.error:
        raise unusable("the body is no gzip", "pack it again, or send it as it is") from None
    if len(found) > most:
        raise too_large(most)
    if not unpacker.eof:
        raise unusable("the gzip of the body breaks off", "send all of it")
    if unpacker.unused_data:
        raise unusable("something follows the gzip of the body", "pack the whole body at once")
    return found


def frame_of_csv(body: bytes, requested: Answering) -> Any:
    """The frame that a body of separated values holds."""
    import pyarrow as pa

    from ..predict.chunked_reader import text_pieces
    from ..predict.peekable_stream import Ahead

    def chosen(names: list[str]) -> list[str]:
        return [names[place] for place in requested.places(names)]

    try:
        found = text_pieces("the body", Ahead(io.BytesIO(body)), "csv", chosen)
        tables = list(found.tables)
        if not any(table.num_rows for table in tables):
            raise DataError("the body has a header and no rows")
        return requested.frame(pa.concat_tables(tables), found.ways, 1)
    except DataError as error:
        raise unusable(str(error)) from None
