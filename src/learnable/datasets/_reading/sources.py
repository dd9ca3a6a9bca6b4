"""The bytes that a table comes in: of a path, of standard input or of an open file, unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core.errors import DataError, ParameterTypeError
from ...core.runtime import context, memory

PACKED: dict[bytes, tuple[str, Callable[[Any], Any]]] = {
    b"\x1f\x8b": (".gz", gzip.open),
    b"BZh": (".bz2", bz2.open),
    b"\xfd7zXZ\x00": (".xz", lzma.open),
}
BLOCK = 1 << 26  # bytes that are read at once
COPIES = 5  # of the bytes of a file that are held while it is read: letters, cells, columns and what is in between


def name_of(source: Any) -> str:
    """What a source is called: a file without its folders."""
    if isinstance(source, (str, os.PathLike)):
        return "standard input" if str(source) == "-" else Path(source).name
    return Path(str(getattr(source, "name", "table"))).name


def named_bytes(source: Any) -> tuple[str, bytes]:
    """Name and bytes of a path, of standard input for "-", or of an open file; compression is undone."""
    name = name_of(source)
    if hasattr(source, "read"):
        content = source.read()
    elif not isinstance(source, (str, os.PathLike)):
        raise ParameterTypeError(
            f'read_table: source must be a path, "-" for standard input or an open file; got an object of '
            f"type {type(source).__name__}. Columns that are already here go into Dataset.of"
        )
    elif str(source) == "-":
        content = _collected(name, sys.stdin.buffer)
    else:
        content = _of_file(source)
    return _unpacked(name, content.encode() if isinstance(content, str) else content)


def _of_file(source: str | os.PathLike[str]) -> bytes:
    if "://" in str(source):
        raise DataError("nothing is downloaded: the source is a URL; get the file yourself and name it")
    path = Path(source)
    if not str(source) or path.is_dir():
        raise DataError(f"{path.resolve()} is a folder; name a file in it")
    if not path.is_file():
        raise DataError(f"file {path} does not exist")
    try:
        check_room(path.name, path.stat().st_size)
        with path.open("rb") as file:
            return _collected(path.name, file)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None


def _unpacked(name: str, content: bytes) -> tuple[str, bytes]:
    for mark, (suffix, opened) in PACKED.items():
        if content.startswith(mark):
            try:
                return name.removesuffix(suffix), _collected(name, opened(io.BytesIO(content)))
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise DataError(
                    f"{name} cannot be read as a table: its {suffix} compression is broken ({error}); fetch it again"
                ) from None
    return name, content


def _collected(name: str, file: Any) -> bytes:
    """All bytes of a file, unless they would fill the memory or take longer than there is time."""
    parts: list[bytes] = []
    while part := file.read(BLOCK):
        parts.append(part)
        check_room(name, sum(map(len, parts)))
        context.give_way()
    return b"".join(parts)


def check_room(name: str, size: int) -> None:
    """Refuse at once what would fill the memory, where libraries that run out of it may end the program."""
    room = memory.memory_to_be_had()
    if COPIES * size > room:
        raise DataError(
            f"{name} has {size / 2**20:.0f} MB; reading it takes about {COPIES * size / 2**20:.0f} MB of memory, and "
            f"{max(room, 0) / 2**20:.0f} MB are left; give a part of its rows or columns, or more memory"
        )
