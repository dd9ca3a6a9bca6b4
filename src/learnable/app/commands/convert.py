"""`learnable convert`: convert a saved model to ONNX, C, SQL or JSON."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..console import AsJson, print_bytes, print_json, say, write
from ..text import counted
from .predict import ModelPath


class Form(StrEnum):
    """The target formats."""

    onnx = "onnx"
    c = "c"
    sql = "sql"
    json = "json"


def convert(
    model: ModelPath,
    to: Annotated[Form, typer.Option(help="onnx, c, sql: trees, forests, boosting, linear models; json: any model.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; - is standard output.")],
    data: Annotated[
        str | None,
        typer.Option(help="Rows on which the predictions must agree; by default drawn from the ranges of training."),
    ] = None,
    table: Annotated[str | None, typer.Option(help="The table that a query reads; by default, rows.")] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="A column that the query returns along with the predictions; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Convert a saved model for other programs, and verify that the predictions agree.

    Example: learnable convert model.learnable --to onnx -o model.onnx
    """
    from ..export.convert import TABLE, convert_model, convert_to_sql
    from ..predict.labelled_rows import LabelledRows
    from ..predict.predictor import Predictor

    to_stdout = str(out) == "-"
    if to_stdout and as_json:
        raise typer.BadParameter("standard output is used for the model, so --json is not possible", param_hint="--out")
    if to is not Form.sql and (table or key):
        raise typer.BadParameter("--table and --key are for --to sql")
    predictor = Predictor.opened(model)
    frame = None if data is None else LabelledRows.read(data).frame(predictor)
    if to is Form.sql:
        result = convert_to_sql(predictor, frame, table or TABLE, key or ())
    else:
        result = convert_model(predictor, to.value, frame)
    if to_stdout:
        print_bytes(result.content)
    else:
        write(out, result.content, "name another file with --out")
    written = f"the {to.value}" if to_stdout else str(out)
    rows = f"{counted(result.rows, 'row')}"
    say(f"the predictions of the model and of {written} agree on {rows}: {result.agreement}")
    say(result.note)
    if as_json:
        print_json(
            {
                "out": str(out),
                "rows": result.rows,
                "agreement": result.agreement,
                "note": result.note,
                "inputs": result.inputs,
            }
        )
