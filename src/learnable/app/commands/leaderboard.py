"""The leaderboard of a study in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..text import percent

if TYPE_CHECKING:
    from rich.table import Table

    from ..study.result import Study

HEADINGS = ("model", "score", "95 % interval", "vs baseline", "equal to best", "s/fit", "kB")


def leaderboard(found: Study, width: int) -> Table:
    """The leaderboard, the recommended model marked; the last columns are omitted if the terminal is narrow."""
    rows = [_cells(found, row) for row in found.ranking.leaderboard]
    shown = len(HEADINGS)
    while shown > 2 and _width(rows, shown) > width:
        shown -= 1
    return _table_of(found, rows, shown)


def _cells(found: Study, row: Any) -> list[str]:
    recommended = row.name == found.recommended
    interval = found.between(row.estimate.low, row.estimate.high) if not row.baseline else ""
    return [
        ("→ " if recommended else "  ") + row.name, found.figure(row.estimate.mean), interval, row.compared.verdict,
        percent(row.equal_to_best, 0), f"{row.fit_seconds:.2g}", f"{row.size / 1000:.0f}",
    ]  # fmt: skip


def _width(rows: list[list[str]], shown: int) -> int:
    """Characters in a line of the table, with three between columns and one at each end."""
    columns = list(zip(HEADINGS, *rows, strict=True))[:shown]
    return sum(max(map(len, column)) + 3 for column in columns) - 1


def _table_of(found: Study, rows: list[list[str]], shown: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD, pad_edge=False, title_justify="left", title=f"{found.metric.label}, {found.metric.direction}"
    )
    for heading in HEADINGS[:shown]:
        text = heading in ("model", "vs baseline")
        table.add_column(heading, justify="left" if text else "right", no_wrap=True)
    for cells in rows:
        table.add_row(*cells[:shown], style="bold" if cells[0].startswith("→") else None)
    return table
