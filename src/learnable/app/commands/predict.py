"""`learnable predict`: predict the rows of a table with a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import AsJson, print_json, say
from ..text import counted, together
from .reading import Decimal, Missing, SafeCsv

if TYPE_CHECKING:
    from ..predict.chunked_reader import TableChunks
    from ..predict.predictor import Predictor
    from ..predict.writers import Writer

ModelPath = Annotated[Path, typer.Argument(help="A model file, as written by `learnable study` or learnable.save.")]
Share = Annotated[
    float,
    typer.Option(help="Coverage of prediction intervals and sets: the fraction of rows whose true value they contain."),
]


def predict(
    model: ModelPath,
    data: Annotated[
        str, typer.Argument(help="The rows to predict: CSV, TSV, Parquet, Arrow, JSON or xlsx; - is standard input.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A .csv, .tsv or .parquet file; standard output if not given.")
    ] = None,
    share: Share = 0.9,
    decimal: Decimal = None,
    missing: Missing = None,
    safe_csv: SafeCsv = False,
    as_json: AsJson = False,
) -> None:
    """Predict the rows of a table of any length with a saved model.

    Appended to the columns of the table are the prediction, the probability of each class, a prediction interval or
    set, and `strange`: the columns whose values lie outside the range or the categories seen in training.

    Example: learnable predict model.learnable new.csv -o predictions.csv
    """
    from ...deployment.column_histogram import drifted_columns
    from ..predict.chunked_reader import table_chunks
    from ..predict.predictor import Predictor
    from ..predict.writers import PARQUET, SUFFIXES, open_writer

    out = None if str(out) == "-" else out
    if out is not None and out.suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(f"the file must end in {', '.join(SUFFIXES)}; got {out.name!r}", param_hint="--out")
    if not 0 < share < 1:
        raise typer.BadParameter("the coverage must lie between 0 and 1", param_hint="--share")
    if safe_csv and (out.suffix.lower() in PARQUET if out else as_json):
        raise typer.BadParameter("it applies only to CSV and TSV", param_hint="--safe-csv")
    predictor = Predictor.opened(model, missing or ())
    with table_chunks(data, decimal=decimal) as table, open_writer(out, as_json, safe_csv) as writer:
        rows, strange, counts = _predict_chunks(predictor, table, writer, share)
    say(
        f"{counted(rows, 'row')} predicted by {predictor.name}"
        + (f", {strange} of them outside the training data" if predictor.deployed else "")
    )
    drifted = drifted_columns(predictor.model.histograms, counts)
    if drifted:
        say(
            f"the distribution of {together(list(map(repr, drifted[:12])))} is not that of the training rows: "
            "predictions may be less accurate than in the report; train again on recent rows"
        )
    if as_json and out is not None:
        print_json(
            {
                "rows": rows,
                "strange": strange if predictor.deployed else None,
                "drifted": drifted if predictor.deployed else None,
                "out": str(out),
            }
        )


def _predict_chunks(
    predictor: Predictor, table: TableChunks, writer: Writer, share: float
) -> tuple[int, int, dict[str, Any]]:
    """Predict chunk after chunk; the numbers of rows and of rows with strange values, and counts by column and bin."""
    from ..predict.predictor import columns_of

    rows, strange = 0, 0
    counts: dict[str, Any] = {}
    if table.note:
        say(table.note)
    for number, chunk in enumerate(table.tables):
        if not number and (extra := predictor.extra(chunk.column_names)):
            say(f"unused columns: {', '.join(extra[:12])}{' ...' if len(extra) > 12 else ''}")
        if not chunk.num_rows:
            continue
        frame = predictor.frame(chunk, table.formats, rows + 1)
        predictions, columns = predictor.predict(frame, share), columns_of(frame)
        for name, histogram in predictor.model.histograms.items():
            counts[name] = counts.get(name, 0) + histogram.counted(columns[name])
        writer.add(chunk, predictions)
        rows += chunk.num_rows
        strange += 0 if predictions.strange is None else int(predictions.strange.any(axis=1).sum())
    if not rows:
        predictor.column_indices(chunk.column_names)
        writer.add(chunk, predictor.empty_predictions())
    return rows, strange, counts
