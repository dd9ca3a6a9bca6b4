"""Packages that read databases, each imported when it is needed."""

from __future__ import annotations

import importlib
from typing import Any

from ...core import DataError

PACKAGES = {"duckdb": "duckdb", "postgresql": "adbc-driver-postgresql"}
MODULES = {"duckdb": "duckdb", "postgresql": "adbc_driver_postgresql.dbapi"}


def driver(scheme: str) -> Any:
    """The module that reads a kind of database."""
    try:
        return importlib.import_module(MODULES[scheme])
    except ImportError:
        raise DataError(f"{scheme}:// needs the package {PACKAGES[scheme]}; install learnable[database]") from None
