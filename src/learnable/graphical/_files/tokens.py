"""Words and marks of text formats, with the line of each for messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...core.errors import DataError

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")


class Token(NamedTuple):
    """A word, a mark or a quoted text, and the line in which it stands."""

    text: str
    line: int


class TokenReader:
    """The tokens of a text one after the other; what is not as expected is refused with its line."""

    def __init__(self, tokens: Iterator[Token], path: str) -> None:
        self.tokens, self.path, self.at = list(tokens), path, 0

    def peek(self) -> str:
        """The next token, nothing at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def next(self, what: str = "more") -> str:
        """The next token, which is taken."""
        if self.at >= len(self.tokens):
            raise DataError(f"{self.path}: the file ends where {what} should follow; it is incomplete")
        self.at += 1
        return self.tokens[self.at - 1].text

    def expect(self, text: str) -> None:
        """Take the next token, which must be this one."""
        found = self.next(repr(text))
        if found != text:
            raise self.error(f"expected {text!r}, got {found!r:.40}")

    def number(self) -> float:
        """Take the next token, which must be a finite number."""
        found = self.next("a number")
        if not NUMBER.match(found):
            raise self.error(f"expected a number, got {found!r:.40}")
        value = float(found)
        if value in (float("inf"), float("-inf")):
            raise self.error(f"the number {found:.40} is beyond the range of floats")
        return value

    def until(self, *ends: str) -> list[str]:
        """Take the tokens up to one of these marks, which is taken too."""
        found = []
        while (text := self.next(" or ".join(map(repr, ends)))) not in ends:
            found.append(text)
        return found

    def skip_block(self) -> None:
        """Take everything up to the brace that closes the block that has been opened."""
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.next("'}'"), 0)

    def error(self, problem: str) -> DataError:
        """The error about the token that was taken last."""
        line = self.tokens[max(self.at - 1, 0)].line if self.tokens else 1
        return DataError(f"{self.path}, line {line}: {problem}")


def split_tokens(text: str, comments: str, marks: str) -> Iterator[Token]:
    """Quoted texts, marks and the words between them; comments are left out."""
    closed = re.escape(marks)
    pattern = re.compile(rf'\s+|{comments}|"([^"\n]*)"|([{closed}]|[^\s"{closed}]+|.)', re.DOTALL)
    line = 1
    for match in pattern.finditer(text):
        if match.lastindex:
            yield Token(match[match.lastindex], line)
        else:
            line += match[0].count("\n")
