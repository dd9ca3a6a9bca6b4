"""`learnable explain`: explain a method of the library, an alarm, or the model in a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import AsJson, complain, output, print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def explain(
    model: Annotated[
        str, typer.Argument(help="A model or a function, such as lasso; an alarm, such as LB004; or a model file.")
    ],
    data: Annotated[
        str | None,
        typer.Option(help="Rows to compute feature importances on, for a model file; labelled unless --row is given."),
    ] = None,
    row: Annotated[int | None, typer.Option(min=1, help="The row of --data whose prediction is explained.")] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a method: what it minimises, how, its parameters, its source; or the model in a file.

    Examples: learnable explain lasso; learnable explain model.learnable --data new.csv --row 3
    """
    if row is not None and data is None:
        raise typer.BadParameter("--row needs a table: name it with --data", param_hint="--row")
    if Path(model).is_file() or Path(model).suffix == ".learnable":
        from .explain_file import explain_file

        explain_file(Path(model), data, row, as_json)
    elif re.fullmatch(r"LB\d{3}", model.upper()):
        _explain_alarm(model.upper(), as_json)
    else:
        _explain_method(model, as_json)


def _explain_alarm(code: str, as_json: bool) -> None:
    """Explain an alarm of a study: meaning, reason and remedy."""
    from ..audit import CATALOGUE

    if code not in CATALOGUE:
        complain(f"unknown alarm {code}; the codes are {min(CATALOGUE)} to {max(CATALOGUE)}")
        raise typer.Exit(2)
    entry = CATALOGUE[code]
    fix = entry.remedy("the column")
    if as_json:
        print_json({"code": entry.code, "level": entry.level, "title": entry.title, "why": entry.why, "fix": fix})
        return
    print(f"{entry.code} ({entry.level}): {entry.title}\n\n{entry.why}\n\nWhat to do: {fix}")


def _explain_method(name: str, as_json: bool) -> None:
    from .. import catalogue

    page = catalogue.page(name)
    if page is None:
        near = catalogue.close(name)
        advice = f"did you mean {', '.join(near)}?" if near else "`learnable models` lists them all"
        complain(f"unknown model or function {name!r}; {advice}")
        raise typer.Exit(2)
    if as_json:
        print_json(page)
    elif "task" in page:
        _show_page(page, catalogue.facts_in_words(page))
    else:
        _show_function(page)


def _show_page(page: dict[str, Any], facts: str) -> None:
    from rich.text import Text

    console = output()
    _show_text(console, page)
    table = _table("parameter", "default", "meaning")
    for entry in page["parameters"]:
        choices = entry["type"] if '"' in entry["type"] else ""
        limits = "; ".join(words for words in (choices, entry["rule"]) if words)
        meaning = f"{entry['meaning']} ({limits})" if limits else entry["meaning"]
        table.add_row(Text(entry["name"]), Text(_default(entry)), Text(meaning))
    console.print(table)
    console.print()
    table = _table("attribute", "meaning")
    for entry in page["learned"]:
        table.add_row(entry["name"], Text(entry["meaning"]))
    console.print(table)
    console.print(Text(f"\n{facts}\nsource: {page['reference']}"))


def _show_text(console: Console, page: dict[str, Any]) -> None:
    """Show the text before the tables."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text.assemble((page["name"], "bold"), f"  {page['summary']}"))
    for name in ("objective", "method", "example"):
        if page.get(name):
            console.print(Padding(Text(page[name]), (1, 0, 0, 0 if name == "method" else 4)))
    console.print()


def _show_function(page: dict[str, Any]) -> None:
    from rich.text import Text

    console = output()
    _show_text(console, page)
    table = _table("argument", "type", "default")
    for entry in page["parameters"]:
        table.add_row(Text(entry["name"]), Text(entry["type"]), Text(_default(entry)))
    console.print(table)
    console.print(Text(f"\nreturns: {page['returns']}"))


def _default(entry: dict[str, Any]) -> str:
    return repr(entry["default"]) if "default" in entry else "required"


def _table(*headings: str) -> Table:
    from rich.table import Table

    return Table(*headings, box=None, pad_edge=False)
