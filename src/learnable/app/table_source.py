"""The source of the table of a study, and the options to read it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import unwrap
from pathlib import Path
from typing import Any

from ..core import ParameterError
from ..datasets import Dataset
from ..datasets._reading.delimited_text import MISSING
from .database import is_database, public_name, read_query, without_password
from .example import NAME, example
from .python_code import code_of


@dataclass(frozen=True, slots=True)
class TableSource:
    """A file, `-` for standard input, with its reading options; without a path, the example table of the package.

    A table from Python has no file: options and code say TABLE in its place.

    >>> TableSource("shops/sales.csv", delimiter=";", missing=("-999",), types={"zip": "text"}).flags()
    ['shops/sales.csv', '--delimiter', ';', '--missing=-999', '--type', 'zip=text']
    >>> TableSource("shops/sales.csv", delimiter=";").code()
    "read_table(sys.argv[1] if len(sys.argv) > 1 else 'shops/sales.csv', delimiter=';')"
    """

    path: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ()
    table: Dataset | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    query: str | None = None  # of a database

    def __post_init__(self) -> None:
        database = self.path is not None and is_database(self.path)
        if database and self.query is None:
            raise ParameterError('a database needs --query, such as "SELECT * FROM houses"')
        if self.query is not None and not database:
            raise ParameterError("--query needs a database, such as sqlite:///file.db")
        if database and (self._options or self.missing):
            raise ParameterError("--encoding, --delimiter, --decimal and --missing are for files, not for databases")

    @property
    def file(self) -> str | None:
        """The table in commands and code; None for the example table."""
        return "TABLE" if self.table is not None else self.path

    @property
    def name(self) -> str:
        """The display name: the file without its folders."""
        if self.table is not None:
            return self.table.name
        if self.path is None:
            return NAME
        if self.query is not None:
            return public_name(self.path)
        return "standard input" if self.path == "-" else Path(self.path).name

    @property
    def _options(self) -> dict[str, Any]:
        given = {"encoding": self.encoding, "delimiter": self.delimiter, "decimal": self.decimal}
        return {name: value for name, value in given.items() if value is not None}

    def read(self) -> Dataset:
        """The table."""
        from ..datasets import read_table

        if self.table is not None:
            return self.table
        if self.path is None:
            return example().with_types(self.types)
        if self.query is not None:
            return read_query(self.path, self.query).with_types(self.types)
        read = unwrap(read_table)  # errors should not begin with the name of a function that the user did not call
        found: Dataset = read(self.path, missing=self._marks, types=self.types, **self._options)
        return found

    @property
    def _marks(self) -> tuple[str, ...]:
        """All markers of missing values."""
        return (*MISSING, *self.missing)

    def flags(self) -> list[str]:
        """The arguments of `learnable study` for this table."""
        options = [part for name, value in self._options.items() for part in (f"--{name}", value)]
        options += [f"--missing={mark}" for mark in self.missing]  # which may begin like an option
        options += [part for column, kind in self.types.items() for part in ("--type", f"{column}={kind}")]
        if self.path is not None and self.query is not None:
            return [without_password(self.path), "--query", self.query, *options]
        return [*([] if self.file is None else [self.file]), *options]

    def code(self) -> str:
        """The Python expression that reads this table; the program takes another path as an argument."""
        if self.file is None:
            return f"example().with_types({code_of(self.types)})" if self.types else "example()"
        if self.path is not None and self.query is not None:
            types = f".with_types({code_of(self.types)})" if self.types else ""
            return f"read_query({code_of(without_password(self.path))}, {code_of(self.query)}){types}"
        options = [f"{name}={code_of(value)}" for name, value in self._options.items()]
        options += [f"missing={code_of(self._marks)}"] if self.missing else []
        options += [f"types={code_of(self.types)}"] if self.types else []
        path = f"sys.argv[1] if len(sys.argv) > 1 else {code_of(self.file)}"
        return f"read_table({', '.join([path, *options])})"
