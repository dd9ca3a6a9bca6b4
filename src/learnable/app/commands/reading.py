"""Options for the format of a table, where it cannot be detected."""

from __future__ import annotations

from typing import Annotated

import typer


def one_character(delimiter: str | None) -> str | None:
    """Validate a delimiter, which may be typed as \\t."""
    delimiter = "\t" if delimiter == r"\t" else delimiter
    if delimiter is not None and len(delimiter) != 1:
        raise typer.BadParameter(f"a delimiter is one character, such as ';' or '\\t'; got {delimiter!r}")
    return delimiter


def point_or_comma(decimal: str | None) -> str | None:
    """A decimal sign."""
    if decimal not in (None, ".", ","):
        raise typer.BadParameter(f"a decimal sign is . or ,; got {decimal!r}")
    return decimal


Encoding = Annotated[str | None, typer.Option(help="The text encoding of the file; detected if not given.")]
Delimiter = Annotated[
    str | None, typer.Option(callback=one_character, help="The delimiter between cells; detected if not given.")
]
Decimal = Annotated[
    str | None, typer.Option(callback=point_or_comma, help="The decimal sign, . or ,; detected if not given.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A text or number that means missing, such as -999; may be repeated."),
]
Types = Annotated[
    list[str] | None, typer.Option("--type", help="The type of a column, such as zip=text; may be repeated.")
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv/--no-safe-csv",
        help="In CSV, write a quote before text that a spreadsheet would read as a formula; numbers are unchanged.",
    ),
]
