"""Texts that are numbers all the same: with signs between thousands, a unit beside them, or words for gaps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ..core import Array, ambient
from ..core.codes import why_codes
from ..core.table import is_missing
from .thousands import OTHER, WORDS, both_occur, fitting_signs, float_of, some_grouped
from .whole import may_be_numbers, note_of_text

GAPS = frozenset(  # words that say that nothing is known
    ("", "?", "-", "--", "–", ".", "na", "n/a", "#n/a", "n.a.", "k.a.", "nan", "none", "null", "nil", "missing",
     "unknown", "not available", "tbd")
)  # fmt: skip
UNITS = "[$€£¥₹₽₩₺₪%‰]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR"
FIRST_LOOK, OFTEN = 100, 10_000  # cells that are looked at before all are, and after which the clock is
_beside = re.compile(rf"([+-]?)\s*({UNITS})?\s*([+-]?\d(?:[\d.,'’\s]*\d)?)\s*({UNITS})?")
_signs = re.compile(r"[\d.,+-]+(?:[eE][+-]?\d+)?")
_blank = re.compile(r"(?<=\d)['’\s](?=\d{3})")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table writes numbers: its decimal sign, whether that is certain, and whether its texts are so on purpose.

    `asked` holds the kinds of columns that somebody named.
    """

    decimal: str
    certain: bool = False
    typed: bool = False
    asked: Mapping[str, str] = field(default_factory=dict)


def means_gap(text: str) -> bool:
    """Whether a text says that nothing is known.

    >>> means_gap(" n.a. "), means_gap("0")
    (True, False)
    """
    return text.strip().casefold() in GAPS


def as_gaps(words: list[str]) -> str:
    """What a note says of words for gaps, after how the others were read."""
    return f", and {', '.join(map(repr, words))} as nothing known"


def bare(cell: str) -> tuple[str, str]:
    """A number without the unit before or behind it, and the unit.

    >>> bare("-$1,234.50"), bare("12 %"), bare("12"), bare("soon")
    (('-1,234.50', '$'), ('12', '%'), ('12', ''), ('soon', ''))
    """
    found = _beside.fullmatch(cell)
    if found is None or (found[2] is None) == (found[4] is None):
        return cell, ""
    return _blank.sub("", found[1] + found[3]), found[2] or found[4]


def number_of(text: str, decimal: str) -> float | None:
    """The number that a text stands for, by the decimal sign of its table; None if it is none.

    >>> number_of("1.234,50 €", ","), number_of("1,234", "."), number_of("7,5", "."), number_of("soon", ".")
    (1234.5, 1234.0, 7.5, None)
    """
    cell, _ = bare(text.strip())
    signs = fitting_signs([cell], [OTHER[decimal], decimal])
    try:
        return float_of(cell, signs[0]) if signs else float(cell.replace(decimal, "."))
    except ValueError:
        return None


def with_amounts(columns: Mapping[str, Array], reading: Reading) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """The columns of texts that are numbers after all, as numbers; their decimal signs and units; and notes.

    All cells must be numbers in one way, or words that say that nothing is known. Signs between thousands are taken
    for such if both signs occur, as 1.000 alone may be one, a thousand or a code; if a unit stands beside, which codes
    have not; if the decimal sign is certain; or if numbers were asked for. 12.47 has no thousands whatever the table.

    >>> with_amounts({"price": np.array(["$1,000.50", "n.a."], dtype=object)}, Reading("."))[0]
    {'price': array([1000.5,    nan])}
    """
    found: dict[str, Array] = {}
    written: dict[str, str] = {}
    notes: list[str] = []
    for name, values in columns.items():
        if values.dtype.kind != "O" or not may_be_numbers(name, reading.asked):
            continue
        ambient.give_way()
        gone = is_missing(values)
        if not all(map(_may_be, map(str, values[~gone][:FIRST_LOOK].tolist()))):
            continue
        cells = [str(cell).strip() for cell in values[~gone].tolist()]
        numbers, written[name], note = _numbers(name, cells, reading)
        notes += [note] if note else []
        if numbers is not None:
            found[name] = np.full(len(values), np.nan)
            found[name][~gone] = numbers
    return found, {name: written[name] for name in found}, notes


def _may_be(cell: str) -> bool:
    """Whether a cell looks like a number, perhaps with a unit, or says that nothing is known."""
    return _signs.fullmatch(bare(cell.strip())[0]) is not None or means_gap(cell)


def _in_time(cells: list[str]) -> Iterator[str]:
    """The cells, with a look at the budget now and then."""
    for begin in range(0, len(cells), OFTEN):
        ambient.give_way()
        yield from cells[begin : begin + OFTEN]


def _numbers(name: str, cells: list[str], reading: Reading) -> tuple[list[float] | None, str, str]:
    """The cells of one column as numbers, None if they are none; their decimal sign and unit; and a note if any."""
    words = sorted({cell for cell in _in_time(cells) if means_gap(cell)})
    known = [cell for cell in cells if cell not in words]
    bared = [bare(cell) for cell in _in_time(known)]
    units = {unit for _, unit in bared}
    unit = units.pop() if len(units) == 1 else ""
    asked = name in reading.asked
    if not known or (reading.typed and not unit) or (not unit and not asked and why_codes(known)):
        return None, "", ""
    numbers, decimal, how = _told(name, [cell for cell, _ in bared] if unit else known, unit, bool(words), reading)
    if numbers is None or not how:
        return numbers, decimal + unit, how
    how += as_gaps(words) if words else ""
    place = iter(numbers)
    listed = [np.nan if cell in words else next(place) for cell in cells]
    return listed, decimal + unit, "" if asked else f"{name!r} is read {how}"


def _told(name: str, cells: list[str], unit: str, words: bool, reading: Reading) -> tuple[list[float] | None, str, str]:
    """Numbers, their decimal sign, and how they were read; without numbers, a note on what they may be."""
    said, asked = f"as numbers without {unit}" if unit else "as numbers", name in reading.asked
    if (unit or words) and (numbers := _plain(cells, reading.decimal)) is not None:
        return numbers, reading.decimal, said
    signs = [OTHER[reading.decimal]] if reading.certain or asked else list(WORDS)
    fitting = fitting_signs(cells, signs)
    if unit and len(fitting) == 2:  # 1.000 alone
        fitting = [OTHER[reading.decimal]]
    points = fitting == [","] and any("." in cell for cell in cells)  # 12.47 has no thousands
    if len(fitting) == 1 and (unit or asked or points or both_occur(cells)):
        sign, decimal = fitting[0], OTHER[fitting[0]]
        between = f"with {WORDS[sign]} between thousands"
        if not any(sign in cell for cell in cells):
            between = f"with {WORDS[decimal]} before fractions"
        numbers = [float_of(cell, sign) for cell in _in_time(cells)]
        return numbers, decimal, f"{said}, {between}" if unit or words else between
    perhaps = [sign for sign in fitting if some_grouped(cells, sign)]
    return None, "", note_of_text(name, f"its {WORDS[perhaps[0]]} may stand between thousands") if perhaps else ""


def _plain(cells: list[str], decimal: str) -> list[float] | None:
    """Numbers without signs between thousands; None if one is none."""
    if any(OTHER[decimal] in cell for cell in cells):
        return None
    try:
        return [float(cell.replace(decimal, ".")) for cell in cells]
    except ValueError:
        return None
