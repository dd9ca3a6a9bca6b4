"""`learnable study | models | explain`: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table as RichTable

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
    Path | None, typer.Argument(help="A CSV, TSV or Parquet file; without it, a data set inside the package.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write the result as JSON to standard output.")]


def main() -> None:
    """Run the command line; problems with the data end with exit code 3, an interrupt with 130."""
    try:
        app()
    except DataError as error:
        human.print(f"[bold red]error:[/] {error}", highlight=False)
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


@app.callback()
def _common(version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False) -> None:
    """Options before the command."""


@app.command()
def study(
    data: DataPath = None,
    target: Annotated[str | None, typer.Option(help="The column to predict; the last one if not given.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is repeated with new parts.")] = 2,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("learnable-study"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the division into parts.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Compare linear models on a table, with intervals, and write a report.

    Example: learnable study houses.csv --target price
    """
    from . import report, table
    from . import study as engine

    rows = table.example() if data is None else table.read(data, target)
    human.print(
        f"[bold]{rows.name}[/]: {len(rows.y)} rows, {len(rows.names)} columns, predicting {rows.target!r}; seed {seed}",
        highlight=False,
    )
    for note in rows.notes:
        human.print(f"  note: {note}", highlight=False)
    with human.status("fitting") as status:
        result = engine.run(rows, folds, repeats, seed, tell=lambda name: status.update(f"fitting {name}"))
    out.mkdir(parents=True, exist_ok=True)
    page = out / "report.html"
    _write(page, report.html(result))
    _write(out / "report.json", json.dumps(result.as_json(), indent=1))
    if as_json:
        print(json.dumps(result.as_json()))
        human.print(f"report: {page}", highlight=False)
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
    table = RichTable(box=None, pad_edge=False)
    for heading in ("model", "task", "kind", "missing values", "sparse", "weights"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what it does")
    for row in rows:
        kind = f"{'' if row['parametric'] else 'non-'}parametric{', lazy' if row['lazy'] else ''}"
        facts = [row["missing"], *("yes" if row[fact] else "no" for fact in ("sparse", "weights"))]
        table.add_row(row["name"], row["task"], kind, *facts, row["summary"])
    _output().print(table)


@app.command()
def explain(model: Annotated[str, typer.Argument(help="A model, such as lasso.")], as_json: AsJson = False) -> None:
    """Explain one model: what it minimises, how, its parameters and its source."""
    from . import catalogue

    cls = catalogue.find(model)
    if cls is None:
        near = catalogue.close(model)
        human.print(
            f"[bold red]error:[/] there is no model {model!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
        )
        raise typer.Exit(2)
    page = catalogue.explain(cls)
    if as_json:
        print(json.dumps({"schema": 1, **page}, default=str))
        return
    _show_page(page)


def _output() -> Console:
    """Standard output; as wide as it likes where nobody looks at a screen."""
    return Console(width=None if sys.stdout.isatty() else 200)


def _show_page(page: dict[str, Any]) -> None:
    console = _output()
    console.print(f"[bold]{page['name']}[/]  {page['summary']}\n", highlight=False)
    console.print(f"    {page['objective']}\n", highlight=False, markup=False)
    console.print(page["method"] + "\n", highlight=False, markup=False)
    table = RichTable("parameter", "default", "meaning", "rule", box=None)
    for entry in page["parameters"]:
        table.add_row(entry["name"], repr(entry["default"]), entry["meaning"], entry["rule"])
    console.print(table)
    console.print(f"\nsource: {page['reference']}", highlight=False, markup=False)


def _comparison(result: Any) -> RichTable:
    table = RichTable("model", "RMSE", "95 % interval", "R²", "95 % interval", "s/fit")
    for row in result.results:
        table.add_row(
            row.model,
            f"{row.rmse:.4g}",
            f"{row.rmse_low:.4g} .. {row.rmse_high:.4g}",
            f"{row.r_squared:.3f}",
            f"{row.r_squared_low:.3f} .. {row.r_squared_high:.3f}",
            f"{row.seconds:.2g}",
        )
    return table


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
