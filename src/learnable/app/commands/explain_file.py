"""Explanation of a model file: description, feature importances, and contributions to a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.printable import printable
from ..console import output, print_json
from ..format_number import figure

if TYPE_CHECKING:
    from pathlib import Path

    from ...core import Array
    from ..predict.labelled_rows import LabelledRows
    from ..predict.predictor import Predictor

MAX_ROWS = 2000  # for permutation importance


def explain_file(path: Path, data: str | None, row: int | None, as_json: bool) -> None:
    """Show the card of a model file; with data also feature importances, or the contributions to a prediction."""
    from ..predict.labelled_rows import LabelledRows
    from ..predict.predictor import Predictor

    predictor = Predictor.opened(path)
    found: dict[str, Any] = description(predictor)
    table = None if data is None else LabelledRows.read(data)
    if table is not None and row is not None:
        found["row"] = _row(predictor, table, row)
    elif table is not None:
        found["importance"] = _importance(predictor, table)
    if as_json:
        print_json(found)
    else:
        _show(found)


def description(predictor: Predictor) -> dict[str, Any]:
    """The description of the model in the file."""
    from ..service.page import method_of
    from ..service.schema import described

    columns = {column.name: described(column, predictor.deployed) for column in predictor.model.columns}
    return {
        "model": predictor.name,
        "method": method_of(predictor.model.model),
        "task": predictor.model.task,
        "target": predictor.model.target if predictor.deployed else None,
        "classes": list(predictor.classes),
        "columns": columns,
        "card": predictor.model.card,
    }


def _importance(predictor: Predictor, data: LabelledRows) -> list[dict[str, Any]]:
    """Permutation importance of the columns, the largest first."""
    from ...inspection import permutation_importance

    frame = data.frame(predictor).slice(0, MAX_ROWS)
    truth = data.truth(predictor.model.target, predictor, "give the target column this name")[: frame.num_rows]
    if predictor.model.task != "regression":
        truth = _known(predictor, data.name, truth)
    result = permutation_importance(predictor.model.model, frame, truth, random_state=0, n_repeats=5)
    rows = zip(predictor.names, result.importances_mean, result.low, result.high, strict=True)
    listed = [{"column": name, "loss": loss, "interval": [low, high]} for name, loss, low, high in rows]
    return sorted(listed, key=lambda entry: -entry["loss"])


def _known(predictor: Predictor, name: str, truth: Array) -> Array:
    """Map the classes of a table to those of the model; an error names the first unknown one."""
    import numpy as np

    from ...core import DataError
    from ..predict.labelled_rows import class_texts
    from ..text import quoted

    own = dict(zip(class_texts(predictor.model.classes_).tolist(), predictor.model.classes_.tolist(), strict=True))
    unknown = next((row for row, value in enumerate(truth) if value not in own), None)
    if unknown is not None:
        raise DataError(
            f"{name}: {predictor.model.target!r} is {truth[unknown]!r:.40} in row {unknown + 1}, a class that the "
            f"model does not have; its classes are {quoted(list(own))}"
        )
    return np.array([own[value] for value in truth], dtype=predictor.model.classes_.dtype)


def _row(predictor: Predictor, data: LabelledRows, row: int) -> dict[str, Any]:
    """The prediction for a row, counted from 1, and the contribution of each column."""
    from ...core import DataError
    from ..predict.contributions import contributions, index_of_class

    frame = data.frame(predictor)
    if not 1 <= row <= frame.num_rows:
        raise DataError(f"row {row} is out of range; {data.name} has rows 1 to {frame.num_rows}")
    found = contributions(predictor, frame, row - 1)
    one = frame.slice(row - 1, 1)
    ends = zip(found.low.tolist(), found.high.tolist(), strict=True)
    lines = zip(found.names, found.entries, found.parts.tolist(), ends, strict=True)
    listed = [{"column": name, "entry": entry, "part": part, "interval": list(end)} for name, entry, part, end in lines]
    of = f" of {predictor.classes[index_of_class(predictor, one)]}" if predictor.classes else ""
    return {
        "number": row, "explains": found.unit + of, "method": found.method, "mean": found.mean, "value": found.value,
        "predicted": predictor.predict(one).rows()[0], "parts": sorted(listed, key=lambda entry: -abs(entry["part"])),
    }  # fmt: skip


def _show(found: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..service.page import in_words

    console = output()
    target = f" of {found['target']!r}" if found["target"] else ""
    named = Text.assemble((printable(found["model"]), "bold"), f"  {found['task']}{target}: {found['method']}")
    console.print(named)
    for name, rows in (("columns", found["columns"]), ("card", found["card"])):
        if rows:
            table = Table(name, "", box=None, pad_edge=False)
            for key, value in rows.items():
                table.add_row(str(key), in_words(value))
            console.print()
            console.print(table)
    if "importance" in found:
        table = Table("column", "loss when shuffled", "95 % interval", box=None, pad_edge=False)
        for entry in found["importance"]:
            low, high = entry["interval"]
            table.add_row(entry["column"], figure(entry["loss"], 4), f"{figure(low, 4)} .. {figure(high, 4)}")
        console.print()
        console.print(table)
    if "row" in found:
        _show_row(console, found["row"])


def _show_row(console: Any, row: dict[str, Any]) -> None:
    from rich.table import Table

    from ..predict.contributions import BACKGROUND

    words = f"row {row['number']}: {row['predicted']['prediction']}; {row['explains']} {figure(row['value'], 4)}"
    console.print()
    console.print(f"{words}, {figure(row['mean'], 4)} on average")
    sampled = row["method"].startswith("sampled")
    table = Table("column", "entry", "contribution", *["95 % interval"] * sampled, box=None, pad_edge=False)
    for entry in row["parts"]:
        low, high = (figure(end, 4, "+") for end in entry["interval"])
        interval = [f"{low} .. {high}"] * sampled
        table.add_row(entry["column"], _shown(entry["entry"]), figure(entry["part"], 4, "+"), *interval)
    console.print(table)
    console.print(f"Shapley values against {BACKGROUND} rows of the table at most; {row['method']}")


def _shown(entry: Any) -> str:
    """An entry for display, as in a table."""
    if entry is None or entry != entry:
        return "missing"
    return str(int(entry)) if isinstance(entry, float) and entry.is_integer() else str(entry)
