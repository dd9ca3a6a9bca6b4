"""`learnable convert`: a saved model in a form that other programs run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..console import AsJson, print_bytes, print_json, say, write
from ..text import agree, counted
from .predict import ModelPath


class Form(StrEnum):
    """What a model can become."""

    onnx = "onnx"
    c = "c"
    json = "json"


def convert(
    model: ModelPath,
    to: Annotated[Form, typer.Option(help="onnx and c: trees, forests, boosting and linear models; json: any model.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write; - is standard output.")],
    data: Annotated[
        str | None, typer.Option(help="Rows on which both must agree; drawn from the expected ranges if not given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a model for other programs, after its answers were found equal on rows.

    Example: learnable convert model.learnable --to onnx -o model.onnx
    """
    from ..export.convert import converted
    from ..predict.labelled_rows import Labelled
    from ..predict.predictor import Answering

    to_stdout = str(out) == "-"
    if to_stdout and as_json:
        raise typer.BadParameter("standard output is for the model itself, not for --json", param_hint="--out")
    requested = Answering.opened(model)
    made = converted(requested, to.value, None if data is None else Labelled.read(data).frame(requested))
    if to_stdout:
        print_bytes(made.content)
    else:
        write(out, made.content, "name another file with --out")
    written = f"the {to.value}" if to_stdout else str(out)
    rows = f"{counted(made.rows, 'row')} {agree('was', made.rows)}"
    say(f"{rows} answered alike by the model and by {written}: {made.agreement}")
    say(made.note)
    if as_json:
        print_json(
            {"out": str(out), "rows": made.rows, "agreement": made.agreement, "note": made.note, "inputs": made.inputs}
        )
