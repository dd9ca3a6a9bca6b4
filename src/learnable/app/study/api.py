"""Studies from Python: any table in, the result out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...datasets import Dataset
from ..table_source import TableSource
from ..task import RequestedTask
from ..time_series import SeriesOptions
from .question import pose
from .result import Study
from .settings import Effort, StudySettings, default_repeats
from .unsupervised import UnsupervisedStudy, run_unsupervised
from .workflow import run_study


def study(
    table: Any = None,
    target: str | None = None,
    *,
    task: RequestedTask | None = None,
    group: str | None = None,
    time: str | None = None,
    horizon: int | None = None,
    season: int | None = None,
    series: str | None = None,
    lags: bool = True,
    weight: str | None = None,
    drop: Sequence[str] = (),
    text: Sequence[str] = (),
    positive: str | None = None,
    metric: str | None = None,
    models: Sequence[str] = (),
    seconds: float | None = None,
    effort: Effort = "standard",
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
) -> Study | UnsupervisedStudy:
    """Compare models on a table and evaluate the recommended one on a held-out test set, as `learnable study` does.

    table is the path of a file, a pandas, polars or Arrow table, a dictionary of columns, a `Dataset`, or None for the
    example table of the package. Without a target, clusters and outliers are found. seconds is the time budget; the
    other parameters are the options of the command. Of the result, `recommended` is the name of the model, `deployed`
    the fitted model, and `report(path)` writes the HTML report.

    >>> table = {"x": list(range(60)), "y": [3.0 * x for x in range(60)]}
    >>> study(table, "y", models=["ridge regression"], effort="quick").recommended
    'ridge regression'
    """
    source = source_of(table)
    data = source.read()
    question = pose(
        data, target or data.target, SeriesOptions(horizon, season, series, lags), task=task, group=group, time=time,
        weight=weight, drop=drop, text=text, positive=positive,
    )  # fmt: skip
    repeats = default_repeats(effort, question.n, len(question.features)) if repeats is None else repeats
    settings = StudySettings(seed, folds, repeats, effort, metric, tuple(models))
    if question.task == "unsupervised":
        return run_unsupervised(question, settings, seconds=seconds, source=source)
    return run_study(question, settings, seconds=seconds, source=source)


def source_of(table: Any) -> TableSource:
    """The source of a table: a file, the package, or the calling program."""
    if table is None or isinstance(table, (str, os.PathLike)):
        return TableSource(None if table is None else os.fspath(table))
    return TableSource(table=table if isinstance(table, Dataset) else dataset_of(table))


def dataset_of(table: Any) -> Dataset:
    """A pandas, polars or Arrow table, or a dictionary of columns, as a `Dataset`."""
    import narwhals

    from ...datasets._reading.arrow import columns_of_arrow

    if isinstance(table, dict):
        return Dataset.of(table, name="table")
    frame = narwhals.from_native(table, eager_only=True)
    columns, notes = columns_of_arrow(frame.to_arrow().select(list(frame.columns)), "table", {})
    found = Dataset.of(columns, name="table")
    found.notes.extend(notes)
    return found
