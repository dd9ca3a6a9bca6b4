"""Fast scans of a whole text that decide whether a slower analysis is needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core import Array
from ...core.runtime import context

BLOCK = 1 << 16  # characters that are scanned together: few enough for the cache of a processor
LONG_INTEGER = 16  # digits from which on a whole number may be beyond floats
_QUOTE, _ZERO, _BLANK = ord('"'), ord("0"), ord(" ")
_SMALL = ord("x") ^ ord("X")  # the bit that small letters have
_BREAKS = (ord("\n"), ord("\r"))


def letters(text: str) -> Array:
    """The bytes of a text in UTF-8."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def may_hold_codes(text: str, delimiter: str) -> bool:
    """Whether some cell may be a number that begins with 0, as 00501 and 0x1f, or one of many digits; no is certain.

    >>> may_hold_codes("a,b\\n0.5,10\\n", ","), may_hold_codes("a,b\\n0.5,010\\n", ",")
    (False, True)
    """
    return any(_may_hold_codes(block, ord(delimiter)) for block in _blocks(text, LONG_INTEGER + 2))


def _may_hold_codes(block: Array, delimiter: int) -> bool:
    context.give_way()
    zero, digits = block == _ZERO, block - _ZERO < 10  # what is below 0 is far above 9 in a byte
    if (zero[:-1] & ((block[1:] | _SMALL) == ord("x"))).any():
        return True
    begins = (block == delimiter) | (block == _QUOTE) | (block <= _BLANK)
    if (begins[:-2] & zero[1:-1] & digits[2:]).any():
        return True
    runs = digits
    for step in (1, 2, 4, 8):  # runs of 2, 4, 8, 16 digits
        runs = runs[:-step] & runs[step:]
    signed = begins | (block == ord("+")) | (block == ord("-"))
    return bool((signed[: max(len(runs) - 1, 0)] & runs[1:]).any())


def _blocks(text: str, overlap: int) -> Iterator[Array]:
    """The letters in parts, each with the last of the part before and the first of the next."""
    for start in range(0, len(text), BLOCK):
        before = text[start - 1] if start else "\n"
        yield letters(before + text[start : start + BLOCK + overlap])


def parts_of_lines(text: str) -> Iterator[str]:
    """The text in parts that end with a line, up to the end of a budget."""
    begin = 0
    while begin < len(text):
        context.give_way()
        end = text.find("\n", begin + BLOCK) + 1 or len(text)
        yield text[begin:end]
        begin = end


def well_quoted(text: str, delimiter: str) -> bool:
    """Whether every quote opens or closes a whole cell of one line; yes is certain.

    >>> well_quoted('a,"b c"\\n', ","), well_quoted('a,b"c\\n', ",")
    (True, False)
    """
    return all(_well_quoted(letters(f"\n{lines}\n"), ord(delimiter)) for lines in _lines_with_quotes(text))


def _lines_with_quotes(text: str) -> Iterator[str]:
    """Parts of a text that end with a line, as many as hold quotes."""
    end, place = 0, text.find('"')
    while place >= 0:
        context.give_way()
        begin = text.rfind("\n", end, place) + 1 or end
        end = text.find("\n", begin + BLOCK)
        end = len(text) if end < 0 else end
        yield text[begin:end]
        place = text.find('"', end)


def _well_quoted(found: Array, delimiter: int) -> bool:
    quotes = np.flatnonzero(found == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing, edges = quotes[::2], quotes[1::2], (delimiter, *_BREAKS)
    if not np.isin([found[opening - 1], found[closing + 1]], edges).all():
        return False
    breaks = np.flatnonzero((found == _BREAKS[0]) | (found == _BREAKS[1]))
    return bool((np.searchsorted(breaks, opening) == np.searchsorted(breaks, closing)).all())
