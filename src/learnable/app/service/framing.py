"""Strict framing of HTTP/1.1: input that two programs could parse as different requests never reaches the parser."""

from __future__ import annotations

import re
from collections.abc import Callable

from .problems import malformed

MAX_HEAD = 16_384  # bytes of a request line with its headers
MAX_TARGET = 8_192  # bytes of the path with its query
MAX_HEADERS = 100
MAX_SIZE_LINE = 10  # bytes of the line that states the size of a chunk
FREE_CHUNKS = 16_384  # beyond them, chunks must have on average
MIN_CHUNK = 64  # bytes, as each takes the time of thousands
TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
ONCE = frozenset(b"host content-length transfer-encoding content-type content-encoding authorization origin".split())
_well_formed = re.compile(
    TOKEN + rb" [\x21-\x7e]+ HTTP/1\.[01]\r\n(?:" + TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n"
)
_bare_newline = re.compile(rb"(?<!\r)\n")
_length = re.compile(rb"[0-9]{1,18}")
_hexadecimal = re.compile(rb"[0-9A-Fa-f]{1,8}")


class Framing:
    """The requests of one connection, checked byte by byte before they are parsed.

    Refused are both Content-Length and Transfer-Encoding, any coding but chunked, repeated headers that must be single,
    folded lines, lines that end without a carriage return, blanks before a colon, chunk extensions, trailers, and
    whatever is longer than its limit.
    """

    def __init__(self) -> None:
        self.kept = b""
        self.step: Callable[[bytes, int], int] = self._head
        self.left = self.size = self.chunks = 0
        self.ended = False

    def verified(self, data: bytes) -> bytes:
        """The bytes that may be parsed now; those whose meaning depends on later ones are kept until then."""
        data = self.kept + data if self.kept else data
        begin = 0
        while begin < len(data):
            end = self.step(data, begin)
            if end == begin:
                break
            begin = end
        self.kept = data[begin:]
        return data if begin == len(data) else data[:begin]

    def _head(self, data: bytes, begin: int) -> int:
        end = data.find(b"\r\n\r\n", begin, begin + MAX_HEAD) + 4
        if end >= 4:
            self._read(data[begin:end])
            return end
        if len(data) - begin >= MAX_HEAD:
            if b"\r\n" not in data[begin : begin + MAX_TARGET + 40]:
                raise malformed("the path is too long", 414)
            raise malformed(f"the headers have more than {MAX_HEAD} bytes", 431)
        if _bare_newline.search(data, begin):
            raise malformed("a line of the headers ends without a carriage return")
        if not re.match(TOKEN, data[begin : begin + 1]):
            raise malformed("the request does not begin with a method")
        return begin

    def _read(self, head: bytes) -> None:
        """Check a whole head, and find how its body is framed."""
        if not _well_formed.fullmatch(head):
            raise malformed("the request line or a header is malformed")
        first, *lines = head[:-4].split(b"\r\n")
        if len(first.split(b" ")[1]) > MAX_TARGET:
            raise malformed("the path is too long", 414)
        if len(lines) > MAX_HEADERS:
            raise malformed(f"the request has more than {MAX_HEADERS} headers", 431)
        found: dict[bytes, bytes] = {}
        for line in lines:
            name, _, value = line.partition(b":")
            if (name := name.lower()) in ONCE:
                if name in found:
                    raise malformed(f"the header {name.decode()} is repeated")
                found[name] = value.strip()
        self._frame(found, first.endswith(b"1.0"))

    def _frame(self, found: dict[bytes, bytes], old: bool) -> None:
        coding, length = found.get(b"transfer-encoding"), found.get(b"content-length")
        if coding is not None:
            if old or length is not None or coding.lower() != b"chunked":
                raise malformed("the body must have either Content-Length or `Transfer-Encoding: chunked`")
            self.size = self.chunks = 0
            self.step = self._chunk_size
        elif length is not None:
            if not _length.fullmatch(length):
                raise malformed("Content-Length is not a number of bytes")
            self.left = int(length)
            self.step = self._body if self.left else self._head

    def _body(self, data: bytes, begin: int) -> int:
        end = min(len(data), begin + self.left)
        self.left -= end - begin
        self.step = self._body if self.left else self._head
        return end

    def _chunk_size(self, data: bytes, begin: int) -> int:
        end = data.find(b"\r\n", begin, begin + MAX_SIZE_LINE)
        line = data[begin:end] if end >= 0 else data[begin : begin + MAX_SIZE_LINE].removesuffix(b"\r")
        if (line or end >= 0) and not _hexadecimal.fullmatch(line):
            raise malformed("the size of a chunk is malformed")
        if end < 0:
            return begin
        self.left = int(line, 16)
        self.size += self.left
        self.chunks += 1
        if self.chunks > FREE_CHUNKS + self.size // MIN_CHUNK:
            raise malformed("the body has too many small chunks")
        self.step = self._chunk if self.left else self._chunk_end
        self.ended = not self.left
        return end + 2

    def _chunk(self, data: bytes, begin: int) -> int:
        end = min(len(data), begin + self.left)
        self.left -= end - begin
        self.step = self._chunk if self.left else self._chunk_end
        return end

    def _chunk_end(self, data: bytes, begin: int) -> int:
        """The end of a line, after a chunk or, as trailers are not taken, after the last one."""
        line = data[begin : begin + 2]
        if not b"\r\n".startswith(line):
            raise malformed("a chunk does not end where its size says, or trailers follow the last one")
        if len(line) < 2:
            return begin
        self.step = self._head if self.ended else self._chunk_size
        return begin + 2
