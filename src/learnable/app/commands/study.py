"""`learnable study`: from a table to an honest report and a model file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ..console import AsJson, complain, human, make_folder, output, print_json, print_line, say
from ..text import percent
from .reading import Decimal, Delimiter, Encoding, Missing, SafeCsv, Types

if TYPE_CHECKING:
    from rich.table import Table

    from ...datasets import Dataset
    from ..study.interruption import Early
    from ..study.result import Study
    from ..study.settings import Effort, Settings
    from ..study.structure import Structure
    from ..study.time_left import Clock
    from ..table_source import Source
    from ..task import Question

    Tell = Callable[[str], None]
    Found = TypeVar("Found", Study, Structure)

EXIT_CODES = {"budget": 4, "interrupt": 130}
READING, SHORT = 0.5, 1.0  # share of a budget that reading may take, and seconds that it always may
WRITING, PER_ROW, PER_CELL = 2.0, 2e-6, 3e-8  # seconds for the report, and for each row and cell of the table
AT_MOST = 0.5  # share of a budget that is kept for the report
MOST_SHOWN = 12  # columns whose types are shown before the study
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
SIZES = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30}


DataPath = Annotated[
    str | None,
    typer.Argument(
        help="A CSV, TSV, JSON, Parquet, Arrow or xlsx file, - for standard input; without it, a table inside the "
        "package."
    ),
]
Target = Annotated[str | None, typer.Option(help="The column to predict; without it, structure is looked for.")]
Out = Annotated[Path, typer.Option(help="The folder for report, model, predictions and code.")]


def _measured(text: str | None, units: dict[str, float], example: str) -> float | None:
    """A number with a unit, such as 2m or 4G."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]?)B?", text.strip())
    unit = next((one for one in units if found and one.lower() == found[2].lower()), None)
    if not found or unit is None or float(found[1]) <= 0:
        raise typer.BadParameter(f"a number with a unit is needed, such as {example}; got {text!r}")
    return float(found[1]) * units[unit]


def _folds(text: str) -> tuple[int, int]:
    """`5x2` is five parts, drawn twice."""
    found = re.fullmatch(r"(\d+)(?:x(\d+))?", text.strip())
    if not found or int(found[1]) < 2 or int(found[2] or 1) < 1:
        raise typer.BadParameter(f"--folds is parts x repeats, such as 5x2, with at least 2 parts; got {text!r}")
    return int(found[1]), int(found[2] or 1)


def study(
    context: typer.Context,
    data: DataPath = None,
    target: Target = None,
    task: Annotated[
        str | None, typer.Option(help="regression or classification (binary, multi-class); guessed if not given.")
    ] = None,
    group: Annotated[str | None, typer.Option(help="Column of groups whose rows stay together.")] = None,
    time: Annotated[str | None, typer.Option(help="Column of times: models are tested on what came after.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights: 3 counts as three rows.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be given several times.")] = None,
    positive: Annotated[str | None, typer.Option(help="The class that is looked for, of two.")] = None,
    metric: Annotated[str | None, typer.Option(help="What models are judged by, such as auc, accuracy, rmse.")] = None,
    models: Annotated[list[str] | None, typer.Option(help="A model to try; may be given several times.")] = None,
    budget: Annotated[str | None, typer.Option(help="How long it may take, such as 90s, 2m, 1h.")] = None,
    memory: Annotated[str | None, typer.Option(help="How much memory fits may take, such as 4G.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads; all of the machine if not given.")] = None,
    folds: Annotated[
        str | None, typer.Option(help="Parts of the cross-validation x how often they are drawn, such as 5x2.")
    ] = None,
    out: Out = Path("learnable-study"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what a stopped study left in --out.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Models as they are, one repeat: seconds.")] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Larger searches.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every draw.")] = 0,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    types: Types = None,
    safe_csv: SafeCsv = True,
    as_json: AsJson = False,
) -> None:
    """Compare models on a table, say how sure that is, and keep the best one.

    Example: learnable study houses.csv --target price --budget 2m
    """
    from ..table_source import Source
    from ..task import ask

    clock, room = _clock(budget, context), _measured(memory, SIZES, "500M or 4G")
    settings = _settings(seed, folds, quick, thorough, metric, models or [])
    source = Source(data, encoding, delimiter, decimal, tuple(missing or ()), types=_types(types or []))
    table = _read(source, clock)
    parts: dict[str, Any] = {"group": group, "time": time, "weight": weight, "positive": positive, "drop": drop or ()}
    question = ask(table, _aim(target or table.target, task, positive, metric, models), task=_task(task), **parts)
    make_folder(out)
    _announce(question, seed)
    with _limits(threads, room), _placed(out), human().status("reading") as status:
        answered = _structure if question.task == "structure" else partial(_answered, resume, safe_csv)
        found, page, answer = answered(question, settings, source, out, clock, status.update)
    _show(found, answer, page, as_json)
    _end(found, found.early or ("budget" if clock.left < 0 else ""))


