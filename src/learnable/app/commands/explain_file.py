"""What a model file holds, what its model rests on, and why it answers a row as it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.printable import printable
from ..console import output, print_json
from ..format_number import figure

if TYPE_CHECKING:
    from pathlib import Path

    from ...core import Array
    from ..predict.labelled_rows import Labelled
    from ..predict.predictor import Answering

MOST_ROWS = 2000  # by which importance is measured


def explain_file(path: Path, data: str | None, row: int | None, as_json: bool) -> None:
    """Show the card of a model file; with data also its importances, or what a row's answer is made of."""
    from ..predict.labelled_rows import Labelled
    from ..predict.predictor import Answering

    requested = Answering.opened(path)
    found: dict[str, Any] = facts(requested)
    table = None if data is None else Labelled.read(data)
    if table is not None and row is not None:
        found["row"] = _row(requested, table, row)
    elif table is not None:
        found["importance"] = _importance(requested, table)
    if as_json:
        print_json(found)
    else:
        _show(found)


def facts(requested: Answering) -> dict[str, Any]:
    """What the file says about the model."""
    from ..service.page import method_of
    from ..service.schema import described

    columns = {column.name: described(column, requested.deployed) for column in requested.model.columns}
    return {
        "model": requested.name,
        "method": method_of(requested.model.model),
        "task": requested.model.task,
        "target": requested.model.target if requested.deployed else None,
        "classes": list(requested.classes),
        "columns": columns,
        "card": requested.model.card,
    }


def _importance(requested: Answering, data: Labelled) -> list[dict[str, Any]]:
    """What the model loses when a column is shuffled, the greatest loss first."""
    from ...inspection import permutation_importance

    frame = data.frame(requested).slice(0, MOST_ROWS)
    truth = data.truth(requested.model.target, requested, "call the one that holds them so")[: frame.num_rows]
    if requested.model.task != "regression":
        truth = _known(requested, data.name, truth)
    result = permutation_importance(requested.model.model, frame, truth, random_state=0, n_repeats=5)
    rows = zip(requested.names, result.importances_mean, result.low, result.high, strict=True)
    listed = [{"column": name, "loss": loss, "interval": [low, high]} for name, loss, low, high in rows]
    return sorted(listed, key=lambda entry: -entry["loss"])


def _known(requested: Answering, name: str, truth: Array) -> Array:
    """Classes in the words of a table as the model has them; an error names the first that it has not."""
    import numpy as np

    from ...core import DataError
    from ..predict.labelled_rows import words
    from ..text import quoted

    own = dict(zip(words(requested.model.classes_).tolist(), requested.model.classes_.tolist(), strict=True))
    strange = next((row for row, value in enumerate(truth) if value not in own), None)
    if strange is not None:
        raise DataError(
            f"{name}: {requested.model.target!r} is {truth[strange]!r:.40} in row {strange + 1}, a class that the "
            f"model does not know; it knows {quoted(list(own))}"
        )
    return np.array([own[value] for value in truth], dtype=requested.model.classes_.dtype)


def _row(requested: Answering, data: Labelled, row: int) -> dict[str, Any]:
    """The answer for a row, counted from 1, and the part that each of its entries has in it."""
    from ...core import DataError
    from ..predict.contributions import contributions, place_of_class

    frame = data.frame(requested)
    if not 1 <= row <= frame.num_rows:
        raise DataError(f"{data.name} has the rows 1 to {frame.num_rows}; there is no row {row}")
    mean, value, parts = contributions(requested, frame, row - 1)
    one = frame.slice(row - 1, 1)
    entries = one.to_pylist()[0]
    by_name = dict(zip(requested.names, parts.tolist(), strict=True))
    listed = [{"column": name, "entry": entries[name], "part": part} for name, part in by_name.items()]
    what = f"probability of {requested.classes[place_of_class(requested, one)]}" if requested.classes else "answer"
    answer = requested.answers(one).rows()[0]
    return {
        "number": row, "explains": what, "mean": mean, "value": value, "answer": answer,
        "parts": sorted(listed, key=lambda entry: -abs(entry["part"])),
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

    words = f"row {row['number']}: {row['answer']['prediction']}; {row['explains']} {figure(row['value'], 4)}"
    console.print()
    console.print(f"{words}, {figure(row['mean'], 4)} on average")
    table = Table("column", "entry", "part", box=None, pad_edge=False)
    for entry in row["parts"]:
        table.add_row(entry["column"], _shown(entry["entry"]), figure(entry["part"], 4, "+"))
    console.print(table)


def _shown(entry: Any) -> str:
    """An entry as tables write it."""
    if entry is None or entry != entry:
        return "missing"
    return str(int(entry)) if isinstance(entry, float) and entry.is_integer() else str(entry)
