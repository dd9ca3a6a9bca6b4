"""The result of a query as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...core import DataError, ParameterError
from ...datasets import Dataset
from .duckdb_file import from_duckdb
from .postgresql_server import from_postgresql
from .sqlite_file import from_sqlite
from .url import SCHEMES, is_database, public_name, scheme_of

READERS: dict[str, Callable[[str, str], Any]] = {
    "sqlite": from_sqlite,
    "duckdb": from_duckdb,
    "postgresql": from_postgresql,
}


def read_query(url: str, query: str) -> Dataset:
    """The result of a query as a table.

    url is sqlite:///file.db, duckdb:///file.duckdb (a fourth slash begins an absolute path) or
    postgresql://user@host/name. Nothing is written; DuckDB needs the package duckdb, PostgreSQL the package
    adbc-driver-postgresql.
    """
    from ..study.api import dataset_of

    if not is_database(url):
        raise ParameterError(f"{public_name(url)!r} is not a database; write {', '.join(SCHEMES[:3])}://...")
    if not query.strip():
        raise ParameterError('the query is empty; write one such as "SELECT * FROM houses"')
    if "\0" in query or any(0xD800 <= ord(letter) <= 0xDFFF for letter in query):
        raise ParameterError("the query has a character that no database reads; remove it")
    found = READERS[scheme_of(url)](url, query)
    if not found.column_names:
        raise DataError(f"{public_name(url)}: the query has no result; write SELECT ...")
    return replace(dataset_of(found), name=public_name(url))
