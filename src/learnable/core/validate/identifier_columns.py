"""Identifiers that look like numbers, such as post codes and account numbers: as floats they would lose digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..numeric import EXACT
from ..runtime import context

BEYOND = "floats cannot distinguish integers beyond 2^53"
_whole = re.compile(r"[+-]?[0-9]+")
_hexadecimal = re.compile(r"0[xX][0-9a-fA-F]")


def why_codes(cells: Sequence[str]) -> str:
    """Why texts that could all be read as numbers are identifiers; empty if they are numbers.

    >>> why_codes(["00501", "10001"]), why_codes(["0.5", "10"])
    ('numbers that begin with 0 are codes', '')
    """
    context.give_way()
    if any(_hexadecimal.match(cell.lstrip("+-")) for cell in cells):
        return "what begins with 0x is a code"
    if all(cell.isdigit() for cell in cells) and any(len(cell) > 1 and cell[0] == "0" for cell in cells):
        return "numbers that begin with 0 are codes"
    if all(_whole.fullmatch(cell) for cell in cells) and any(_is_beyond(cell.lstrip("+-0")) for cell in cells):
        return BEYOND
    return ""


def has_inexact_integers(values: Iterable[object]) -> bool:
    """Whether some whole number equals its neighbour once it is a float.

    >>> has_inexact_integers([2**53, 1e300, None]), has_inexact_integers([1, -(2**53) - 1])
    (False, True)
    """
    return any(isinstance(value, int) and abs(value) > EXACT for value in values)


def _is_beyond(digits: str) -> bool:
    return len(digits) > 16 or (len(digits) == 16 and has_inexact_integers([int(digits)]))
