"""Bytes of a table that is read once from one end to the other, and the letters that they stand for."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

from ...core import DataError

HEAD = 100_000  # bytes by which a format is told
MOST_HEAD = 2**26  # bytes that the line of names may have
BLOCK = 2**20  # bytes that are decoded at once


class Ahead(io.RawIOBase):
    """A file whose first bytes can be looked at before they are read, as on a pipe they could not.

    It is `sought` if other places can be gone to at once, and `again` if it can be read twice, as a packed file can.
    """

    def __init__(self, file: BinaryIO, packed: bool = False, again: bool = True) -> None:
        self.file, self.head, self.place = file, file.read(HEAD), 0
        self.again = again and file.seekable()
        self.sought = self.again and not packed

    def hold_a_line(self) -> None:
        """Let the first line be among the bytes that can be looked at, however many columns it names."""
        while b"\n" not in self.head and b"\r" not in self.head and len(self.head) < MOST_HEAD:
            if not (more := self.file.read(len(self.head) or HEAD)):
                return
            self.head += more

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """The first bytes, then the others."""
        if self.place < len(self.head):
            part = self.head[self.place : self.place + len(target)]
            self.place += len(part)
        else:
            part = self.file.read(len(target))
        target[: len(part)] = part
        return len(part)

    def is_in(self, coding: str) -> bool:
        """Whether all bytes are text in an encoding; of what can be read once only, whether the first ones are."""
        decoder, here = codecs.getincrementaldecoder(coding)(), self.file.tell() if self.again else 0
        try:
            decoder.decode(self.head)
            while self.again and (part := self.file.read(BLOCK)):
                decoder.decode(part)
            decoder.decode(b"", self.again)
        except UnicodeDecodeError:
            return False
        finally:
            if self.again:
                self.file.seek(here)
        return True


class Decoded(io.RawIOBase):
    """The text of a file as UTF-8; bytes that stand for no letter are an error that names their line."""

    def __init__(self, file: Ahead, coding: str, name: str) -> None:
        self.file, self.coding, self.name = file, coding, name
        self.decoder, self.line, self.waiting = codecs.getincrementaldecoder(coding)(), 1, memoryview(b"")

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """The next bytes; none at the end."""
        ended = False
        while not self.waiting and not ended:
            block = bytearray(BLOCK)
            size = self.file.readinto(block)
            ended = size == 0
            self.waiting = memoryview(self._letters(bytes(memoryview(block)[:size]), ended).encode())
        part, self.waiting = self.waiting[: len(target)], self.waiting[len(target) :]
        target[: len(part)] = part
        return len(part)

    def _letters(self, block: bytes, last: bool) -> str:
        try:
            text = self.decoder.decode(block, last)
        except UnicodeDecodeError as error:
            before = bytes(error.object[: error.start]).decode(self.coding, errors="replace")
            line = self.line + before.count("\n")
            raise DataError(
                f"{self.name} cannot be read as a table: line {line} is not written in {error.encoding}, as those "
                "before it are; save the table as UTF-8"
            ) from None
        self.line += text.count("\n")
        return text
