"""A byte stream whose first bytes can be inspected before it is read, and its decoding to text."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

from ...core import DataError

HEAD = 100_000  # bytes from which a format is detected
MAX_HEAD = 2**26  # maximum bytes of the header line
BLOCK = 2**20  # bytes that are decoded at once


class PeekableStream(io.RawIOBase):
    """A file whose first bytes can be inspected before they are read, also on a pipe.

    It is `sought` if it is seekable at once, and `again` if it can be read twice, as a compressed file can.
    """

    def __init__(self, file: BinaryIO, packed: bool = False, again: bool = True) -> None:
        self.file, self.head, self.place = file, file.read(HEAD), 0
        self.again = again and file.seekable()
        self.sought = self.again and not packed

    def hold_a_line(self) -> None:
        """Extend the inspected bytes until they hold the first line, however long it is."""
        while b"\n" not in self.head and b"\r" not in self.head and len(self.head) < MAX_HEAD:
            if not (more := self.file.read(len(self.head) or HEAD)):
                return
            self.head += more

    def readable(self) -> bool:
        """The stream is readable."""
        return True

    def readinto(self, target: Any) -> int:
        """Read the inspected bytes, then the others."""
        if self.place < len(self.head):
            part = self.head[self.place : self.place + len(target)]
            self.place += len(part)
        else:
            part = self.file.read(len(target))
        target[: len(part)] = part
        return len(part)

    def is_in(self, coding: str) -> bool:
        """Whether all bytes are text in an encoding; only the first ones if the stream can be read once only."""
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
    """The text of a file as UTF-8; undecodable bytes are an error that names their line."""

    def __init__(self, file: PeekableStream, coding: str, name: str) -> None:
        self.file, self.coding, self.name = file, coding, name
        self.decoder, self.line, self.waiting = codecs.getincrementaldecoder(coding)(), 1, memoryview(b"")

    def readable(self) -> bool:
        """The stream is readable."""
        return True

    def readinto(self, target: Any) -> int:
        """Read the next bytes; none at the end."""
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
                f"{self.name} cannot be read as a table: line {line} is not {error.encoding}, unlike those "
                "before it; save the table as UTF-8"
            ) from None
        self.line += text.count("\n")
        return text
