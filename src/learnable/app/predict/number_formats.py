"""Formats of numbers and times of the columns of a table, which its chunks share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...datasets._reading.amounts import bare, means_missing, number_of
from ...datasets._reading.thousands_separators import OTHER


@dataclass(slots=True)
class NumberFormats:
    """The decimal sign of a table, whether it was specified, and the formats found in its chunks so far.

    `chosen_formats` holds the decimal sign, or the layout of times, by column; `units` the unit of numbers, or None for
    texts, of columns without a declared type.

    >>> formats = NumberFormats()
    >>> formats.sign("price", ["12,5"]), formats.sign("price", ["1,234"]), NumberFormats().sign("price", ["1,234"])
    (',', ',', '.')
    """

    decimal: str = "."
    named: bool = False
    chosen_formats: dict[str, str] = field(default_factory=dict)
    units: dict[str, str | None] = field(default_factory=dict)

    def sign(self, name: str, cells: Iterable[str | None], trained: str = "") -> str:
        """The decimal sign of a column: as specified or found before, else the first candidate that fits all cells.

        The candidates are that of training rows, that of the table, and the other one. Others do not count.
        """
        if self.named or name in self.chosen_formats:
            return self.chosen_formats.get(name, self.decimal)
        numbers = [bare(cell)[0] for cell in cells if cell is not None and not means_missing(cell)]
        signed = [number for number in numbers if "." in number or "," in number]
        likely = [trained or self.decimal, self.decimal, OTHER[self.decimal]]
        found = next((sign for sign in likely if all(_fits(number, sign) for number in signed)), likely[0])
        if signed:
            self.chosen_formats[name] = found
        return found


def _fits(number: str, sign: str) -> bool:
    """Whether a text is a number with this sign, or with neither."""
    return number_of(number, sign) is not None or number_of(number, OTHER[sign]) is None
