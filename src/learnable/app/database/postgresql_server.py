"""Queries of PostgreSQL servers, in a read-only transaction."""

from __future__ import annotations

import os
import re
from typing import Any

from ...core import DataError
from .arrow_table import plain_table
from .drivers import driver
from .url import check_password, public_name, without_secrets

WAIT = 10  # seconds for a server to reply, unless the URL or PGCONNECT_TIMEOUT says otherwise
REMEDIES = (
    ("password", "set PGPASSWORD or write the password to .pgpass"),
    ("no pg_hba.conf entry", "the server has to allow this user and this machine"),
    ("does not exist", "check the names of the database and the user"),
    ("host name", "check the host in the URL"),
    ("refused", "check host and port, and that the server runs"),
    ("timeout expired", "check host and port, and that no firewall is in between"),
    ("No such file", "check host and port, and that the server runs"),
)
_TAIL = re.compile(r"\n+(?:LINE \d+:|Query was:|\tIs the server).*|\.? ?SQLSTATE: .*", re.DOTALL)
_HEAD = re.compile(r"\A(?:[A-Z_]+: )?(?:\[libpq\] )?(?:(?:Failed to|could not begin) [\w ]*(?:'.*')?: ?)*", re.DOTALL)
_SERVER = re.compile(r"\Aconnection to server .*? failed: ")
_LEVEL = re.compile(r"(?:Execution error \[\w+\]: |fe_sendauth: )?(?:(?:FATAL|ERROR):  )?")


def from_postgresql(url: str, query: str) -> Any:
    """The result of a query as an Arrow table."""
    import pyarrow as pa

    check_password(url)
    postgres = driver("postgresql")
    try:
        database = postgres.connect(_address(url))
    except postgres.Error as error:
        reason = _reason(error, url)
        remedy = next((f"; {then}" for words, then in REMEDIES if words in reason), "")
        raise DataError(f"cannot connect to {public_name(url)}: {reason}{remedy}") from None
    try:
        with database, database.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            return plain_table(cursor.fetch_arrow_table())
    except (postgres.Error, pa.ArrowException, OSError) as error:
        raise DataError(f"{public_name(url)}: {_reason(error, url) or 'the query has no result'}") from None


def _address(url: str) -> str:
    """The URL as the driver takes it, with an end to waiting."""
    rest = url.partition("://")[2]
    if "connect_timeout=" in rest or os.environ.get("PGCONNECT_TIMEOUT"):
        return f"postgresql://{rest}"
    return f"postgresql://{rest}{'&' if '?' in rest else '?'}connect_timeout={WAIT}"


def _reason(error: Exception, url: str) -> str:
    """What the server said, without the words of the driver, the query and what is secret in the URL."""
    words = _TAIL.sub("", str(error))
    for pattern in (_HEAD, _SERVER, _HEAD, _LEVEL):
        words = pattern.sub("", words, count=1)
    reason = " ".join(without_secrets(words, url).split())
    return "the query has to be one SELECT statement" if "multiple commands" in reason else reason
