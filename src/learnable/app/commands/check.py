"""`learnable check`: validate a model file and describe its content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from ...core.printable import printable
from ..console import AsJson, complain, output, print_json
from .predict import ModelPath


def check(model: ModelPath, as_json: AsJson = False) -> None:
    """Validate a model file: format, checksum, versions, and every number in it; describe its content.

    Exits with code 5 and the reason if the file is invalid.
    """
    from ...core.errors import ModelFileError

    try:
        found = _found(model)
    except ModelFileError as error:
        if as_json:
            print_json({"model": str(model), "good": False, "reason": str(error)})
        complain(str(error))
        raise typer.Exit(5) from None
    if as_json:
        print_json({**found, "model": str(model), "good": True})
    else:
        _show(found)


def _found(path: Path) -> dict[str, Any]:
    """The description of the file and of its model, which reading the file validates."""
    from ..._version import __version__
    from ...core.errors import ModelFileError
    from ...core.files.model_file import described, load
    from ..predict.predictor import Predictor
    from .explain_file import description

    if not path.is_file():
        raise ModelFileError(f"model file {path} does not exist")
    found, model = described(path), load(path)
    found_in_file = {"holds": type(model).__name__, "this": __version__, **found}
    try:
        return {**found_in_file, **description(Predictor.of(model, path.name))}
    except ModelFileError:  # a transformer, or a model that is not fitted: valid, but without predictions
        return found_in_file


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..service.page import in_words

    seal = "sha256 is correct" if found["sealed"] else "none, as in the first format"
    rows = {
        "file": f"valid; format {found['format']}, written by learnable {found['library']} (this is {found['this']})",
        "checksum": seal,
        "size": f"{found['bytes']} bytes, {found['arrays']} arrays",
        "holds": found["holds"] + (f" of {found['method']}" if "method" in found else ", which does not predict"),
    }
    if "task" in found:
        rows["predicts"] = printable(f"{found['target'] or 'rows'} ({found['task']})")
        rows["columns"] = "\n".join(printable(f"{name}: {words}") for name, words in found["columns"].items())
        rows["card"] = "\n".join(printable(f"{name}: {in_words(value)}") for name, value in found["card"].items())
    table = Table("", "", box=None, pad_edge=False, show_header=False)
    for key, words in rows.items():
        if words:
            table.add_row(Text(key, style="bold"), Text(words))
    output().print(table)
