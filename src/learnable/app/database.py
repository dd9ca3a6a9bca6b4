"""Tables from databases: the result of a query, read without writing anything."""

from __future__ import annotations

import importlib
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from ..core import DataError, ParameterError
from ..datasets import Dataset

SCHEMES = ("sqlite", "duckdb", "postgresql", "postgres")
DRIVERS = {"duckdb": "duckdb", "postgresql": "adbc_driver_postgresql.dbapi"}


def is_database(source: str) -> bool:
    """Whether a source is the URL of a database.

    >>> is_database("sqlite:///shop.db"), is_database("shop.csv")
    (True, False)
    """
    return source.partition("://")[0].lower() in SCHEMES and "://" in source


def public_name(url: str) -> str:
    """The URL of a database without user, password and options, which may be secrets.

    >>> public_name("postgresql://me:secret@host:5432/shop?sslpassword=x")
    'postgresql://host:5432/shop'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def without_password(url: str) -> str:
    """The URL of a database without its password and options, as files may show it.

    >>> without_password("postgresql://me:secret@host/shop")
    'postgresql://me@host/shop'
    """
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}"


def read_query(url: str, query: str) -> Dataset:
    """The result of a query as a table.

    url is sqlite:///file.db, duckdb:///file.duckdb (a fourth slash begins an absolute path) or
    postgresql://user@host/name. Files are opened read-only; DuckDB needs the package duckdb, PostgreSQL the package
    adbc-driver-postgresql.
    """
    from .study.api import dataset_of

    if not is_database(url):
        raise ParameterError(f"{public_name(url)!r} is not a database; write {', '.join(SCHEMES[:3])}://...")
    scheme = urlsplit(url).scheme.lower()
    read = {"sqlite": _from_sqlite, "duckdb": _from_duckdb}.get(scheme, _from_postgresql)
    found = dataset_of(read(url, query))
    if not found.columns:
        raise DataError(f"{public_name(url)}: the query has no result; write SELECT ...")
    return replace(found, name=public_name(url))


def _path(url: str) -> Path:
    """The file of a URL; three slashes begin a relative path, four an absolute one."""
    parts = urlsplit(url)
    path = Path(unquote(parts.path).removeprefix("/"))
    if parts.netloc or not path.is_file():
        raise DataError(
            f"the database file {str(path)!r} does not exist; write sqlite:///file.db, or four slashes before /"
        )
    return path


def _from_sqlite(url: str, query: str) -> Any:
    import pyarrow as pa

    path = _path(url)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            cursor = database.execute(query)
            rows, named = cursor.fetchall(), [column[0] for column in cursor.description or ()]
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DataError(f"{path.name}: {error}") from None
    columns = list(zip(*rows, strict=True)) or [()] * len(named)
    return pa.table([pa.array(_of_one_type(values)) for values in columns], names=_checked_names(named))


def _checked_names(names: list[str]) -> list[str]:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DataError(f"the query returns two columns called {twice!r}; rename one with AS")
    return names


def _of_one_type(values: Any) -> list[Any]:
    """The entries of a column: texts if they have several types, as columns of SQLite may."""
    kinds = {type(value) for value in values if value is not None}
    if bytes in kinds:
        raise DataError("the query returns binary data; leave these columns out")
    if len(kinds) < 2 or kinds == {int, float}:
        return [float(value) if value is not None and float in kinds else value for value in values]
    return [None if value is None else str(value) for value in values]


def _from_duckdb(url: str, query: str) -> Any:
    path = _path(url)
    duckdb = _driver("duckdb")
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            return database.execute(query).fetch_arrow_table()
    except duckdb.Error as error:
        raise DataError(f"{path.name}: {error}") from None


def _from_postgresql(url: str, query: str) -> Any:
    driver = _driver("postgresql")
    try:
        with driver.connect(url) as database, database.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetch_arrow_table()
    except driver.Error as error:
        raise DataError(f"{public_name(url)}: {error}") from None


def _driver(scheme: str) -> Any:
    try:
        return importlib.import_module(DRIVERS[scheme])
    except ImportError:
        package = DRIVERS[scheme].split(".")[0].replace("_", "-")
        raise DataError(f"{scheme}:// needs the package {package}; install learnable[database]") from None
