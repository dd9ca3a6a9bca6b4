"""Numbers with signs between their thousands: 1.000,50 or 1,000.50."""

from __future__ import annotations

import re
from collections.abc import Sequence

OTHER = {",": ".", ".": ","}  # the sign between thousands, by the decimal sign
WORDS = {".": "points", ",": "commas"}
_groups = {sign: rf"[+-]?[1-9]\d{{0,2}}(?:\{sign}\d{{3}})+" for sign in WORDS}
_whole = {sign: re.compile(groups) for sign, groups in _groups.items()}
_number = {sign: re.compile(rf"(?:{_groups[sign]}|[+-]?\d+)(?:\{OTHER[sign]}\d+)?") for sign in WORDS}
_with_comma = re.compile(_groups["."] + r",\d+")


def shows_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number that has both signs, the comma last.

    >>> shows_decimal_comma("1.000,50"), shows_decimal_comma("1,000.50"), shows_decimal_comma("1.000")
    (True, False, False)
    """
    return _with_comma.fullmatch(cell) is not None


def fitting_signs(cells: Sequence[str], signs: Sequence[str]) -> list[str]:
    """The signs of which all cells are numbers that may have them between their thousands.

    >>> fitting_signs(["1.000,50", "7"], [".", ","]), fitting_signs(["1.000"], [".", ","])
    (['.'], ['.', ','])
    """
    return [sign for sign in signs if len(cells) > 0 and all(map(_number[sign].fullmatch, cells))]


def both_occur(cells: Sequence[str]) -> bool:
    """Whether both signs occur, so that it is certain which of them is which."""
    return all(any(sign in cell for cell in cells) for sign in WORDS)


def some_grouped(cells: Sequence[str], sign: str) -> bool:
    """Whether some cell is a whole number of several groups of digits; 1.000 may be one, a thousand or a code."""
    return any(map(_whole[sign].fullmatch, cells))


def float_of(cell: str, sign: str) -> float:
    """A number without the sign between its thousands."""
    return float(cell.replace(sign, "").replace(OTHER[sign], "."))
