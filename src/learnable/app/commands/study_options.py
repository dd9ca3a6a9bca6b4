"""The options of `learnable study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataPath = Annotated[
    str | None,
    typer.Argument(
        help="A CSV, TSV, JSON, Parquet, Arrow or xlsx file, - for standard input, or a database such as "
        "sqlite:///file.db; by default, an example table."
    ),
]
Target = Annotated[
    list[str] | None,
    typer.Option(help="The column to predict; repeatable. Without it, clusters and outliers are found."),
]
Out = Annotated[Path, typer.Option(help="The output folder for report, model, predictions and code.")]
Query = Annotated[str | None, typer.Option(help="The SQL query whose result is the table, for a database.")]
TaskName = Annotated[
    str | None,
    typer.Option(help="regression, classification (binary, multi-class) or recommendation; inferred by default."),
]
Group = Annotated[str | None, typer.Option(help="Column of groups; rows of a group stay in the same fold.")]
Time = Annotated[str | None, typer.Option(help="Column of times; models are tested on later rows.")]
Horizon = Annotated[
    int | None, typer.Option(help="Steps of --time between the last known target and a prediction; 1 by default.")
]
Season = Annotated[
    int | None, typer.Option(help="Steps of a season, such as 7 for days; from the calendar by default.")
]
Series = Annotated[str | None, typer.Option(help="Column that names the time series of a row, such as the shop.")]
Lags = Annotated[bool, typer.Option("--lags/--no-lags", help="Lag, window and calendar features with --time.")]
Weight = Annotated[str | None, typer.Option(help="Column of sample weights; 3 counts as three rows.")]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; repeatable.")]
Texts = Annotated[list[str] | None, typer.Option(help="A column of free text; repeatable. Recognised by default.")]
Positive = Annotated[str | None, typer.Option(help="The positive class of two.")]
MetricName = Annotated[str | None, typer.Option(help="The metric, such as auc, accuracy, rmse.")]
Models = Annotated[list[str] | None, typer.Option(help="A model to compare; repeatable.")]
Budget = Annotated[str | None, typer.Option(help="The time budget, such as 90s, 2m, 1h.")]
Memory = Annotated[str | None, typer.Option(help="The memory budget of fits, such as 4G.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Number of threads; all by default.")]
Folds = Annotated[str | None, typer.Option(help="Folds x repeats of the cross-validation, such as 5x2.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue a stopped study in --out.")]
Quick = Annotated[bool, typer.Option("--quick", help="Default hyperparameters, one repeat: takes seconds.")]
Thorough = Annotated[bool, typer.Option("--thorough", help="Larger hyperparameter searches.")]
Summary = Annotated[bool, typer.Option("--summary", help="Also write summary.html: one page for other readers.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