def _clock(budget: str | None, context: typer.Context) -> Clock:
    """The clock of a budget, which began with the program."""
    from ..study.time_left import Clock

    return Clock(_measured(budget, UNITS, "90s, 2m or 1h"), context.obj)


def _read(source: Source, clock: Clock) -> Dataset:
    """The table, if it can be read in half of the time: what comes after takes about as long. Small ones always are."""
    from ...core import BudgetError

    try:
        with clock.giving(READING, at_least=SHORT):
            return source.read()
    except BudgetError:
        raise BudgetError(
            f"{source.name} was not read in half of the budget, so that there is no time to study it; give it more "
            "by --budget, or give a part of its rows"
        ) from None


def _before_writing(clock: Clock, question: Question) -> float | None:
    """Seconds until the report must be begun."""
    from ..study.time_left import SHORTEST

    if not clock.limited:
        return None
    writing = WRITING + question.n * (PER_ROW + PER_CELL * len(question.table.columns))
    return max(clock.left - min(writing, AT_MOST * clock.seconds), SHORTEST)


def _show(found: Study | Structure, answer: list[Any], page: Path, as_json: bool) -> None:
    """Alarms for the person at the screen, the answer on standard output."""
    for alarm in found.alarms:
        say(f"  {alarm.level}: {alarm}")
    if as_json:
        print_json(json.loads(page.with_name("report.json").read_bytes()))  # which also lists what failed
        say(f"report: {page}")
        return
    output().print(*answer, sep="\n", soft_wrap=True)
    print_line(f"report: {page}")


def _end(found: Study | Structure, early: Early) -> None:
    """Say that a study ended early, and with which exit code."""
    from ..study.story import GO_ON

    if early:
        more = f"; {GO_ON[early]}" if found.question.target else ""
        complain(f"the {early} came before all was done; what was done is reported{more}")
        raise typer.Exit(EXIT_CODES[early])


def _settings(
    seed: int, folds: str | None, quick: bool, thorough: bool, metric: str | None, models: list[str]
) -> Settings:  # fmt: skip
    """How the study is done."""
    from ..study.settings import Settings

    if quick and thorough:
        raise typer.BadParameter("--quick and --thorough exclude each other")
    effort: Effort = "quick" if quick else "thorough" if thorough else "standard"
    parts, repeats = _folds(folds or ("5x1" if quick else "5x2"))
    return Settings(seed, parts, repeats, effort, metric, tuple(models))


@contextmanager
def _placed(out: Path) -> Iterator[None]:
    """Say what to do where files cannot be written."""
    try:
        yield
    except OSError as error:
        complain(f"the results cannot be written to {out}: {error.strerror or error}; name another folder with --out")
        raise typer.Exit(2) from None


@contextmanager
def _limits(threads: int | None, memory: float | None) -> Iterator[None]:
    import learnable

    with ExitStack() as scope:
        if threads is not None:
            scope.enter_context(learnable.threads(threads))
        if memory is not None:
            scope.enter_context(learnable.budget(memory=memory))
        yield


def _answered(
    resume: bool, safe_csv: bool, question: Question, settings: Settings, source: Source, out: Path, clock: Clock,
    tell: Tell,
) -> tuple[Study, Path, list[Any]]:  # fmt: skip
    """The study of a question with a target, its report, and what to show."""
    from ...model_selection._journal import Journal
    from ..study.files import write_all
    from ..study.interruption import insisted
    from ..study.story import verdict
    from ..study.workflow import study as run

    journal = out / "journal.jsonl"
    if not resume:
        journal.unlink(missing_ok=True)
    seconds = _before_writing(clock, question)
    with Journal(journal) as kept:
        found = run(question, settings, journal=kept, seconds=seconds, source=source, tell=tell)
    tell("writing the report")
    found, page = insisted(partial(_written, partial(write_all, safe_csv=safe_csv), found, out), clock, found.early)
    return found, page, [_leaderboard(found, output().width), verdict(found)]


