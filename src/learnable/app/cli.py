"""`learnable study | models | explain`: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._version import __version__
from .commands.explain import explain
from .commands.models import models
from .commands.predict import predict
from .console import AsJson, complain, human, make_folder, output, say, write

if TYPE_CHECKING:
    from rich.table import Table

app = typer.Typer(
    help="Machine learning you can trust: study a table, list the models, explain one.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

DataPath = Annotated[
    Path | None, typer.Argument(help="A CSV, TSV, JSON, Parquet or xlsx file; without it, a set inside the package.")
]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every problem ends with its own exit code and without a traceback."""
    try:
        app(arguments)
    except SystemExit as end:
        sys.exit(_reader_gone(end) or end.code)
    except (ArithmeticError, OSError, ValueError, RuntimeError) as error:
        sys.exit(_ended(error))


def _reader_gone(end: SystemExit) -> int:
    """The exit code of a program whose standard output nobody reads any more; 0 if somebody does."""
    import os

    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 141 if isinstance(end.__context__, BrokenPipeError) else 0


def _ended(error: Exception) -> int:
    """Say what went wrong; the exit code of it."""
    from ..core.errors import BudgetError, DataError, LearnableError, ModelFileError

    if isinstance(error, (ArithmeticError, ValueError)) and not isinstance(error, LearnableError):
        complain(f"the numbers in this table cannot be used: {error}")
        return 3
    if isinstance(error, RuntimeError) and not isinstance(error, BudgetError):
        raise error
    complain(str(error))
    codes = ((ModelFileError, 5), (BudgetError, 4), (DataError, 3))
    return next((code for kind, code in codes if isinstance(error, kind)), 1)


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
    make_folder(out)
    size = f"{counted(len(rows.y), 'row')}, {counted(len(rows.names), 'column')}"
    say(f"{rows.name}: {size}, predicting {rows.target!r}; seed {seed}")
    with human().status("fitting") as status:
        result = engine.run(rows, folds, repeats, seed, tell=lambda name: status.update(f"fitting {name}"))
    for note in result.notes:
        say(f"  note: {note}")
    page, text = out / "report.html", json.dumps(result.as_json(), indent=1, allow_nan=False)
    write(page, report.html(result))
    write(out / "report.json", text)
    if as_json:
        print(text)
        say(f"report: {page}")
    else:
        output().print(_comparison(result))
        print(result.verdict)
        print(f"report: {page}")


def _comparison(result: Any) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
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


app.command()(predict)
app.command()(models)
app.command()(explain)
