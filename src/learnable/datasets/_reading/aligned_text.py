"""Texts whose columns stand under each other, with blanks between them."""

from __future__ import annotations

import re

SEPARATORS = (re.compile(r"\s+"), re.compile(r"\s{2,}"))
FIRST_LINES = 50


def straightened(text: str) -> str | None:
    """The text with a tab in each gap between columns; None if the lines do not show any.

    A gap is a run of blanks, or of two and more where cells hold blanks themselves.

    >>> straightened("name   height\\nann      1.68")
    'name\\theight\\nann\\t1.68'
    """
    lines = [line.strip() for line in text.splitlines()]
    first = [line for line in lines if line][:FIRST_LINES]
    for gap in SEPARATORS:
        widths = {len(gap.split(line)) for line in first}
        if len(widths) == 1 and widths != {1}:
            break
    else:
        if not first or not SEPARATORS[1].search(first[0]):
            return None
    return "\n".join(gap.sub("\t", line) for line in lines)
