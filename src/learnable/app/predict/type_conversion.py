"""Columns of any type in the form that a model expects: numbers, times or texts, null where missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...datasets._reading.amounts import bare, means_gap, number_of
from ...datasets._reading.dates import in_words, is_unclear, kindred, of_one_century, read_times, rivals, times_in
from ...datasets._reading.delimited_text import MISSING
from ...datasets._reading.missing_marks import number_in
from ...datasets._reading.thousands_separators import OTHER
from ...deployment import ExpectedColumn
from ..task import FLAGS
from .number_formats import Ways

SHARES = ("%", "‰")  # units that are numbers themselves


def converted(column: Any, expected: ExpectedColumn, ways: Ways | None = None, first: int = 0) -> Any:
    """An Arrow column as the model expects it; `first` is the row of the table that it begins with."""
    import pyarrow as pa

    column = _decoded(column)
    if pa.types.is_null(column.type):
        return column.cast(ARROW[expected.holds]())
    return KINDS[expected.holds](column, expected, ways or Ways(), first)


def _decoded(column: Any) -> Any:
    """A column of plain values, texts of the usual length."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def unmarked(column: Any, marks: Sequence[str]) -> Any:
    """A column of numbers or texts, null where it holds one of the marks."""
    import pyarrow as pa
    from pyarrow import compute

    column = _decoded(column) if marks else column
    if marks and pa.types.is_string(column.type):
        gone = compute.is_in(compute.utf8_trim_whitespace(column), value_set=pa.array(marks))
        return compute.if_else(gone, pa.scalar(None, pa.string()), column)
    numbers = pa.array([number for number in map(number_in, marks) if number is not None], pa.float64())
    if len(numbers) and (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        gone = compute.is_in(column.cast(pa.float64(), safe=False), value_set=numbers)
        return compute.if_else(gone, pa.scalar(None, column.type), column)
    return column


def check_ends(columns: Sequence[Any], names: Sequence[str], first: int) -> None:
    """Refuse numbers without end by their row, which a model that sees one piece of a table cannot tell."""
    import pyarrow as pa
    from pyarrow import compute

    for column, name in zip(columns, names, strict=True):
        if not pa.types.is_floating(column.type):
            continue
        place = compute.index(compute.is_inf(column), True).as_py()
        if place >= 0:
            raise DataError(f"column {name!r} holds infinity in row {first + place}; clip it, or leave it empty")


def guessed(column: Any, name: str = "", ways: Ways | None = None, first: int = 0) -> Any:
    """A column of which nothing is known: texts that are all numbers, in the unit of the first, are numbers.

    The first piece of a table that has entries decides it for those that follow.
    """
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    ways = ways or Ways()
    own = next((bare(text.strip())[1] for text in column.to_pylist() if text and not means_gap(text)), "")
    unit = ways.units.get(name, own)
    if unit is None:
        return known(column)
    try:
        found = _parsed(column, ExpectedColumn(name, "number", None, None, [], True, ways.decimal + unit), ways, first)
    except DataError as error:
        if name in ways.units:
            raise DataError(f"{error}; rows before hold numbers, and all of a column is read in one way") from None
        ways.units[name] = None
        return known(column)
    if found.null_count == len(found):
        return known(column)
    ways.units[name] = unit
    return found


def _numbers(column: Any, expected: ExpectedColumn, ways: Ways, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return _parsed(column, expected, ways, first)
    kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_decimal)
    if not any(test(column.type) for test in kinds):
        raise DataError(f"column {expected.name!r} holds {column.type}; the model expects numbers")
    return column.cast(pa.float64(), safe=False)


def _parsed(column: Any, expected: ExpectedColumn, ways: Ways, first: int) -> Any:
    """Texts as numbers; an error names the first that is none."""
    import pyarrow as pa
    from pyarrow import compute

    trimmed = known(compute.utf8_trim_whitespace(column))
    decimal = ways.sign(expected.name, _signed(trimmed), expected.written[:1])
    found = _cast(trimmed, decimal)
    if found is not None:
        return found
    texts = enumerate(trimmed.to_pylist(), first)
    return pa.array([_number(text, expected, decimal, row) for row, text in texts], pa.float64())


def _signed(texts: Any) -> Iterator[str]:
    """The different texts that have a point or a comma."""
    from pyarrow import compute

    yield from texts.filter(compute.match_substring_regex(texts, "[.,]")).unique().to_pylist()


def _cast(texts: Any, decimal: str) -> Any:
    """Texts as numbers, all at once; None if some have to be looked at, as those with points between thousands."""
    import pyarrow as pa
    from pyarrow import compute

    if decimal == "," and compute.any(compute.match_substring(texts, ".")).as_py():
        return None
    try:
        return compute.replace_substring(texts, decimal, ".").cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _number(text: str | None, expected: ExpectedColumn, decimal: str, row: int) -> float | None:
    """A number as people write it, beside a unit or with signs between thousands; None for a word that means a gap."""
    if text is None or means_gap(text):
        return None
    found, unit, trained = number_of(FLAGS.get(text.lower(), text), decimal), bare(text)[1], expected.written[1:]
    where = f"column {expected.name!r} holds {text!r:.40} in row {row}"
    if found is None and number_of(text, OTHER[decimal]) is not None:
        raise DataError(
            f"{where}; the column has the decimal sign {decimal!r} elsewhere: write all numbers in one way, or name "
            "the sign by learnable predict --decimal"
        )
    if found is None:
        raise DataError(f"{where}; the model expects numbers, and nothing if not known")
    if trained and unit not in ("", trained):
        raise DataError(f"{where}; training rows had {trained}: write it in that unit")
    if not trained and unit in SHARES:
        raise DataError(f"{where}; training rows had no {unit}: write it as those were, as 50 % may be 50 or 0.5")
    return found


def _times(column: Any, expected: ExpectedColumn, ways: Ways, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        texts = np.array(known(column).to_pylist(), dtype=object)
        return pa.array(_read_times(texts, expected, ways).astype("datetime64[us]"))
    if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        raise DataError(f"column {expected.name!r} holds {column.type}; the model expects times, written as 2024-12-31")
    return column.cast(pa.timestamp("us"), safe=False)


def _read_times(texts: Array, expected: ExpectedColumn, ways: Ways) -> Array:
    """Texts as times, in ISO 8601 or the layout of pieces before or of training rows; in another only if certain."""
    before = ways.told.get(expected.name, expected.written)
    for way in dict.fromkeys(["", *kindred(before), *kindred(expected.written)]):
        times = times_in(texts, way)
        if times is not None and ("%y" in before or of_one_century(times, way)):
            return times
    times, layout = read_times(expected.name, texts)
    if any(layout in kindred(way) for way in rivals(before)) or is_unclear(texts, layout):
        had = "rows before" if before != expected.written else "training rows"
        known_way = f"{had} had {in_words(before)}" if before else "it may be more than one day"
        text = next(text for text in texts.tolist() if text is not None)
        raise DataError(f"column {expected.name!r} holds {text!r}, and {known_way}; write dates as 2024-12-31")
    ways.told[expected.name] = layout
    return times


def _texts(column: Any, expected: ExpectedColumn, ways: Ways, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return known(column)
    return pa.array([written(value) for value in column.to_pylist()], pa.string())


def known(column: Any) -> Any:
    """A column of texts, null where they mean that nothing is known."""
    import pyarrow as pa
    from pyarrow import compute

    gone = compute.is_in(compute.utf8_trim_whitespace(column), value_set=pa.array(MISSING))
    return compute.if_else(gone, pa.scalar(None, pa.string()), column)


def written(value: Any) -> str | None:
    """A category as training tables have it: whole numbers without their point.

    >>> written(3.0), written(2.5), written("a")
    ('3', '2.5', 'a')
    """
    if value is None:
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _arrow_numbers() -> Any:
    import pyarrow as pa

    return pa.float64()


def _arrow_times() -> Any:
    import pyarrow as pa

    return pa.timestamp("us")


def _arrow_texts() -> Any:
    import pyarrow as pa

    return pa.string()


ARROW: dict[str, Callable[[], Any]] = {
    "number": _arrow_numbers, "time": _arrow_times, "category": _arrow_texts, "text": _arrow_texts,
}  # fmt: skip
KINDS: dict[str, Callable[[Any, ExpectedColumn, Ways, int], Any]] = {
    "number": _numbers, "time": _times, "category": _texts, "text": _texts,
}  # fmt: skip
