"""`learnable compare`: which of two saved models is better, with a significance test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..console import AsJson, output, print_json, print_line


def compare(
    first: Annotated[Path, typer.Argument(help="A model file.")],
    second: Annotated[Path, typer.Argument(help="A model file with the same target.")],
    data: Annotated[str, typer.Argument(help="Labelled rows that neither model was trained on.")],
    target: Annotated[str | None, typer.Option(help="The target column; by default the one the models name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two saved models on the same rows, with confidence intervals and a paired test.

    Example: learnable compare old.learnable new.learnable since_then.csv
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ..format_number import figure
    from ..predict.labelled_rows import LabelledRows
    from ..predict.model_comparison import compare_models, distinct_names
    from ..predict.predictor import Predictor

    names = distinct_names(first, second)
    models = [replace(Predictor.opened(path), name=name) for path, name in zip((first, second), names, strict=True)]
    found = compare_models(models[0], models[1], LabelledRows.read(data), target)
    if as_json:
        print_json(found.as_json())
        return
    table = Table("model", found.measure, "95 % interval", box=SIMPLE_HEAD, pad_edge=False)
    for one in found.models:
        table.add_row(one.name, figure(one.score, 4), f"{figure(one.low, 4)} .. {figure(one.high, 4)}")
    output().print(table)
    print_line(found.verdict)
