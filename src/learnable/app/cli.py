"""`learnable study | models | explain`: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from .._version import __version__
from ..core import DataError

app = typer.Typer(
    help="Machine learning you can trust: study a table, list the models, explain one.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
human = Console(stderr=True)

DataPath = Annotated[
    Path | None, typer.Argument(help="A CSV, TSV, JSON, Parquet or xlsx file; without it, a set inside the package.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; problems with the data end with exit code 3, an interrupt with 130."""
    try:
        app(arguments)
    except DataError as error:
        _complain(str(error))
        sys.exit(3)
    except (ArithmeticError, ValueError) as error:
        human.print(f"[bold red]error:[/] the numbers in this table cannot be used: {error}", highlight=False)
        sys.exit(3)
    except KeyboardInterrupt:
        human.print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"learnable {__version__}")
        raise typer.Exit


def _one_character(delimiter: str | None) -> str | None:
    delimiter = "\t" if delimiter == r"\t" else delimiter  # as it is typed in most shells
    if delimiter is not None and len(delimiter) != 1:
        raise typer.BadParameter(f"a delimiter is one character, such as ';' or '\\t'; got {delimiter!r}")
    return delimiter


@app.callback()
def _common(version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False) -> None:
    """Options before the command."""


@app.command()
def study(
    data: DataPath = None,
    target: Annotated[str | None, typer.Option(help="The column to predict; the last one if not given.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated with new parts.")] = 4,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("learnable-study"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the division into parts.")] = 0,
    encoding: Annotated[
        str | None, typer.Option(help="How the file writes letters, such as latin-1; found out if not given.")
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            callback=_one_character,
            help="What stands between the cells of a line, such as ';'; found out if not given.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare linear models on a table, with intervals, and write a report.

    Example: learnable study houses.csv --target price
    """
    from . import report, table
    from . import study as engine
    from .table import counted

    rows = table.example(target) if data is None else table.read(data, target, encoding, delimiter)
    engine.check(rows, folds)
    _make(out)
    size = f"{counted(len(rows.y), 'row')}, {counted(len(rows.names), 'column')}"
    _say(f"{rows.name}: {size}, predicting {rows.target!r}; seed {seed}")
    with human.status("fitting") as status:
        result = engine.run(rows, folds, repeats, seed, tell=lambda name: status.update(f"fitting {name}"))
    for note in result.notes:
        _say(f"  note: {note}")
    page, text = out / "report.html", json.dumps(result.as_json(), indent=1, allow_nan=False)
    _write(page, report.html(result))
    _write(out / "report.json", text)
    if as_json:
        print(text)
        _say(f"report: {page}")
    else:
        _output().print(_comparison(result))
        print(result.verdict)
        print(f"report: {page}")


@app.command()
def models(as_json: AsJson = False) -> None:
    """List every model: its task and what it can take."""
    from . import catalogue

    rows = catalogue.models()
    if as_json:
        print(json.dumps({"schema": 1, "models": rows}))
        return
    console = _output()
    for row in rows:
        console.print(Text(row["name"], style="bold"))
        for line in (row["summary"], catalogue.facts_in_words(row)):
            console.print(Padding(Text(line), (0, 0, 0, 4)))


@app.command()
def explain(
    model: Annotated[str, typer.Argument(help="A model or a function, such as lasso or lasso_path.")],
    as_json: AsJson = False,
) -> None:
    """Explain one model: what it minimises, how, its parameters and its source; or one function."""
    from . import catalogue

    page = catalogue.page(model)
    if page is None:
        near = catalogue.close(model)
        advice = f"did you mean {', '.join(near)}?" if near else "`learnable models` lists them all"
        _complain(f"there is no model or function {model!r}; {advice}")
        raise typer.Exit(2)
    if as_json:
        print(json.dumps({"schema": 1, **page}, default=str))
    elif "task" in page:
        _show_page(page, catalogue.facts_in_words(page))
    else:
        _show_function(page)


def _say(text: str) -> None:
    """A line for the person at the screen; what looks like markup in a name is no markup."""
    human.print(text, highlight=False, markup=False, soft_wrap=True)


def _complain(text: str) -> None:
    human.print("error: ", style="bold red", end="")
    _say(text)


def _make(folder: Path) -> None:
    """The folder for the results, before the work begins rather than after."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _complain(f"the folder {folder} cannot be made: {error.strerror}; name another with --out")
        raise typer.Exit(2) from None


def _output() -> Console:
    """Standard output; of a readable width where nobody looks at a screen."""
    return Console(width=None if sys.stdout.isatty() else 100, highlight=False, markup=False)


def _show_page(page: dict[str, Any], facts: str) -> None:
    console = _output()
    _show_words(console, page)
    table = RichTable("parameter", "default", "meaning", box=None, pad_edge=False)
    for entry in page["parameters"]:
        rule = f" ({entry['rule']})" if entry["rule"] else ""
        table.add_row(
            Text(entry["name"]),
            Text(repr(entry["default"]) if "default" in entry else "required"),
            Text(entry["meaning"] + rule),
        )
    console.print(table)
    console.print()
    table = RichTable("learned", "meaning", box=None, pad_edge=False)
    for entry in page["learned"]:
        table.add_row(entry["name"], Text(entry["meaning"]))
    console.print(table)
    console.print(Text(f"\n{facts}\nsource: {page['reference']}"))


def _show_words(console: Console, page: dict[str, Any]) -> None:
    """What there is to read before the tables."""
    console.print(Text.assemble((page["name"], "bold"), f"  {page['summary']}"))
    for name in ("objective", "method", "example"):
        if page.get(name):
            console.print(Padding(Text(page[name]), (1, 0, 0, 0 if name == "method" else 4)))
    console.print()


def _show_function(page: dict[str, Any]) -> None:
    console = _output()
    _show_words(console, page)
    table = RichTable("argument", "type", "default", box=None, pad_edge=False)
    for entry in page["parameters"]:
        default = repr(entry["default"]) if "default" in entry else "required"
        table.add_row(Text(entry["name"]), Text(entry["type"]), Text(default))
    console.print(table)
    console.print(Text(f"\nreturns: {page['returns']}"))


def _comparison(result: Any) -> RichTable:
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("model", "RMSE", "95 % interval", "R²", "95 % interval", "s/fit"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    for place, row in enumerate(result.results):
        explained = (f"{row.r_squared:.3f}", f"{row.r_squared_low:.3f} .. {row.r_squared_high:.3f}")
        table.add_row(
            row.model,
            result.figure(row.rmse),
            f"{result.figure(row.rmse_low)} .. {result.figure(row.rmse_high)}",
            *((*explained, f"{row.seconds:.2g}") if place else ()),
            style="bold" if place == 1 and result.useful else None,
        )
    return table


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        _complain(f"the report cannot be written to {path}: {error.strerror}; name another folder with --out")
        raise typer.Exit(2) from None
