"""The bytes that a table comes in: of a path, of standard input or of an open file, unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.errors import DataError, ParameterTypeError

PACKED: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": (".gz", gzip.decompress),
    b"BZh": (".bz2", bz2.decompress),
    b"\xfd7zXZ\x00": (".xz", lzma.decompress),
}


def named_bytes(source: Any) -> tuple[str, bytes]:
    """Name and bytes of a path, of standard input for "-", or of an open file; compression is undone."""
    if hasattr(source, "read"):
        name, content = Path(str(getattr(source, "name", "table"))).name, source.read()
    elif not isinstance(source, (str, os.PathLike)):
        raise ParameterTypeError(
            f'read_table: source must be a path, "-" for standard input or an open file; got an object of '
            f"type {type(source).__name__}. Columns that are already here go into Dataset.of"
        )
    elif str(source) == "-":
        name, content = "standard input", sys.stdin.buffer.read()
    else:
        name, content = _of_file(source)
    return _unpacked(name, content.encode() if isinstance(content, str) else content)


def _of_file(source: str | os.PathLike[str]) -> tuple[str, bytes]:
    if "://" in str(source):
        raise DataError(f"read_table downloads nothing: get {source} yourself and name the file")
    path = Path(source)
    if not str(source) or path.is_dir():
        raise DataError(f"{path.resolve()} is a folder; name a file in it")
    if not path.is_file():
        raise DataError(f"there is no file {path}")
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None


def _unpacked(name: str, content: bytes) -> tuple[str, bytes]:
    for mark, (suffix, unpack) in PACKED.items():
        if content.startswith(mark):
            try:
                return name.removesuffix(suffix), unpack(content)
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise DataError(
                    f"{name} cannot be read as a table: its {suffix} compression is broken ({error}); get the file anew"
                ) from None
    return name, content
