"""Features of time series: lags, means over windows and the calendar, known a horizon before each row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare import registry
from ..preprocessing.date_parts import DateParts, as_moments
from .time_grid import NEVER, TimeGrid

CALENDAR = ("month", "weekday", "hour")
MAX_LAG, MAX_WINDOW = 10_000_000, 10_000
CELLS = 10**7  # of windows that are gathered at once


@registry.value
@dataclass(frozen=True)
class LagFeatures:
    """Lag features: earlier targets of a time series as features, none of them later than `horizon` steps before a row.

    lag k:        y at t - k, or the last one known before,   k >= horizon
    lag season:   y at t - m season,   m the smallest with m season >= horizon
    window w:     mean and standard deviation of the w last targets known at t - horizon

    `history` are the known targets by series and step; several of one step count as their mean, and of classes the
    first in order. A row uses only the history, so other rows to predict do not change its features. Where more than
    `horizon` steps lie between the history and a row, its lags are those known last.

    >>> days = np.arange("2024-05-01", "2024-05-07", dtype="datetime64[D]")
    >>> lags = LagFeatures("day", "sales", TimeGrid.of(days), lags=[1, 2]).knowing(days, np.arange(6.0))
    >>> lags.columns(days[3:]).popitem(), lags.columns(days[-1:] + 1)["sales: lag 1"].tolist()
    (('sales: lag 2', array([1., 2., 3.])), [5.0])
    """

    time: str
    target: str
    grid: TimeGrid
    horizon: int = 1
    series: str = ""
    season: int = 0
    lags: list[int] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    calendar: list[str] = field(default_factory=list)
    phase: bool = False  # whether the step within the season is a feature
    elapsed: bool = False
    classes: list[str] = field(default_factory=list)
    positive: int = -1  # index of the class whose fraction windows hold
    keys: list[str] = field(default_factory=list)  # names of the series
    history_series: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    history_steps: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    history: Array = field(default_factory=lambda: np.zeros(0))

    def flaw(self) -> str:
        """The defect of features from a file; empty if they are valid."""
        whole = [self.horizon, *self.lags, *self.windows]
        if (
            any(type(one) is not int or not 1 <= one <= MAX_LAG for one in whole)
            or max([0, *self.windows]) > MAX_WINDOW
        ):
            return "the horizon, lags and windows must be whole numbers from 1"
        if type(self.season) is not int or not 0 <= self.season <= MAX_LAG:
            return "the season must be a whole number"
        parts = (self.history_series, self.history_steps, self.history)
        if any(not isinstance(one, np.ndarray) or one.ndim != 1 or len(one) != len(self.history) for one in parts):
            return "the history must be vectors of one length"
        series, steps = self.history_series, self.history_steps
        if series.dtype != np.int64 or steps.dtype != np.int64 or self.history.dtype != np.float64:
            return "the history must hold series, steps and numbers"
        if len(series) and not (series.min() >= 0 and series.max() < max(len(self.keys), 1)):
            return "the history has an unknown series"
        if len(steps) and np.abs(steps).max() > 2**53:
            return "the history has a step that is too large"
        order = (np.diff(series) > 0) | ((np.diff(series) == 0) & (np.diff(steps) > 0))
        if not order.all():
            return "the history must be in order"
        codes = self.history
        if self.classes and not (np.isin(codes, np.arange(len(self.classes)))).all():
            return "the history has an unknown class"
        if not all(isinstance(key, str) for key in (*self.keys, *self.classes)):
            return "series and classes must be texts"
        return "" if set(self.calendar) <= set(CALENDAR) else "the calendar has an unknown part"

    @property
    def inputs(self) -> list[str]:
        """The columns that the features are made of."""
        return [self.time, *([self.series] if self.series else [])]

    @property
    def names(self) -> list[str]:
        """The features."""
        return list(self.columns(np.zeros(0), np.zeros(0)))

    def described(self) -> dict[str, Any]:
        """The features as plain values, without the history."""
        names = ("time", "series", "horizon", "season", "lags", "windows", "calendar", "phase", "elapsed")
        return {**{name: getattr(self, name) for name in names}, "unit": self.grid.unit}

    @property
    def first_season(self) -> int:
        """The smallest multiple of the season that is not below the horizon."""
        return -(-self.horizon // self.season) * self.season if self.season else 0

    @property
    def last_name(self) -> str:
        """The feature with the last known target; that of the season before if it is the same."""
        return self.season_name if self.first_season == self.horizon else f"{self.target}: lag {self.horizon}"

    @property
    def season_name(self) -> str:
        """The feature with the target of the season before; empty without a season."""
        return f"{self.target}: lag {self.first_season} (season)" if self.season else ""

    @property
    def categories(self) -> list[str]:
        """The features that are categories."""
        lags = [f"{self.target}: lag {lag}" for lag in self.lags] + [self.season_name] * bool(self.season)
        parts = [*self.calendar, *["phase"] * self.phase]
        return [f"{self.time}: {part}" for part in parts] + (lags if self.classes else [])

    def knowing(self, moments: Array, targets: Array, series: Array | None = None) -> LagFeatures:
        """The same features with a history: `targets` are numbers, or the indices of classes."""
        names = np.zeros(len(moments), dtype="U1") if series is None else series.astype(str)
        keys, codes = np.unique(names, return_inverse=True)
        steps = self.grid.steps(moments)
        order = np.lexsort((targets, steps, codes))
        codes, steps, values = codes[order].astype(np.int64), steps[order], targets[order].astype(np.float64)
        first = np.flatnonzero(np.r_[True, (np.diff(codes) > 0) | (np.diff(steps) > 0)][: len(codes)])
        if len(first) < len(codes) and not self.classes:
            values = np.add.reduceat(values, first) / np.diff(np.r_[first, len(codes)])
        else:
            values = values[first]
        found = [] if series is None else [str(key) for key in keys]
        return replace(self, keys=found, history_series=codes[first], history_steps=steps[first], history=values)

    def columns(self, moments: Array, series: Array | None = None) -> dict[str, Array]:
        """The features of rows at some times, by name."""
        steps, codes = self.grid.steps(moments), self._codes(len(moments), series)
        found: dict[str, Array] = dict(self._calendar_columns(moments, steps))
        last = self._position(codes, steps - self.horizon)
        for length in self.windows:
            found |= self._window_columns(last, length)
        if self.season:
            found[self.season_name] = self._written(self._values(self._season_position(codes, steps, last)))
        for lag in self.lags:
            found[f"{self.target}: lag {lag}"] = self._written(self._values(self._position(codes, steps - lag)))
        return found

    def unknown(self, moments: Array, series: Array | None = None) -> Array:
        """Mask of the rows a horizon before which no target of their series is known."""
        return np.asarray(
            self._position(self._codes(len(moments), series), self.grid.steps(moments) - self.horizon) < 0
        )

    def beyond(self, moments: Array, series: Array | None = None) -> Array:
        """Mask of the rows that are more than a horizon after the last known target of their series."""
        steps, codes = self.grid.steps(moments), self._codes(len(moments), series)
        ends = np.full(max(len(self.keys), 1) + 1, NEVER)
        np.maximum.at(ends, self.history_series, self.history_steps)
        return np.asarray((steps > NEVER) & (ends[codes] > NEVER) & (steps - self.horizon > ends[codes]))

    def _codes(self, n: int, series: Array | None) -> Array:
        """The index of the series of each row; -1 for an unknown one."""
        if not self.series:
            return np.zeros(n, dtype=np.int64)
        if series is None:
            raise DataError(f"the series {self.series!r} of the rows is needed")
        index = {key: code for code, key in enumerate(self.keys)}
        return np.array([index.get(str(one), -1) for one in series.tolist()], dtype=np.int64)

    def _position(self, codes: Array, steps: Array) -> Array:
        """The index in the history of the last target of a series up to a step; -1 without one."""
        if not len(self.history):
            return np.full(len(codes), -1)
        first, width = int(self.history_steps.min()), int(np.ptp(self.history_steps)) + 2
        own = np.unique(self.history_steps, return_inverse=True)  # ranks keep the products below small
        rank = np.searchsorted(own[0], np.clip(steps, first - 1, first + width), side="right")
        keys, count = self.history_series * (len(own[0]) + 1) + own[1] + 1, len(own[0]) + 1
        found = np.searchsorted(keys, codes * count + rank, side="right") - 1
        sound = (found >= 0) & (codes >= 0) & (steps > NEVER // 2)
        return np.where(sound & (self.history_series[np.maximum(found, 0)] == codes), found, -1)

    def _season_position(self, codes: Array, steps: Array, last: Array) -> Array:
        """The index of the target a whole number of seasons before, or the last known one if there is none."""
        ends = np.full(max(len(self.keys), 1) + 1, NEVER)
        np.maximum.at(ends, self.history_series, self.history_steps)
        late = np.clip(steps - ends[codes], 0, 2**53)
        seasons = np.maximum(-(-late // self.season), self.first_season // self.season)
        found = self._position(codes, steps - seasons * self.season)
        return np.where(found >= 0, found, last)

    def _values(self, positions: Array) -> Array:
        known = self.history[np.maximum(positions, 0)] if len(self.history) else np.zeros(len(positions))
        return np.where(positions >= 0, known, np.nan)

    def _written(self, values: Array) -> Array:
        """Numbers as they are, classes by their names."""
        if not self.classes:
            return values
        names = np.array([*self.classes, None], dtype=object)
        return np.asarray(names[np.where(np.isnan(values), len(self.classes), values).astype(int)])

    def _window_columns(self, last: Array, length: int) -> dict[str, Array]:
        """The mean of the last known targets, and for the longest window their standard deviation."""
        if self.classes and self.positive < 0:
            return {}
        mean, spread = np.full(len(last), np.nan), np.full(len(last), np.nan)
        values = self.history == self.positive if self.classes else self.history
        for begin in range(0, len(last), max(CELLS // length, 1)):
            rows = last[begin : begin + max(CELLS // length, 1)]
            indices = rows[:, None] - np.arange(length)
            inside = (indices >= 0) & (rows[:, None] >= 0)
            inside &= self.history_series[np.maximum(indices, 0)] == self.history_series[np.maximum(rows, 0)][:, None]
            count = np.maximum(inside.sum(axis=1), 1)
            taken = np.where(inside, values[np.maximum(indices, 0)], 0.0)
            centre = taken.sum(axis=1) / count
            away = np.where(inside, taken - centre[:, None], 0.0)
            known = inside.any(axis=1)
            end = begin + len(rows)
            mean[begin:end] = np.where(known, centre, np.nan)
            spread[begin:end] = np.where(known, np.sqrt((away**2).sum(axis=1) / count), np.nan)
        of = f"lags {self.horizon} to {self.horizon + length - 1}"
        if self.classes:
            return {f"{self.target}: fraction of {self.classes[self.positive]} in {of}": mean}
        found = {f"{self.target}: mean of {of}": mean}
        if length == max(self.windows):
            found[f"{self.target}: standard deviation of {of}"] = spread
        return found

    def _calendar_columns(self, moments: Array, steps: Array) -> dict[str, Array]:
        found: dict[str, Array] = {}
        if self.elapsed:
            found[f"{self.time}: elapsed {self.grid.unit}s"] = np.where(steps > NEVER, steps.astype(np.float64), np.nan)
        if self.calendar:
            parts = DateParts(parts=self.calendar)
            times = self._times(moments)
            table = parts.fit(times[:1, None]).transform(times[:, None]) if len(times) else np.empty((0, 3))
            found |= {f"{self.time}: {part}": table[:, k] for k, part in enumerate(self.calendar)}
        if self.phase:
            found[f"{self.time}: phase"] = np.where(steps > NEVER, (steps % max(self.season, 1)).astype(float), np.nan)
        return found

    def _times(self, moments: Array) -> Array:
        """Times of the calendar: those of a grid of months from its steps, as quarters are texts."""
        if self.grid.kind == "month":
            steps = self.grid.steps(moments)
            months = (steps * int(self.grid.width) + int(self.grid.origin)).astype("datetime64[M]")
            return np.where(steps > NEVER, months.astype("datetime64[s]"), np.datetime64("NaT"))
        return as_moments(moments)


def arrow_column(table: Any, name: str) -> Array:
    """A column of an Arrow table as an array."""
    if name not in table.column_names:
        raise DataError(f"the table has no column {name!r}; the model needs it for lags and the calendar")
    column = table.column(name)
    if "dictionary" in str(column.type):
        column = column.cast(column.type.value_type)
    return np.asarray(column.to_numpy(zero_copy_only=False) if not hasattr(column, "chunks") else column.to_numpy())
