"""Lines above a table that begin with #: comments, or names of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .header_line import holds_values, names_numbers

MARK = "#"
FIRST_LETTERS = 100_000  # letters of the table that decide what the lines above it are
Cells = Callable[[str], list[list[str]]]  # the cells of the first rows of a text


def without_comments(text: str, cells: Cells, missing: Sequence[str]) -> tuple[str, int]:
    """The text with empty lines in place of the comments above the table, so that lines keep their numbers; how many.

    A line with a cell for each column names the columns if what is below does not: `#id,name` as it is, `# id,name`
    without the sign, as NumPy writes it, if the row below holds values.

    >>> cut = lambda text: [line.split(",") for line in text.split()]
    >>> without_comments("# by hand\\nx,y\\n1,2\\n", cut, ())
    ('\\nx,y\\n1,2\\n', 1)
    """
    above = _lines_above(text)
    rest = text[sum(map(len, above)) :]
    if not above or not rest.strip():
        return text, 0
    for place, line in enumerate(above):
        if heading := _heading(line, place == len(above) - 1, rest[:FIRST_LETTERS], cells, missing):
            return "\n" * place + heading + "".join(above[place + 1 :]) + rest, place
    return "\n" * len(above) + rest, len(above)


def note_on_comments(count: int) -> str:
    """The note about lines that were left out."""
    if count == 1:
        return f"the line above the table that begins with {MARK} is a comment"
    return f"the {count} lines above the table that begin with {MARK} are comments"


def _lines_above(text: str) -> list[str]:
    """The first lines that begin with the sign."""
    lines, place = [], 0
    while text.startswith(MARK, place):
        end = text.find("\n", place) + 1 or len(text)
        lines.append(text[place:end])
        place = end
    return lines


def _heading(line: str, is_last: bool, below: str, cells: Cells, missing: Sequence[str]) -> str:
    """The line as names of columns, or nothing if it is a comment."""
    rows = cells(below)
    if names_numbers(rows, missing):
        return ""
    first, *_ = cells(line + below)
    if len(first) == len(rows[0]) and first[0][1:2] not in (" ", MARK):
        return line
    bare = line.lstrip(MARK).lstrip()
    fits = len(rows[0]) > 1 and len(cells(bare + below)[0]) == len(rows[0])
    return bare if fits and is_last and holds_values(rows, missing) else ""
