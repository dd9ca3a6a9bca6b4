"""`learnable check`: whether a model file is sound, and what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from ...core.printable import printable
from ..console import AsJson, complain, output, print_json
from .predict import ModelPath


def check(model: ModelPath, as_json: AsJson = False) -> None:
    """Check a model file: format, checksum, versions, and every number in it; say what it holds.

    Ends with exit code 5 and the reason if anything is wrong.
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
    """What the file says about itself and about its model, all of which is checked by reading it."""
    from ..._version import __version__
    from ...core.errors import ModelFileError
    from ...core.files.model_file import described, load
    from ..predict.predictor import Answering
    from .explain_file import facts

    if not path.is_file():
        raise ModelFileError(f"there is no model file {path}")
    found, model = described(path), load(path)
    told = {"holds": type(model).__name__, "this": __version__, **found}
    try:
        return {**told, **facts(Answering.of(model, path.name))}
    except ModelFileError:  # a transformer, or a model that is not fitted: sound, and without answers
        return told


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..service.page import in_words

    seal = "sha256 fits the bytes" if found["sealed"] else "none, as in the first format"
    rows = {
        "file": f"sound; format {found['format']}, written by learnable {found['library']} (this is {found['this']})",
        "checksum": seal,
        "size": f"{found['bytes']} bytes, {found['arrays']} arrays",
        "holds": found["holds"] + (f" of {found['method']}" if "method" in found else ", which answers no rows"),
    }
    if "task" in found:
        rows["answers"] = printable(f"{found['target'] or 'rows'} ({found['task']})")
        rows["columns"] = "\n".join(printable(f"{name}: {words}") for name, words in found["columns"].items())
        rows["card"] = "\n".join(printable(f"{name}: {in_words(value)}") for name, value in found["card"].items())
    table = Table("", "", box=None, pad_edge=False, show_header=False)
    for key, words in rows.items():
        if words:
            table.add_row(Text(key, style="bold"), Text(words))
    output().print(table)
