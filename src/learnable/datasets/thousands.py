"""Numbers with signs between their thousands: 1.000,50 or 1,000.50."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..core import Array, ambient
from ..core.table import is_missing
from .whole import note_of_text

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


def with_thousands(
    columns: Mapping[str, Array], decimal: str, given: bool, asked: Mapping[str, str]
) -> tuple[dict[str, Array], list[str]]:
    """The columns of texts that are numbers with signs between their thousands, as numbers, and notes on them.

    All cells must be numbers by one of the two ways to write them and not by the other, and both signs must occur:
    1.000 alone may be one, a thousand or a code. Where the decimal sign was `given`, or numbers were asked for, it is
    known which sign is the one between thousands.

    >>> with_thousands({"price": np.array(["1.000,50", "7"], dtype=object)}, ",", False, {})
    ({'price': array([1000.5,    7. ])}, ["'price' is read with points between thousands"])
    """
    found: dict[str, Array] = {}
    notes: list[str] = []
    for name, values in columns.items():
        if values.dtype.kind != "O" or asked.get(name, "integer") not in ("integer", "continuous"):
            continue
        ambient.give_way()
        gone = is_missing(values)
        signs = [OTHER[decimal]] if given or name in asked else list(WORDS)
        cells = [str(cell).strip() for cell in values[~gone].tolist()]
        fitting = [sign for sign in signs if _are_numbers(cells, sign)]
        both = all(any(sign in cell for cell in cells) for sign in WORDS)
        if len(fitting) == 1 and (both or name in asked):
            found[name] = np.full(len(values), np.nan)
            found[name][~gone] = [_float(cell, fitting[0]) for cell in cells]
            notes += [] if name in asked else [f"{name!r} is read with {WORDS[fitting[0]]} between thousands"]
        elif perhaps := [sign for sign in fitting if all(map(_whole[sign].fullmatch, cells))]:
            notes.append(note_of_text(name, f"its {WORDS[perhaps[0]]} may stand between thousands"))
    return found, notes


def _are_numbers(cells: list[str], sign: str) -> bool:
    """Whether all cells are numbers that may have this sign between their thousands."""
    return len(cells) > 0 and all(map(_number[sign].fullmatch, cells))


def _float(cell: str, sign: str) -> float:
    return float(cell.replace(sign, "").replace(OTHER[sign], "."))
