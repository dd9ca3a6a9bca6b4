"""URLs of databases, and what of them may be shown: never a password."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from ...core import DataError, ParameterError

SCHEMES = ("sqlite", "duckdb", "postgresql", "postgres")
SHOWN = frozenset((
    "application_name", "channel_binding", "connect_timeout", "dbname", "gssencmode", "host", "hostaddr", "passfile",
    "port", "service", "sslmode", "sslrootcert", "target_session_attrs", "user",
))  # fmt: skip
"""Options of a PostgreSQL server that are not secret; others stay out of files."""


def is_database(source: str) -> bool:
    """Whether a source is the URL of a database.

    >>> is_database("sqlite:///shop.db"), is_database("shop.csv")
    (True, False)
    """
    scheme, mark, _ = source.partition("://")
    return bool(mark) and scheme.lower() in SCHEMES


def scheme_of(url: str) -> str:
    """The kind of database: sqlite, duckdb or postgresql."""
    scheme = url.partition("://")[0].lower()
    return "postgresql" if scheme == "postgres" else scheme


def public_name(url: str) -> str:
    """The URL of a database without user, password and options, which may be secrets.

    >>> public_name("postgresql://me:secret@host:5432/shop?sslpassword=x")
    'postgresql://host:5432/shop'
    """
    _, rest, _ = _parts(url)
    return f"{scheme_of(url)}://{rest}"


def without_password(url: str) -> str:
    """The URL of a database without its password and secret options, as files may show it.

    >>> without_password("postgresql://me:secret@host/shop?sslmode=require&sslpassword=x")
    'postgresql://me@host/shop?sslmode=require'
    """
    user, rest, options = _parts(url)
    shown = urlencode([(name, value) for name, value in options if name in SHOWN], safe="/")
    name = user.partition(":")[0]
    return f"{scheme_of(url)}://{name}{'@' * bool(name)}{rest}{'?' * bool(shown)}{shown}"


def without_secrets(message: str, url: str) -> str:
    """A message in which every secret of a URL is replaced by asterisks, however it is written."""
    user, _, options = _parts(url)
    password = user.partition(":")[2]
    secrets = {password, unquote(password), *(value for name, value in options if name not in SHOWN)}
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        message = message.replace(secret, "***")
    return message


def check_password(url: str) -> None:
    """Refuse a password with characters that end it for the driver, whose error would show the rest."""
    rest = url.partition("://")[2]
    if rest.count("@") > 1 or "@" in re.sub(r"^[^/?#]*", "", rest):
        raise ParameterError(
            "the URL of the database has an @, /, ? or # in its password or options; write %40, %2F, %3F or %23, or "
            "leave the password out and set PGPASSWORD"
        )


def path_of(url: str) -> Path:
    """The file of a URL; three slashes begin a relative path, four an absolute one."""
    scheme, parts = scheme_of(url), urlsplit(url)
    path = Path(unquote(parts.path).removeprefix("/"))
    if parts.netloc or not path.name:
        raise DataError(f"a {scheme} file is written as {scheme}:///file.db, or with four slashes before its root")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder, not a database file")
    if not path.is_file():
        raise DataError(
            f"the database file {str(path)!r} does not exist; write {scheme}:///file.db, or four slashes before a root"
        )
    return path


def _parts(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """User and password, host and path, and options; all before the last @ counts as a password."""
    user, _, rest = url.partition("://")[2].rpartition("@")
    rest, _, options = rest.partition("?")
    return user, rest.partition("#")[0], parse_qsl(options, keep_blank_values=True)
