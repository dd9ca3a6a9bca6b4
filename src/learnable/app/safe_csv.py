"""Text cells of CSV files that spreadsheets would take for formulas, and their safe form."""

from __future__ import annotations

import re
from typing import Any

SPACE = "\t\n\v\f\r \u00a0'"  # and quotes: as they count too, safe forms differ where cells do
SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"  # also the full-width ones, which some spreadsheets read as the others
FORMULA = f"(?:[{SPACE}]*[{SIGNS}]|'*[\t\r\n])"
NUMBER = "[+-]?[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?%?"


def safe_cell(value: Any) -> Any:
    """A cell that no spreadsheet reads as a formula: text that begins like one is quoted; numbers are never changed.

    >>> [safe_cell(value) for value in ("=1+1", "-1.5", -1.5, "- none", "@home", "a=b", None)]
    ["'=1+1", '-1.5', -1.5, "'- none", "'@home", 'a=b', None]
    """
    is_formula = isinstance(value, str) and re.match(FORMULA, value) and not re.fullmatch(NUMBER, value)
    return f"'{value}" if is_formula else value


def safe_column(column: Any) -> Any:
    """A column of Arrow texts with the safe form of every cell."""
    from pyarrow import compute

    formula = compute.match_substring_regex(column, rf"\A{FORMULA}")
    formula = compute.and_(formula, compute.invert(compute.match_substring_regex(column, rf"\A{NUMBER}\z")))
    if not compute.any(formula).as_py():
        return column
    return compute.if_else(formula, compute.binary_join_element_wise("'", column, ""), column)
