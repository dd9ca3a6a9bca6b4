"""`learnable compare`: which of two saved models is better, and whether the rows can tell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..console import AsJson, output, print_json, print_line


def compare(
    first: Annotated[Path, typer.Argument(help="A model file.")],
    second: Annotated[Path, typer.Argument(help="Another one that answers the same question.")],
    data: Annotated[str, typer.Argument(help="Rows with their true answers, which neither model was trained on.")],
    target: Annotated[str | None, typer.Option(help="The column of true answers; the models may know it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two saved models on the same rows, with intervals and a paired test.

    Example: learnable compare old.learnable new.learnable since_then.csv
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ..format_number import figure
    from ..predict.labelled_rows import Labelled
    from ..predict.model_comparison import judged, told_apart
    from ..predict.predictor import Answering

    names = told_apart(first, second)
    models = [replace(Answering.opened(path), name=name) for path, name in zip((first, second), names, strict=True)]
    found = judged(models[0], models[1], Labelled.read(data), target)
    if as_json:
        print_json(found.as_json())
        return
    table = Table("model", found.measure, "95 % interval", box=SIMPLE_HEAD, pad_edge=False)
    for one in found.models:
        table.add_row(one.name, figure(one.score, 4), f"{figure(one.low, 4)} .. {figure(one.high, 4)}")
    output().print(table)
    print_line(found.verdict)
