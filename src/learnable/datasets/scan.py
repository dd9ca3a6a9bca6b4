"""Quick looks at the letters of a whole text, which tell most tables from those that need a slower look."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core import Array

BLOCK = 1 << 22  # letters that are looked at together
LONG = 16  # digits from which on a whole number may be beyond floats
_QUOTE, _ZERO = ord('"'), ord("0")
_BREAKS = (ord("\n"), ord("\r"))
_BLANKS = (*_BREAKS, ord("\t"), ord(" "), ord("\v"), ord("\f"))


def letters(text: str) -> Array:
    """The bytes of a text in UTF-8."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def may_hold_codes(text: str, delimiter: str) -> bool:
    """Whether some cell may be a number that begins with 0, as 00501, or one of many digits; no is certain.

    >>> may_hold_codes("a,b\\n0.5,10\\n", ","), may_hold_codes("a,b\\n0.5,010\\n", ",")
    (False, True)
    """
    before, digit = _marks((ord(delimiter), _QUOTE, *_BLANKS)), _marks(range(_ZERO, _ZERO + 10))
    for block in _blocks(letters(f"\n{text}"), LONG + 2):
        begins, digits = before[block], digit[block]
        if (begins[:-2] & (block[1:-1] == _ZERO) & digits[2:]).any():
            return True
        runs = digits
        for step in (1, 2, 4, 8):  # runs of 2, 4, 8, 16 digits
            runs = runs[:-step] & runs[step:]
        signed = begins | (block == ord("+")) | (block == ord("-"))
        if (signed[: max(len(runs) - 1, 0)] & runs[1:]).any():
            return True
    return False


def well_quoted(text: str, delimiter: str) -> bool:
    """Whether every quote opens or closes a whole cell of one line; yes is certain.

    >>> well_quoted('a,"b c"\\n', ","), well_quoted('a,b"c\\n', ",")
    (True, False)
    """
    found = letters(f"\n{text}\n")
    quotes = np.flatnonzero(found == _QUOTE)
    if len(quotes) % 2:
        return False
    opening, closing, edge = quotes[::2], quotes[1::2], _marks((ord(delimiter), *_BREAKS))
    if not (edge[found[opening - 1]].all() and edge[found[closing + 1]].all()):
        return False
    breaks = np.flatnonzero(_marks(_BREAKS)[found])
    return bool((np.searchsorted(breaks, opening) == np.searchsorted(breaks, closing)).all())


def _marks(chosen: Iterator[int] | range | tuple[int, ...]) -> Array:
    """A table of all bytes in which some are marked."""
    table = np.zeros(256, dtype=bool)
    table[list(chosen)] = True
    return table


def _blocks(found: Array, overlap: int) -> Iterator[Array]:
    """Parts of the bytes, each with the beginning of the next."""
    for start in range(0, len(found), BLOCK):
        yield found[start : start + BLOCK + overlap]
