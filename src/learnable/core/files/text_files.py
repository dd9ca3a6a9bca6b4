"""Text of files that others wrote: it is UTF-8, and what is compressed does not unpack to more than is reasonable."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from ..errors import DataError

GZIP_MARK, GZIP = b"\x1f\x8b", 31  # first bytes, and window bits of zlib
ROOMY, MAX_TIMES = 2**26, 100  # bytes that a packed file may have unpacked, or times its own size


def text_of(owner: str, path: Any) -> str:
    """The text of a file; `owner`, the function that reads it, begins the message about one that is none."""
    place = Path(path)
    if not place.is_file():
        what = f"{place} is a folder" if place.is_dir() else f"file {place} does not exist"
        raise DataError(f"{owner}: {what}; give the path of a text file")
    content = place.read_bytes()
    if content.startswith(GZIP_MARK):
        content = _unpacked(content, f"{owner}: {place.name}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{owner}: {place.name} is not UTF-8 text: byte {error.start}; convert it first") from None
    if "\0" in text:
        raise DataError(f"{owner}: {place.name} is not text: it has zero bytes")
    return text


def lines_of(owner: str, path: Any) -> list[str]:
    """The lines of a file, which line feeds, carriage returns or both end; other separators are part of them."""
    text = text_of(owner, path)
    lines = text.replace("\r\n", "\n").split("\n") if "\n" in text else text.split("\r")
    return lines[:-1] if lines[-1] == "" else lines


def _unpacked(content: bytes, where: str) -> bytes:
    """The members of a gzip file one after the other."""
    most, found, size = max(ROOMY, MAX_TIMES * len(content)), [], 0
    try:
        while content:
            unpacker = zlib.decompressobj(GZIP)
            part = unpacker.decompress(content, most + 1 - size)
            size += len(part)
            if size > most:
                raise DataError(f"{where} unpacks to more than {most} bytes; unpack it first")
            if not unpacker.eof:
                raise DataError(f"{where} ends early: its compressed data is incomplete")
            found.append(part)
            content = unpacker.unused_data.lstrip(b"\0")  # zeros may fill up the last block of a tape
    except zlib.error as error:
        raise DataError(f"{where} cannot be unpacked: {error}") from None
    return b"".join(found)
