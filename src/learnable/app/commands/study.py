"""`learnable study`: from a table to a report and a fitted model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from ..console import AsJson, complain, human, make_folder, output, print_json, print_line, say
from .leaderboard import leaderboard
from .reading import Decimal, Delimiter, Encoding, Missing, SafeCsv, Types
from .study_options import (
    Budget,
    DataPath,
    Drop,
    Folds,
    Group,
    Horizon,
    Lags,
    Memory,
    MetricName,
    Models,
    Out,
    Positive,
    Query,
    Quick,
    Resume,
    Season,
    Seed,
    Series,
    Summary,
    Target,
    TaskName,
    Texts,
    Thorough,
    Threads,
    Time,
    Weight,
)

if TYPE_CHECKING:
    from ...datasets import Dataset
    from ..study.interruption import Early
    from ..study.result import Study
    from ..study.settings import Effort, StudySettings
    from ..study.time_left import Clock
    from ..study.unsupervised import UnsupervisedStudy
    from ..table_source import TableSource
    from ..task import Question
    from ..time_series import SeriesOptions

    Log = Callable[[str], None]
    Found = TypeVar("Found", Study, UnsupervisedStudy)

EXIT_CODES = {"budget": 4, "interrupt": 130}
READING, SHORT = 0.5, 1.0  # fraction of the budget for reading the table, and its minimum in seconds
WRITING, PER_ROW, PER_CELL = 2.0, 2e-6, 3e-8  # seconds for the report, and for each row and cell of the table
AT_MOST = 0.5  # maximum fraction of the budget reserved for the report
MAX_SHOWN = 12  # columns whose types are printed before the study
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
SIZES = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30}


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
    """The folds and repeats of a text such as `5x2`."""
    found = re.fullmatch(r"(\d+)(?:x(\d+))?", text.strip())
    if not found or int(found[1]) < 2 or int(found[2] or 1) < 1:
        raise typer.BadParameter(f"--folds is folds x repeats, such as 5x2, with at least 2 folds; got {text!r}")
    return int(found[1]), int(found[2] or 1)


def study(
    context: typer.Context,
    data: DataPath = None,
    target: Target = None,
    task: TaskName = None,
    group: Group = None,
    time: Time = None,
    horizon: Horizon = None,
    season: Season = None,
    series: Series = None,
    lags: Lags = True,
    weight: Weight = None,
    drop: Drop = None,
    text: Texts = None,
    positive: Positive = None,
    metric: MetricName = None,
    models: Models = None,
    budget: Budget = None,
    memory: Memory = None,
    threads: Threads = None,
    folds: Folds = None,
    out: Out = Path("learnable-study"),
    resume: Resume = False,
    quick: Quick = False,
    thorough: Thorough = False,
    summary: Summary = False,
    seed: Seed = 0,
    query: Query = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    missing: Missing = None,
    types: Types = None,
    safe_csv: SafeCsv = True,
    as_json: AsJson = False,
) -> None:
    """Compare models on a table and evaluate the recommended one on a held-out test set.

    Example: learnable study houses.csv --target price --budget 2m
    """
    from ..table_source import TableSource
    from ..time_series import SeriesOptions

    clock = _clock(budget, context)
    settings = _settings(seed, folds, quick, thorough, metric, models or [])
    source = TableSource(data, encoding, delimiter, decimal, tuple(missing or ()), None, _types(types or []), query)
    table = _read(source, clock)
    targets = _check_targets(target or ([table.target] if table.target else []), task, positive, metric, models)
    roles = {"text": text or (), "group": group, "time": time, "weight": weight, "positive": positive} | _task(task)
    limits, of_series = (threads, _measured(memory, SIZES, "500M or 4G")), SeriesOptions(horizon, season, series, lags)
    own = (folds is None, of_series, roles, drop or [], limits, resume, safe_csv, summary, as_json)
    _run_all(_TargetRunner(table, source, targets, settings, *own), out, clock)


def _run_all(run: _TargetRunner, out: Path, clock: Clock) -> None:
    """Run the study of the target, or of each target, and exit with its code."""
    from ..study.several_targets import several_studies

    if len(run.targets) > 1:
        found = several_studies(run.targets, run.check, run, out, clock, run.as_json)
    else:
        found = run(run.targets[0] if run.targets else None, out, clock)
    _end(found, found.early or ("budget" if clock.left < 0 else ""))


@dataclass(frozen=True)
class _TargetRunner:
    """Runs the study of a target of a table, or without one, in a folder."""

    table: Dataset
    source: TableSource
    targets: list[str]
    settings: StudySettings
    default_folds: bool
    series: SeriesOptions
    roles: dict[str, Any]
    drop: list[str]
    limits: tuple[int | None, float | None]
    resume: bool
    safe_csv: bool
    summary: bool
    as_json: bool

    def check(self, target: str) -> None:
        """Refuse models, a metric or a split that do not suit a target."""
        from ..study.candidates import candidates
        from ..study.plan import StudyPlan

        question, settings = self._posed(target)
        candidates(question, settings)
        StudyPlan.of(question, settings)

    def __call__(self, target: str | None, folder: Path, clock: Clock) -> Study | UnsupervisedStudy:
        question, settings = self._posed(target)
        make_folder(folder)
        _announce(question, settings.seed)
        unsupervised = question.task == "unsupervised"
        compare = partial(_compare_models, self.resume, self.safe_csv, self.summary)
        study = _run_unsupervised if unsupervised else compare
        with _limits(*self.limits), _checked_writes(folder), human().status("reading") as status:
            found, page, lines = study(question, settings, self.source, folder, clock, status.update)
        _show(found, lines, page, self.as_json and len(self.targets) < 2)
        return found

    def _posed(self, target: str | None) -> tuple[Question, StudySettings]:
        """The question about a target, and its settings."""
        from ..study.question import pose
        from ..study.settings import default_repeats

        others = [name for name in self.targets if name not in (target, *self.drop)]  # targets are never features
        question = pose(self.table, target, self.series, drop=[*self.drop, *others], **self.roles)
        settings = self.settings
        if self.default_folds:
            size = question.n, len(question.features)
            settings = replace(settings, repeats=default_repeats(settings.effort, *size))
        return question, settings


def _clock(budget: str | None, context: typer.Context) -> Clock:
    """The clock of a budget, which started with the program."""
    from ..study.time_left import Clock

    return Clock(_measured(budget, UNITS, "90s, 2m or 1h"), context.obj)


def _read(source: TableSource, clock: Clock) -> Dataset:
    """The table, if reading takes at most half of the budget, or a second: the study takes about as long."""
    from ...core import BudgetError

    try:
        with clock.giving(READING, at_least=SHORT):
            return source.read()
    except BudgetError:
        raise BudgetError(
            f"{source.name} was not read in half of the budget, so no time is left for the study; increase "
            "--budget, or reduce the number of rows"
        ) from None


def _seconds_before_writing(clock: Clock, question: Question) -> float | None:
    """Seconds until the report must be started."""
    from ..study.time_left import MIN_SECONDS

    if not clock.limited:
        return None
    writing = WRITING + question.n * (PER_ROW + PER_CELL * len(question.table.columns))
    return max(clock.left - min(writing, AT_MOST * clock.seconds), MIN_SECONDS)


def _show(found: Study | UnsupervisedStudy, lines: list[Any], page: Path, as_json: bool) -> None:
    """Print alarms on standard error and the result on standard output."""
    for alarm in found.alarms:
        say(f"  {alarm.level}: {alarm}")
    if as_json:
        print_json(json.loads(page.with_name("report.json").read_bytes()))  # which also lists failures
        say(f"report: {page}")
        return
    output().print(*lines, sep="\n", soft_wrap=True)
    print_line(f"report: {page}")


def _end(found: Study | UnsupervisedStudy, early: Early) -> None:
    """Report that a study ended early, and exit with the code of the reason."""
    from ..study.story import GO_ON

    if early:
        more = f"; {GO_ON[early]}" if found.question.target else ""
        complain(f"the {early} came before the study was complete; the report covers the completed part{more}")
        raise typer.Exit(EXIT_CODES[early])


def _settings(
    seed: int, folds: str | None, quick: bool, thorough: bool, metric: str | None, models: list[str]
) -> StudySettings:  # fmt: skip
    """The settings of the study."""
    from ..study.settings import StudySettings

    if quick and thorough:
        raise typer.BadParameter("--quick and --thorough exclude each other")
    effort: Effort = "quick" if quick else "thorough" if thorough else "standard"
    count, repeats = _folds(folds or ("5x1" if quick else "5x2"))
    return StudySettings(seed, count, repeats, effort, metric, tuple(models))


@contextmanager
def _checked_writes(out: Path) -> Iterator[None]:
    """Report files that cannot be written, with a remedy."""
    try:
        yield
    except OSError as error:
        complain(f"the results cannot be written to {out}: {error.strerror or error}; choose another folder with --out")
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


def _compare_models(
    resume: bool, safe_csv: bool, summary: bool, question: Question, settings: StudySettings, source: TableSource,
    out: Path, clock: Clock, log: Log,
) -> tuple[Study, Path, list[Any]]:  # fmt: skip
    """Run a study with a target; the study, its report, and the lines to print."""
    from ..study.files import write_all
    from ..study.story import verdict
    from ..study.study_journal import StudyJournal
    from ..study.workflow import run_study

    journal = out / "journal.jsonl"
    if not resume:
        journal.unlink(missing_ok=True)
    elif not journal.exists():
        say(f"--resume: {out} has no journal of an earlier study; all models are evaluated")
    seconds = _seconds_before_writing(clock, question)
    with StudyJournal(journal, say) as kept:
        found = run_study(question, settings, journal=kept, seconds=seconds, source=source, log=log)
    log("writing the report")
    found, page = _write(partial(write_all, safe_csv=safe_csv, summary=summary), found, out, clock)
    return found, page, [leaderboard(found, output().width), verdict(found)]


def _write(
    write: Callable[[Found, Path], dict[str, Path]], found: Found, out: Path, clock: Clock
) -> tuple[Found, Path]:  # fmt: skip
    """Write the files of a study, with as many figures as the time allows; the study as written, and its report."""
    from ..study.interruption import StageRunner

    runner = StageRunner(clock, found.early)

    def write_files() -> tuple[Found, Path]:
        study = replace(found, early=runner.early)
        return study, write(study, out)["report.html"]

    return runner.run_or_degrade(write_files, reserve=lambda: 0.0)


def _run_unsupervised(
    question: Question, settings: StudySettings, source: TableSource, out: Path, clock: Clock, log: Log
) -> tuple[UnsupervisedStudy, Path, list[Any]]:
    """Run a study without a target; the study, its report, and the lines to print."""
    from ..study.files import write_unsupervised
    from ..study.unsupervised import run_unsupervised

    found = run_unsupervised(
        question, settings, seconds=_seconds_before_writing(clock, question), source=source, log=log
    )
    log("writing the report")
    found, page = _write(write_unsupervised, found, out, clock)
    return found, page, [found.verdict]


def _types(given: list[str]) -> dict[str, str]:
    """Column types by column, from COLUMN=KIND."""
    from ...datasets._reading.column_types import ALSO_CALLED, KINDS

    found = {}
    for one in given:
        column, _, kind = one.rpartition("=")
        if not column or kind not in (*KINDS, *ALSO_CALLED):
            known = ", ".join([*KINDS, *ALSO_CALLED])
            raise typer.BadParameter(f"--type is COLUMN=KIND with a kind of {known}; got {one!r}")
        found[column] = kind
    return found


def _check_targets(targets: list[str], *options: Any) -> list[str]:
    """The targets; without one, options that need it are refused, unless the task finds it: recommendation."""
    given = [flag for flag, one in zip(("--task", "--positive", "--metric", "--models"), options, strict=True) if one]
    if given and not targets and options[0] != "recommendation":
        raise typer.BadParameter(f"{' and '.join(given)}: nothing is predicted without --target; name a column with it")
    if len(set(targets)) < len(targets):
        raise typer.BadParameter("--target names a column twice; name each target once")
    return targets


def _task(task: str | None) -> dict[str, Any]:
    """The requested task as an argument."""
    names = ("regression", "classification", "binary", "multi-class", "recommendation")
    if task is not None and task not in names:
        raise typer.BadParameter(f"--task is one of {', '.join(names)}; got {task!r}")
    return {"task": task}


def _announce(question: Question, seed: int) -> None:
    notes, question = (*question.guessed, *question.table.notes), question.as_read
    size = f"{question.n} rows, {len(question.table.columns)} columns"
    aim = (
        f"predicting {question.target!r} ({question.aim})"
        if question.target
        else "no target: finding clusters and outliers"
    )
    say(f"{question.table.name}: {size}, {aim}; seed {seed}")
    kinds = [f"{name} {kind}" for name, kind in question.table.types.items()]
    more = f" and {len(kinds) - MAX_SHOWN} more" if len(kinds) > MAX_SHOWN else ""
    say(f"  types: {', '.join(kinds[:MAX_SHOWN])}{more}; --type COLUMN=KIND overrides one")
    for note in notes:
        say(f"  note: {note}")
