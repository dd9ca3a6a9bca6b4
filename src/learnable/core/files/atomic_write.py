"""Atomic writes: a file is replaced as a whole or not at all; leftovers of a killed writer are removed by the next."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

DIGITS = 16  # of the random part of a name


def place(path: str | os.PathLike[str], payload: bytes) -> None:
    """Write to a new file beside `path` first, then put it in its place."""
    with placed(path) as file:
        file.write(payload)


@contextmanager
def placed(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """An open file that takes the place of `path` when the block ends, and never if the block fails."""
    target = Path(path)
    check_place(target)
    _clear(target)
    temporary, handle = _opened(target)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def check_place(path: Path) -> None:
    """Refuse a path at which no file can be."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; make it first")


def _opened(target: Path) -> tuple[Path, int]:
    """A new file that is locked as long as it is open, so that another writer knows that it is not left over."""
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(DIGITS // 2)}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # the mode of any new file
        except OSError as error:
            raise type(error)(error.errno, error.strerror, os.fspath(target)) from None
        mine = True
        with suppress(OSError):  # a file system without locks: nothing is removed there
            mine = _locked(handle)
        if mine and temporary.exists():
            return temporary, handle
        os.close(handle)  # another process removed it before it was locked


def _clear(target: Path) -> None:
    """Remove temporary files that killed writers of `target` left: those that no process has locked."""
    left = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{{DIGITS}}}")
    for found in os.listdir(target.parent):
        if left.fullmatch(found):
            with suppress(OSError):
                handle = os.open(target.with_name(found), os.O_RDONLY | os.O_NOFOLLOW)
                try:
                    if _locked(handle):
                        os.unlink(target.with_name(found))
                finally:
                    os.close(handle)


def _locked(handle: int) -> bool:
    """Lock an open file; False if another has it."""
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