def _written(
    write: Callable[[Found, Path], dict[str, Path]], found: Found, out: Path, clock: Clock, early: Early
) -> tuple[Found, Path]:  # fmt: skip
    """The study with what ended it, and the page that tells it, with as many pictures as there is time for."""
    found = replace(found, early=early)
    with clock.keeping(0.0):
        return found, write(found, out)["report.html"]


def _structure(
    question: Question, settings: Settings, source: Source, out: Path, clock: Clock, tell: Tell
) -> tuple[Structure, Path, list[Any]]:
    """The study of a table without a target, its report, and what to show."""
    from ..study.files import write_structure
    from ..study.interruption import insisted
    from ..study.structure import structure

    found = structure(question, settings, seconds=_before_writing(clock, question), source=source, tell=tell)
    tell("writing the report")
    found, page = insisted(partial(_written, write_structure, found, out), clock, found.early)
    return found, page, [found.verdict]


def _types(wished: list[str]) -> dict[str, str]:
    """What columns hold, by their names."""
    from ...datasets._reading.column_types import ALSO_CALLED, KINDS

    found = {}
    for one in wished:
        column, _, kind = one.rpartition("=")
        if not column or kind not in (*KINDS, *ALSO_CALLED):
            known = ", ".join([*KINDS, *ALSO_CALLED])
            raise typer.BadParameter(f"--type is COLUMN=KIND with a kind of {known}; got {one!r}")
        found[column] = kind
    return found


def _aim(target: str | None, *wishes: Any) -> str | None:
    """The target; without one, wishes how it is predicted are refused: --task, --positive, --metric, --models."""
    given = [flag for flag, wish in zip(("--task", "--positive", "--metric", "--models"), wishes, strict=True) if wish]
    if given and target is None:
        raise typer.BadParameter(f"{' and '.join(given)}: without --target nothing is predicted; name a column by it")
    return target


def _task(task: str | None) -> Any:
    names = ("regression", "classification", "binary", "multi-class")
    if task is not None and task not in names:
        raise typer.BadParameter(f"--task is one of {', '.join(names)}; got {task!r}")
    return task


def _announce(question: Any, seed: int) -> None:
    size = f"{question.n} rows, {len(question.table.columns)} columns"
    aim = f"predicting {question.target!r} ({question.task})" if question.target else "no target: looking for structure"
    say(f"{question.table.name}: {size}, {aim}; seed {seed}")
    kinds = [f"{name} {kind}" for name, kind in question.table.types.items()]
    more = f" and {len(kinds) - MOST_SHOWN} more" if len(kinds) > MOST_SHOWN else ""
    say(f"  types: {', '.join(kinds[:MOST_SHOWN])}{more}; --type COLUMN=KIND overrides one")
    for note in (*question.guessed, *question.table.notes):
        say(f"  note: {note}")


HEADINGS = ("model", "score", "95 % interval", "vs baseline", "equal to best", "s/fit", "kB")


def _leaderboard(found: Study, width: int) -> Table:
    """The models from the best on, the recommended one marked; as many columns, from the first on, as there is room."""
    rows = [_cells(found, line) for line in found.ranking.standings]
    shown = len(HEADINGS)
    while shown > 2 and _wide(rows, shown) > width:
        shown -= 1
    return _table_of(found, rows, shown)


def _cells(found: Study, line: Any) -> list[str]:
    taken = line.name == found.recommended
    interval = found.between(line.estimate.low, line.estimate.high) if not line.baseline else ""
    return [
        ("→ " if taken else "  ") + line.name, found.figure(line.estimate.mean), interval, line.compared.verdict,
        percent(line.equal_to_best, 0), f"{line.fit_seconds:.2g}", f"{line.size / 1000:.0f}",
    ]  # fmt: skip


def _wide(rows: list[list[str]], shown: int) -> int:
    """Letters in a line of the table, with the three between columns and one at each end."""
    columns = list(zip(HEADINGS, *rows, strict=True))[:shown]
    return sum(max(map(len, column)) + 3 for column in columns) - 1


def _table_of(found: Study, rows: list[list[str]], shown: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD, pad_edge=False, title_justify="left", title=f"{found.metric.label}, {found.metric.direction}"
    )
    for heading in HEADINGS[:shown]:
        words = heading in ("model", "vs baseline")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for cells in rows:
        table.add_row(*cells[:shown], style="bold" if cells[0].startswith("→") else None)
    return table
