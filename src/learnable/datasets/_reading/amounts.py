"""Numbers written as text: with thousands separators, units, or words for missing values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime import context
from ...core.validate.identifier_columns import why_codes
from ...core.validate.mixed_table import is_missing
from .column_types import note_on_strays
from .integer_codes import may_be_numbers, note_of_text
from .thousands_separators import OTHER, WORDS, both_occur, fitting_signs, float_of, some_grouped

MISSING_WORDS = frozenset(  # words that say that nothing is known
    ("", "?", "-", "--", "–", "—", ".", "na", "n/a", "#n/a", "n.a.", "k.a.", "nan", "none", "null", "nil", "missing",
     "unknown", "not available", "tbd")
)  # fmt: skip
UNITS = r"[A-Z]{0,2}\$|[€£¥₹₽₩₺₪%‰]|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR"
FIRST_CELLS, OFTEN = 100, 10_000  # cells that are read before the rest, and cells between checks of the budget
NONE = None, "", ""  # no numbers, no way to write them, and nothing to say
_amount = re.compile(rf"([+-]?)\s*({UNITS})?\s*([+-]?\d(?:[\d.,'’\s]*\d)?)\s*({UNITS})?")
_signs = re.compile(r"[\d.,+-]+(?:[eE][+-]?\d+)?")
_in_brackets = re.compile(r"\(([^-+]+)\)")
_with_blanks = re.compile(r"[+-]?[1-9]\d{0,2}(?:['’\s]\d{3})+(?:[.,]\d+)?")
_blank = re.compile(r"['’\s]")


@dataclass(frozen=True, slots=True)
class NumberNotation:
    """How a table writes numbers: its decimal sign, whether that is certain, and whether its texts are so on purpose.

    `requested` holds the requested types of columns.
    """

    decimal: str
    certain: bool = False
    typed: bool = False
    requested: Mapping[str, str] = field(default_factory=dict)


def means_missing(text: str) -> bool:
    """Whether a text stands for a missing value.

    >>> means_missing(" n.a. "), means_missing("0")
    (True, False)
    """
    return text.strip().casefold() in MISSING_WORDS


def missing_note(words: list[str]) -> str:
    """The end of a note about words read as missing values; empty if there are none."""
    return f", and {', '.join(map(repr, words))} as missing values" if words else ""


def bare(cell: str) -> tuple[str, str]:
    """A number without the unit beside it, blanks between its thousands and brackets for a minus; and the unit.

    >>> bare("-$1,234.50"), bare("12 %"), bare("(1 200)"), bare("soon")
    (('-1,234.50', '$'), ('12', '%'), ('-1200', ''), ('soon', ''))
    """
    found = _amount.fullmatch(_in_brackets.sub(r"-\1", cell).replace("−", "-"))
    if found is None or (found[2] and found[4]):
        return cell, ""
    number = found[1] + found[3]
    return _blank.sub("", number) if _with_blanks.fullmatch(number) else number, found[2] or found[4] or ""


def number_of(text: str, decimal: str) -> float | None:
    """The number that a text stands for, by the decimal sign of its column; None if it is none.

    >>> number_of("1.234,50 €", ","), number_of("1,234", "."), number_of("7,5", "."), number_of("soon", ".")
    (1234.5, 1234.0, None, None)
    """
    cell, _ = bare(text.strip())
    if fitting_signs([cell], [OTHER[decimal]]):
        return float_of(cell, OTHER[decimal])
    try:
        return None if OTHER[decimal] in cell else float(cell.replace(decimal, "."))
    except ValueError:
        return None


def with_amounts(
    columns: Mapping[str, Array], reading: NumberNotation
) -> tuple[dict[str, Array], dict[str, str], list[str]]:
    """The columns of texts that are numbers after all, as numbers; their decimal signs and units; and notes.

    All cells must be numbers in one way, or words that say that nothing is known. Signs between thousands are taken
    for such if both signs occur, as 1.000 alone may be one, a thousand or a code; if a unit stands beside, which codes
    have not; if the decimal sign is certain; or if numbers were requested. 12.47 has no thousands whatever the table.
    A note says how numbers were read, and which value keeps a column of numbers from being one.

    >>> with_amounts({"price": np.array(["$1,000.50", "n.a."], dtype=object)}, NumberNotation("."))[0]
    {'price': array([1000.5,    nan])}
    """
    found: dict[str, Array] = {}
    written: dict[str, str] = {}
    notes: list[str] = []
    for name, values in columns.items():
        if values.dtype.kind != "O" or not may_be_numbers(name, reading.requested):
            continue
        context.give_way()
        missing = is_missing(values)
        known = values[~missing]
        numbers, how, note = _numbers(name, known, reading) if all(map(_may_be, known[:FIRST_CELLS])) else NONE
        if numbers is not None:
            found[name], written[name] = np.full(len(values), np.nan), how
            found[name][~missing] = numbers
        if name not in reading.requested:
            notes += [note] if note else note_on_strays(name, values) if numbers is None else []
    return found, written, notes


def _may_be(value: object) -> bool:
    """Whether a value looks like a number, perhaps with a unit, or says that nothing is known."""
    cell = str(value).strip()
    return _signs.fullmatch(bare(cell)[0]) is not None or means_missing(cell)


def _in_time(cells: list[Any]) -> Iterator[Any]:
    """The cells, with regular checks of the budget."""
    for begin in range(0, len(cells), OFTEN):
        context.give_way()
        yield from cells[begin : begin + OFTEN]


def _numbers(name: str, values: Array, reading: NumberNotation) -> tuple[list[float] | None, str, str]:
    """The values of one column as numbers, None if they are none; their decimal sign and unit; and a note if any."""
    cells = [str(cell).strip() for cell in _in_time(values.tolist())]
    words = sorted({cell for cell in _in_time(cells) if means_missing(cell)})
    known = [cell for cell in cells if cell not in words]
    bared = [bare(cell) for cell in _in_time(known)]
    plain, units = [number for number, _ in bared], {unit for _, unit in bared}
    if len(units) != 1 or (reading.typed and units == {""}):
        return NONE
    unit, requested = units.pop(), name in reading.requested
    ambiguity = "" if requested else why_codes(plain) or ("" if unit else _ambiguity(known))
    if ambiguity:
        return None, "", note_of_text(name, ambiguity)
    certain = bool(unit) or requested or any(map(_with_blanks.fullmatch, known))
    numbers, decimal, ambiguity = _parse_amounts(plain, certain, certain or bool(words) or plain != known, reading)
    if numbers is None:
        return None, "", note_of_text(name, ambiguity) if ambiguity else ""
    place = iter(numbers)
    listed = [np.nan if cell in words else next(place) for cell in cells]
    return listed, decimal + unit, f"{name!r} is read as numbers{_example(known, numbers)}{missing_note(words)}"


def _ambiguity(cells: list[str]) -> str:
    """Why amounts without a unit may be none; nothing if they are."""
    if all(map(_in_brackets.fullmatch, cells)):
        return "all of it stands in brackets, which need not mean less than zero"
    if len(set(map(len, cells))) == 1 and any(map(_with_blanks.fullmatch, cells)):
        return "its blanks may stand between thousands"
    return ""


def _example(cells: list[str], numbers: list[float]) -> str:
    """The longest text that is not only digits, and the value read from it."""
    shown = [(cell, number) for cell, number in zip(cells, numbers, strict=True) if not cell.isdigit()]
    return ", {!r} as {:.12g}".format(*max(shown, key=lambda pair: len(pair[0]))) if shown else ""


def _parse_amounts(
    cells: list[str], certain: bool, special: bool, reading: NumberNotation
) -> tuple[list[float] | None, str, str]:
    """Numbers and their decimal sign; without numbers, what is not `certain` about them.

    They are `special` if something else than the sign between thousands or before fractions made them texts.
    """
    if special and (numbers := _plain(cells, reading.decimal)) is not None:
        return numbers, reading.decimal, ""
    fitting = fitting_signs(cells, [OTHER[reading.decimal]] if reading.certain else list(WORDS))
    if certain and len(fitting) == 2:  # 1.000 alone
        fitting = [OTHER[reading.decimal]]
    points = fitting == [","] and any("." in cell for cell in cells)  # 12.47 has no thousands
    if len(fitting) == 1 and (certain or points or both_occur(cells)):
        return [float_of(cell, fitting[0]) for cell in _in_time(cells)], OTHER[fitting[0]], ""
    perhaps = [WORDS[sign] for sign in fitting if some_grouped(cells, sign)]
    return None, "", f"its {perhaps[0]} may stand between thousands" if perhaps else ""


def _plain(cells: list[str], decimal: str) -> list[float] | None:
    """Numbers without signs between thousands; None if one is none."""
    if any(OTHER[decimal] in cell for cell in cells):
        return None
    try:
        return [float(cell.replace(decimal, ".")) for cell in cells]
    except ValueError:
        return None
