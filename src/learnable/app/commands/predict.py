"""`learnable predict`: the answers of a saved model for the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import AsJson, print_json, say
from ..text import counted
from .reading import Decimal, Missing, SafeCsv

if TYPE_CHECKING:
    from ..predict.chunked_reader import Pieces
    from ..predict.predictor import Answering
    from ..predict.writers import Sink

ModelPath = Annotated[Path, typer.Argument(help="A model file, as `learnable study` or learnable.save writes it.")]
Share = Annotated[float, typer.Option(help="Share of rows whose interval or set holds the truth.")]


def predict(
    model: ModelPath,
    data: Annotated[str, typer.Argument(help="The rows: CSV, TSV, Parquet, Arrow, JSON or xlsx; - is standard input.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .csv, .tsv or .parquet file; standard output if not given.")
    ] = None,
    share: Share = 0.9,
    decimal: Decimal = None,
    missing: Missing = None,
    safe_csv: SafeCsv = False,
    as_json: AsJson = False,
) -> None:
    """Answer the rows of a table with a saved model, however long the table is.

    Beside its own columns each row gets the answer, the probability of each class, an interval or a set of classes that
    holds the truth for a share of rows, and the columns whose entries are unlike those of all training rows.

    Example: learnable predict model.learnable new.csv -o answers.csv
    """
    from ..predict.chunked_reader import pieces
    from ..predict.predictor import Answering
    from ..predict.writers import PARQUET, SUFFIXES, sink

    out = None if str(out) == "-" else out
    if out is not None and out.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"the file must end in {', '.join(SUFFIXES)}; got {out.name!r}", param_hint="--out")
    if not 0 < share < 1:
        raise typer.BadParameter("a share of the rows lies between 0 and 1", param_hint="--share")
    if safe_csv and (out.suffix.lower() in PARQUET if out else as_json):
        raise typer.BadParameter("only CSV and TSV are opened by spreadsheets", param_hint="--safe-csv")
    requested = Answering.opened(model, missing or ())
    with pieces(data, decimal=decimal) as table, sink(out, as_json, safe_csv) as place:
        rows, strange = _answered(requested, table, place, share)
    say(
        f"{counted(rows, 'row')} answered by {requested.name}"
        + (f", {strange} of them strange" if requested.deployed else "")
    )
    if as_json and out is not None:
        print_json({"rows": rows, "strange": strange if requested.deployed else None, "out": str(out)})


def _answered(requested: Answering, table: Pieces, place: Sink, share: float) -> tuple[int, int]:
    """Answer piece after piece; the numbers of rows and of strange ones."""
    rows = strange = 0
    if table.note:
        say(table.note)
    for number, piece in enumerate(table.tables):
        if not number and (extra := requested.extra(piece.column_names)):
            say(f"not looked at: {', '.join(extra[:12])}{' ...' if len(extra) > 12 else ''}")
        if not piece.num_rows:
            continue
        answers = requested.answers(requested.frame(piece, table.ways, rows + 1), share)
        place.add(piece, answers)
        rows += piece.num_rows
        strange += 0 if answers.strange is None else int(answers.strange.any(axis=1).sum())
    if not rows:
        requested.places(piece.column_names)
        place.add(piece, requested.no_answers())
    return rows, strange
