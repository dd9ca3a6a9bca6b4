"""Conversion of columns to the types that a model expects: numbers, times or texts, null where missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...datasets._reading.amounts import bare, means_missing, number_of
from ...datasets._reading.dates import in_words, is_unclear, kindred, of_one_century, read_times, rivals, times_in
from ...datasets._reading.delimited_text import MISSING
from ...datasets._reading.missing_marks import number_in
from ...datasets._reading.thousands_separators import OTHER
from ...deployment import ExpectedColumn
from ..task import FLAGS
from .number_formats import NumberFormats

SHARES = ("%", "‰")  # units that are factors themselves


def convert_column(column: Any, expected: ExpectedColumn, formats: NumberFormats | None = None, first: int = 0) -> Any:
    """An Arrow column converted to the expected type; `first` is the number of its first row."""
    import pyarrow as pa

    column = _decoded(column)
    if pa.types.is_null(column.type):
        return column.cast(ARROW[expected.holds]())
    return KINDS[expected.holds](column, expected, formats or NumberFormats(), first)


def _decoded(column: Any) -> Any:
    """A column without dictionary encoding or large strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def null_marked_values(column: Any, marks: Sequence[str]) -> Any:
    """A column of numbers or texts, null where it holds one of the marks."""
    import pyarrow as pa
    from pyarrow import compute

    column = _decoded(column) if marks else column
    if marks and pa.types.is_string(column.type):
        missing = compute.is_in(compute.utf8_trim_whitespace(column), value_set=pa.array(marks))
        return compute.if_else(missing, pa.scalar(None, pa.string()), column)
    numbers = pa.array([number for number in map(number_in, marks) if number is not None], pa.float64())
    if len(numbers) and (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        missing = compute.is_in(column.cast(pa.float64(), safe=False), value_set=numbers)
        return compute.if_else(missing, pa.scalar(None, column.type), column)
    return column


def reject_infinities(columns: Sequence[Any], names: Sequence[str], first: int) -> None:
    """Reject infinite numbers with their row in the table, which a model that sees one chunk cannot name."""
    import pyarrow as pa
    from pyarrow import compute

    for column, name in zip(columns, names, strict=True):
        if not pa.types.is_floating(column.type):
            continue
        index = compute.index(compute.is_inf(column), True).as_py()
        if index >= 0:
            raise DataError(f"column {name!r} holds infinity in row {first + index}; clip it, or leave it empty")


def infer_type(column: Any, name: str = "", formats: NumberFormats | None = None, first: int = 0) -> Any:
    """A column without a declared type: numeric if all texts are numbers with the unit of the first one.

    The first chunk with entries determines the type of those that follow.
    """
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    formats = formats or NumberFormats()
    own = next((bare(text.strip())[1] for text in column.to_pylist() if text and not means_missing(text)), "")
    unit = formats.units.get(name, own)
    if unit is None:
        return null_missing_texts(column)
    try:
        found = _parsed(
            column, ExpectedColumn(name, "number", None, None, [], True, formats.decimal + unit), formats, first
        )
    except DataError as error:
        if name in formats.units:
            raise DataError(f"{error}; earlier rows hold numbers, and a column has one type") from None
        formats.units[name] = None
        return null_missing_texts(column)
    if found.null_count == len(found):
        return null_missing_texts(column)
    formats.units[name] = unit
    return found


def _numbers(column: Any, expected: ExpectedColumn, formats: NumberFormats, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return _parsed(column, expected, formats, first)
    kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_decimal)
    if not any(test(column.type) for test in kinds):
        raise DataError(f"column {expected.name!r} holds {column.type}; the model expects numbers")
    return column.cast(pa.float64(), safe=False)


def _parsed(column: Any, expected: ExpectedColumn, formats: NumberFormats, first: int) -> Any:
    """Texts as numbers; an error names the first text that is not a number."""
    import pyarrow as pa
    from pyarrow import compute

    trimmed = null_missing_texts(compute.utf8_trim_whitespace(column))
    decimal = formats.sign(expected.name, _signed(trimmed), expected.written[:1])
    found = _cast(trimmed, decimal)
    if found is not None:
        return found
    texts = enumerate(trimmed.to_pylist(), first)
    return pa.array([_number(text, expected, decimal, row) for row, text in texts], pa.float64())


def _signed(texts: Any) -> Iterator[str]:
    """The distinct texts with a point or a comma."""
    from pyarrow import compute

    yield from texts.filter(compute.match_substring_regex(texts, "[.,]")).unique().to_pylist()


def _cast(texts: Any, decimal: str) -> Any:
    """Texts as numbers by a vectorised cast; None if some need parsing, such as those with thousands separators."""
    import pyarrow as pa
    from pyarrow import compute

    if decimal == "," and compute.any(compute.match_substring(texts, ".")).as_py():
        return None
    try:
        return compute.replace_substring(texts, decimal, ".").cast(pa.float64())
    except pa.ArrowInvalid:
        return None


def _number(text: str | None, expected: ExpectedColumn, decimal: str, row: int) -> float | None:
    """Parse a number with an optional unit or thousands separators; None for a text that means missing."""
    if text is None or means_missing(text):
        return None
    found, unit, trained = number_of(FLAGS.get(text.lower(), text), decimal), bare(text)[1], expected.written[1:]
    where = f"column {expected.name!r} holds {text!r:.40} in row {row}"
    if found is None and number_of(text, OTHER[decimal]) is not None:
        raise DataError(
            f"{where}; the column has the decimal sign {decimal!r} elsewhere: use one decimal sign, or "
            "set it with learnable predict --decimal"
        )
    if found is None:
        raise DataError(f"{where}; the model expects numbers; leave the cell empty if the value is not known")
    if trained and unit not in ("", trained):
        raise DataError(f"{where}; training rows had the unit {trained}: use that unit")
    if not trained and unit in SHARES:
        raise DataError(f"{where}; training rows had no {unit}: use the same notation, because 50 % may be 50 or 0.5")
    return found


def _times(column: Any, expected: ExpectedColumn, formats: NumberFormats, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        texts = np.array(null_missing_texts(column).to_pylist(), dtype=object)
        return pa.array(_read_times(texts, expected, formats).astype("datetime64[us]"))
    if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        raise DataError(f"column {expected.name!r} holds {column.type}; the model expects times, written as 2024-12-31")
    return column.cast(pa.timestamp("us"), safe=False)


def _read_times(texts: Array, expected: ExpectedColumn, formats: NumberFormats) -> Array:
    """Texts as times, in ISO 8601 or the layout of earlier chunks or training rows; in another only if unambiguous."""
    before = formats.chosen_formats.get(expected.name, expected.written)
    for layout in dict.fromkeys(["", *kindred(before), *kindred(expected.written)]):
        times = times_in(texts, layout)
        if times is not None and ("%y" in before or of_one_century(times, layout)):
            return times
    times, layout = read_times(expected.name, texts)
    if any(layout in kindred(way) for way in rivals(before)) or is_unclear(texts, layout):
        had = "earlier rows" if before != expected.written else "training rows"
        known_way = f"{had} had {in_words(before)}" if before else "it is ambiguous"
        text = next(text for text in texts.tolist() if text is not None)
        raise DataError(f"column {expected.name!r} holds {text!r}, and {known_way}; write dates as 2024-12-31")
    formats.chosen_formats[expected.name] = layout
    return times


def _texts(column: Any, expected: ExpectedColumn, formats: NumberFormats, first: int) -> Any:
    import pyarrow as pa

    if pa.types.is_string(column.type):
        return null_missing_texts(column)
    return pa.array([written(value) for value in column.to_pylist()], pa.string())


def null_missing_texts(column: Any) -> Any:
    """A column of texts, null where they mean missing."""
    import pyarrow as pa
    from pyarrow import compute

    missing = compute.is_in(compute.utf8_trim_whitespace(column), value_set=pa.array(MISSING))
    return compute.if_else(missing, pa.scalar(None, pa.string()), column)


def written(value: Any) -> str | None:
    """A category as text: integer-valued numbers without a decimal point.

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
KINDS: dict[str, Callable[[Any, ExpectedColumn, NumberFormats, int], Any]] = {
    "number": _numbers, "time": _times, "category": _texts, "text": _texts,
}  # fmt: skip
