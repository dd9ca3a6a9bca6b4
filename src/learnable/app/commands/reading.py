"""Options that say how a table is written, where that is not to be found out."""

from __future__ import annotations

from typing import Annotated

import typer


def one_character(delimiter: str | None) -> str | None:
    """A delimiter as it is typed in most shells."""
    delimiter = "\t" if delimiter == r"\t" else delimiter
    if delimiter is not None and len(delimiter) != 1:
        raise typer.BadParameter(f"a delimiter is one character, such as ';' or '\\t'; got {delimiter!r}")
    return delimiter


def point_or_comma(decimal: str | None) -> str | None:
    """A decimal sign."""
    if decimal not in (None, ".", ","):
        raise typer.BadParameter(f"a decimal sign is . or ,; got {decimal!r}")
    return decimal


Encoding = Annotated[str | None, typer.Option(help="How the file writes letters; found out if not given.")]
Delimiter = Annotated[
    str | None, typer.Option(callback=one_character, help="What stands between cells; found out if not given.")
]
Decimal = Annotated[
    str | None, typer.Option(callback=point_or_comma, help="The decimal sign, . or ,; found out if not given.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A text or number that means no value, such as -999; may be given several times."),
]
Types = Annotated[
    list[str] | None, typer.Option("--type", help="What a column holds, such as zip=text; may be given several times.")
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv/--no-safe-csv",
        help="In CSV, write a quote before text that a spreadsheet would take for a formula; numbers stay as they are.",
    ),
]
