"""Queries of SQLite files, which are opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import quote

from ...core import DataError
from ...core.runtime import context
from .arrow_table import checked_names
from .url import path_of

REFUSED = ("not authorized", "authorization denied")
STEPS = 100_000  # of SQLite's virtual machine between two looks for an interrupt


def from_sqlite(url: str, query: str) -> Any:
    """The result of a query as an Arrow table."""
    import pyarrow as pa

    path = path_of(url)
    interrupted = Interrupted()
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            database.set_authorizer(_permission)
            database.set_progress_handler(interrupted, STEPS)
            cursor = database.execute(query)
            rows, named = cursor.fetchall(), [column[0] for column in cursor.description or ()]
    except (sqlite3.Error, sqlite3.Warning) as error:
        if str(error) == "interrupted":  # by an exception that came in, or on the way to, the handler
            raise interrupted.by or KeyboardInterrupt from None
        reason = "the query has to be one SELECT statement" if str(error) in REFUSED else error
        raise DataError(f"{path.name}: {reason}") from None
    columns = list(zip(*rows, strict=True)) or [()] * len(named)
    names = checked_names(named)
    arrays = [pa.array(_of_one_type(name, values)) for name, values in zip(names, columns, strict=True)]
    return pa.table(arrays, names=names)


def _permission(action: int, *_: Any) -> int:
    """Refuse ATTACH and VACUUM INTO, which write other files although this one is opened read-only."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


class Interrupted:
    """Ends a query when the user or a budget does; `by` is what ended it."""

    by: BaseException | None = None

    def __call__(self) -> bool:
        """Whether the query is to end: SQLite itself would drop the exception."""
        try:
            context.give_way()
        except BaseException as error:
            self.by = error
        return self.by is not None


def _of_one_type(name: str, values: Any) -> list[Any]:
    """The entries of a column: texts if they have several types, as columns of SQLite may."""
    kinds = {type(value) for value in values if value is not None}
    if bytes in kinds:
        raise DataError(f"column {name!r} of the query holds binary data; leave it out")
    if len(kinds) < 2 or kinds == {int, float}:
        return [float(value) if value is not None and float in kinds else value for value in values]
    return [None if value is None else str(value) for value in values]
