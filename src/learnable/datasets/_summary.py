"""The summary of a data set, a line for each column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import Array
from ..core.validate.mixed_table import is_missing
from ._reading.column_types import levels_of

if TYPE_CHECKING:
    from .dataset import Dataset

MAX_COLUMNS, MAX_LEVELS = 40, 4


def table_text(table: Dataset) -> str:
    """Name, kind, number of missing values and range of each column, as aligned text."""
    shown = list(table.columns)[:MAX_COLUMNS]
    lines = [("column", "kind", "missing", "values")]
    for name in shown:
        values = table.columns[name]
        note = " (target)" if name == table.target else ""
        missing = str(int(is_missing(values).sum()))
        lines.append((name, table.types[name], missing, value_range(values, table.types[name]) + note))
    widths = [max(len(line[place]) for line in lines) for place in range(3)]
    text = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line[:3], widths, strict=True)) + f"  {line[3]}"
        for line in lines
    ]
    more = [f"and {len(table.columns) - len(shown)} more columns"] if len(table.columns) > len(shown) else []
    head = f"<{table.name}: {table.n} rows, {len(table.columns)} columns>"
    return "\n".join([head, *(line.rstrip() for line in text), *more, *_roles(table), *table.notes])


def value_range(values: Array, kind: str) -> str:
    """The least and the largest value, or the first of the different ones."""
    known = values[~is_missing(values)]
    if not len(known):
        return "none"
    if kind == "time" or (values.dtype.kind in "iuf" and kind in ("integer", "continuous")):
        return f"{_short(known.min())} to {_short(known.max())}"
    levels = [_short(level) for level in levels_of(values, kind)]
    rest = f", ... ({len(levels)} values)" if len(levels) > MAX_LEVELS else ""
    return (" < " if kind == "ordinal" else ", ").join(levels[:MAX_LEVELS]) + rest


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else f"{text[:21]}..."


def _roles(table: Dataset) -> list[str]:
    if table.roles is None:
        return []
    counts = {role: int((table.roles == role).sum()) for role in ("train", "validation", "test")}
    return ["rows: " + ", ".join(f"{count} {role}" for role, count in counts.items() if count)]
