"""How a table writes the numbers and times of its columns: what one piece of it tells holds for all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...datasets._reading.amounts import bare, means_gap, number_of
from ...datasets._reading.thousands_separators import OTHER


@dataclass(slots=True)
class Ways:
    """The decimal sign of a table, whether somebody named it, and what its pieces have told so far.

    `told` holds the decimal sign, or the layout of times, by column; `units`, of columns of which nothing was known,
    the unit of their numbers, or None for texts.

    >>> ways = Ways()
    >>> ways.sign("price", ["12,5"]), ways.sign("price", ["1,234"]), Ways().sign("price", ["1,234"])
    (',', ',', '.')
    """

    decimal: str = "."
    named: bool = False
    told: dict[str, str] = field(default_factory=dict)
    units: dict[str, str | None] = field(default_factory=dict)

    def sign(self, name: str, cells: Iterable[str | None], trained: str = "") -> str:
        """The decimal sign of a column: as it was named or told, else the first of several that fits all cells.

        These are that of training rows, that of the table, and the other one. Cells without any sign tell nothing.
        """
        if self.named or name in self.told:
            return self.told.get(name, self.decimal)
        numbers = [bare(cell)[0] for cell in cells if cell is not None and not means_gap(cell)]
        signed = [number for number in numbers if "." in number or "," in number]
        likely = [trained or self.decimal, self.decimal, OTHER[self.decimal]]
        found = next((sign for sign in likely if all(_fits(number, sign) for number in signed)), likely[0])
        if signed:
            self.told[name] = found
        return found


def _fits(number: str, sign: str) -> bool:
    """Whether it is a number by this sign, or by none."""
    return number_of(number, sign) is not None or number_of(number, OTHER[sign]) is None
