"""Queries of DuckDB files, which are opened read-only."""

from __future__ import annotations

from typing import Any

from ...core import DataError
from .arrow_table import plain_table
from .drivers import driver
from .url import path_of

READING = {"SELECT", "MULTI", "CREATE", "DROP"}
"""What a query consists of: PIVOT is several statements, which create and drop a type in memory."""


def from_duckdb(url: str, query: str) -> Any:
    """The result of a query as an Arrow table."""
    path, duckdb = path_of(url), driver("duckdb")
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            kinds = [statement.type.name for statement in database.extract_statements(query)]
            if kinds.count("SELECT") + kinds.count("MULTI") != 1 or not READING.issuperset(kinds):
                raise DataError(f"{path.name}: the query has to be one SELECT statement")
            return plain_table(database.sql(query).to_arrow_table())
    except duckdb.Error as error:
        raise DataError(f"{path.name}: {str(error).strip().splitlines()[0]}") from None
