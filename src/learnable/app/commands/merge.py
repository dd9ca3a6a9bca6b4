"""`learnable merge`: add and subtract exact summaries of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import AsJson, print_json, print_line


def merge(
    summaries: Annotated[list[Path], typer.Argument(help="Summary files of rows with the same columns.")],
    to: Annotated[Path, typer.Option("--output", "-o", help="The file for the summary of all their rows.")],
    subtract: Annotated[
        list[Path] | None, typer.Option(help="A summary file of rows to remove again; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add summary files of several parties, bit for bit as if all their rows were in one place.

    Files are written by learnable.scale.summary(model, rows).save(path), and models are fitted by
    Ridge.from_summary(ExactSummary.load(path)). No file holds a row.

    Example: learnable merge north.summary south.summary --output both.summary
    """
    from ...core.errors import DataError
    from ...engines.exact_summary import ExactSummary

    total = ExactSummary.load(summaries[0])
    for path, adds in [*((path, True) for path in summaries[1:]), *((path, False) for path in subtract or [])]:
        part = ExactSummary.load(path)
        try:
            total = total + part if adds else total - part
        except DataError as error:
            raise DataError(f"{path}: {error}") from None
    total.save(to)
    found = {
        "summary": str(to), "kind": total.kind, "columns": total.columns, "weight": total.weight,
        "fingerprint": total.fingerprint,
    }  # fmt: skip
    if as_json:
        print_json(found)
    else:
        print_line(f"{to}: {total.kind} of {total.columns} columns, weight of the rows {total.weight:.12g}")
        print_line(f"fingerprint {total.fingerprint}")
