"""Questions about time series: which lags, windows and parts of the calendar are features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.validate.mixed_table import is_missing
from ..deployment import LagFeatures, TimeGrid
from ..deployment.lag_features import MAX_WINDOW
from ..deployment.time_grid import DAY, NEVER
from .task import Question
from .text import counted

SHORT_LAGS = 3  # the targets of the last steps known
SHORT_WINDOW, WINDOW = 3, 7
DEEPEST = 4  # the longest lag is at most this fraction of the steps, inverted
MAX_SEASON = 1500
MAX_PHASES = 30
REPEATED = 0.05  # maximum fraction of rows that share their time with another one of the same series
EMPTY = 0.2  # maximum fraction of rows without an earlier target that are left out
YEAR = 365 * DAY
FIRST_PART = 0.13  # fraction of the rows from which a season is read: all folds train on them
CORRELATED = 0.3  # minimum autocorrelation of a season


@dataclass(frozen=True, slots=True)
class SeriesOptions:
    """What was requested for a time series; `horizon` and `season` are numbers of steps."""

    horizon: int | None = None
    season: int | None = None
    series: str | None = None
    lags: bool = True

    @property
    def given(self) -> list[str]:
        """The options that need a time."""
        values = {"--horizon": self.horizon, "--season": self.season, "--series": self.series}
        return [flag for flag, value in values.items() if value is not None]


def with_lag_features(question: Question, options: SeriesOptions) -> Question:
    """The question with lags, windows and the calendar among its features, and notes that state them.

    Rows without any earlier target are left out. Without lags a note says why.
    """
    if question.time is None or question.task == "unsupervised" or question.recommends:
        if options.given:
            raise ParameterError(f"{' and '.join(options.given)}: these describe a time series; name its --time column")
        return question
    if not options.lags:
        return question
    _check(question, options)
    moments, series = question.moments, None
    assert moments is not None
    if is_missing(moments).any():
        return question  # which the split refuses
    if options.series is not None:
        series = question.table.columns[options.series].astype(str)
    if question.group is not None:
        if options.given:
            raise ParameterError(f"{options.given[0]} with --group: new groups have no earlier targets; omit --group")
        return _noted(
            question, f"no lag features: later rows are tested on groups of {question.group!r} not seen before"
        )
    grid = TimeGrid.of(moments)
    steps = grid.steps(moments)
    if options.horizon is None and _repeated(steps, series) > REPEATED:
        return _noted(
            question, f"no lag features: several rows have the same {question.time!r}; --series COLUMN names the time "
            "series of each row, --horizon 1 gives lags of their mean",
        )  # fmt: skip
    lags = _choose(question, options, grid, steps)
    return _with_columns(question, lags.knowing(moments, _targets(question, lags), series), series)


def _check(question: Question, options: SeriesOptions) -> None:
    if options.series is not None and options.series not in question.features:
        raise DataError(f"--series: {options.series!r} is not a feature of {question.table.name}")
    for flag, value in (("--horizon", options.horizon), ("--season", options.season)):
        if value is not None and not 1 <= value <= max(question.n // 2, 1):
            raise ParameterError(f"{flag} {value} must be from 1 to {question.n // 2} steps, half of the rows")


def _repeated(steps: Array, series: Array | None) -> float:
    """The fraction of rows that share their step with another row of the same series."""
    codes = np.zeros(len(steps), dtype=np.int64) if series is None else np.unique(series, return_inverse=True)[1]
    pairs = np.unique(np.column_stack([codes, steps]), axis=0)
    return 1 - len(pairs) / len(steps)


def _targets(question: Question, lags: LagFeatures) -> Array:
    if not lags.classes:
        return question.y.astype(np.float64)
    codes = {name: code for code, name in enumerate(lags.classes)}
    return np.array([codes[str(label)] for label in question.y.tolist()], dtype=np.float64)


def _choose(question: Question, options: SeriesOptions, grid: TimeGrid, steps: Array) -> LagFeatures:
    """The lags and windows of a series, none longer than a quarter of its steps."""
    assert question.time is not None and question.target is not None
    horizon, count = options.horizon or 1, len(np.unique(steps))
    deepest = max(count // DEEPEST, horizon)
    season = options.season or grid.season
    if not season and options.series is None and not question.classifies:
        season = _found_season(question, steps)
    if options.season is None and not 2 <= season <= min(deepest - horizon, MAX_SEASON):
        season = 0
    lags = set(range(horizon, horizon + SHORT_LAGS))
    first = -(-horizon // season) * season if season else 0
    if season:
        lags = (lags | {first + season, season + horizon}) - {first}
    windows = {SHORT_WINDOW, season or WINDOW} if season != 1 else {SHORT_WINDOW}
    labels = [str(label) for label in sorted(set(question.y.tolist()), key=str)] if question.classifies else []
    calendar = _calendar(grid, question)
    known = bool(calendar) or grid.kind == "month"
    return LagFeatures(
        question.time, question.target, grid, horizon, options.series or "", season,
        sorted(lag for lag in lags if lag <= deepest),
        sorted(one for one in windows if 1 < one <= min(deepest, MAX_WINDOW)), calendar,
        2 <= season <= MAX_PHASES and not known, grid.kind != "order", labels,
        labels.index(str(question.positive)) if question.task == "binary" else -1,
    )  # fmt: skip


def _calendar(grid: TimeGrid, question: Question) -> list[str]:
    """The parts of the calendar that vary from step to step and come again."""
    moments = question.moments
    assert moments is not None
    if grid.kind == "month":
        return ["month"] if grid.width < 12 else []
    if moments.dtype.kind != "M":
        return []
    times = moments.astype("datetime64[us]").astype(np.int64)
    span = int(np.ptp(times))
    days = np.unique(times // DAY)
    parts = ["month"] * (span >= YEAR) + ["weekday"] * (len(np.unique((days + 3) % 7)) > 1 and span >= 14 * DAY)
    return parts + ["hour"] * (len(np.unique(times % DAY // (DAY // 24))) > 1)


def _found_season(question: Question, steps: Array) -> int:
    """The lag of the strongest local maximum of the autocorrelation of the first rows; 0 if none is clear."""
    order = np.argsort(steps, kind="stable")[: int(FIRST_PART * question.n)]
    values = question.y[order].astype(np.float64)
    n = len(values)
    if n < 12:
        return 0
    line = np.polynomial.Polynomial.fit(np.arange(n), values, 1)
    away = values - line(np.arange(n))
    total = float(away @ away)
    if total <= 0 or not np.isfinite(total):
        return 0
    found = np.array([float(away[lag:] @ away[: n - lag]) / total for lag in range(n // 2)])
    peaks = [k for k in range(2, len(found) - 1) if found[k] >= found[k - 1] and found[k] > found[k + 1]]
    best = max(peaks, key=lambda k: found[k], default=0)
    return best if best and found[best] > max(CORRELATED, 2.5 / np.sqrt(n)) else 0


def _with_columns(question: Question, lags: LagFeatures, series: Array | None) -> Question:
    """The question with the features as columns of its table, without rows before which no target is known."""
    assert question.moments is not None
    columns = lags.columns(question.moments, series)
    taken = [name for name in columns if name in question.table.columns]
    if taken:
        raise DataError(f"{question.table.name} has a column {taken[0]!r}, the name of a feature that the study makes")
    kinds = {name: "categorical" if values.dtype.kind == "O" else "continuous" for name, values in columns.items()}
    table = replace(
        question.table,
        columns={**question.table.columns, **columns}, types={**question.table.types, **kinds},
    )  # fmt: skip
    found = replace(question, table=table, features=(*question.features, *columns), lags=lags)
    unknown = is_missing(columns[lags.last_name])
    some = 0 < unknown.sum() <= EMPTY * question.n
    notes = [_description(lags)]
    if some:
        notes.append(f"{counted(int(unknown.sum()), 'row')} without an earlier {question.target!r} left out")
    found = found.rows(np.flatnonzero(~unknown)) if some else found
    return replace(found, guessed=(*found.guessed, *notes))


def _description(lags: LagFeatures) -> str:
    """The features in words."""
    of = f"of each {lags.series!r} " * bool(lags.series)
    seasons = f", season {lags.season} {lags.grid.unit}s" if lags.season else ""
    shown = [str(lag) for lag in sorted({*lags.lags, *([lags.first_season] if lags.season else [])})]
    windows = f"; windows of {' and '.join(map(str, lags.windows))}" if lags.windows else ""
    calendar = [*lags.calendar, *["phase of the season"] * lags.phase, *["elapsed time"] * lags.elapsed]
    calls = f"; {', '.join(calendar)} of {lags.time!r}" if calendar else ""
    return (
        f"time series {of}with a horizon of {counted(lags.horizon, lags.grid.unit)}{seasons}: lags "
        f"{', '.join(shown)} of {lags.target!r}{windows}{calls}; --horizon, --season and --no-lags override this"
    )


def _noted(question: Question, note: str) -> Question:
    return replace(question, guessed=(*question.guessed, note))


def step_of(question: Question) -> Any:
    """The step of each row on the grid of its lags; None if rows of the step before are known."""
    if question.lags is None or question.lags.horizon == 1:
        return None
    assert question.moments is not None
    steps = question.lags.grid.steps(question.moments)
    return np.where(steps > NEVER, steps, 0)
