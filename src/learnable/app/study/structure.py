"""A study without a target: components, groups that come back when rows are drawn anew, rows unlike all others."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array, DataError
from ...core.files.atomic_write import place
from ...core.runtime.random import generator
from ...parts.intervals import student
from ..audit import Alarm
from ..table_source import Source
from ..task import FEWEST_ROWS, Question, refuse_infinity
from ..to_json import plain
from .exploration import looked_at
from .interruption import Early, Patience, insisted
from .settings import DEFAULT, Settings
from .time_left import Clock
from .workflow import data_hash, looked_through

MOST_ROWS = 5000  # rows that groups are looked for in
MOST_GROUPS = 8
DRAWS = 8
KEPT = 0.8  # share of the rows in a draw
STABLE = 0.75  # agreement of groupings of two draws from which on groups are real
EVEN_DRAWS = 8  # clouds without groups that groups are compared with
MARKED = 0.25  # standard deviations from which on a column marks a group
GROUPING = 0.8  # share of a budget after which groups must have been found


@dataclass(frozen=True, slots=True)
class Grouping:
    """One number of groups: how well they are separated, and how far two draws of the rows agree on them.

    `even` is what the silhouette of as many parts of an even cloud stays below, looked for only where draws agree.
    """

    groups: int
    silhouette: float
    agreement: float
    low: float
    high: float
    even: float | None = None

    @property
    def stable(self) -> bool:
        """Whether the groups come back."""
        return self.low >= STABLE


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one group, and the columns by which they differ most from all rows, in standard deviations."""

    rows: int
    marks: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Structure:
    """What a table without a target shows."""

    question: Question
    settings: Settings
    alarms: list[Alarm]
    shares: Array
    places: Array
    groupings: list[Grouping]
    chosen: Grouping | None
    groups: list[Group]
    labels: Array
    outliers: list[tuple[int, float]]
    early: Early
    data_hash: str
    source: Source

    @property
    def looked_at(self) -> int:
        """Rows that were looked at: all, if there was time."""
        return len(self.labels)

    @property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        if not self.groupings and self.early:
            return f"The {self.early} came before groups were looked for."
        if self.chosen is None:
            if any(one.stable for one in self.groupings):
                return "No groups stand apart: parts that come back are no better separated than those of one cloud."
            return "No groups come back when rows are drawn anew: this looks like one cloud of rows."
        one = self.chosen
        return (
            f"The rows fall into {one.groups} groups that come back when rows are drawn anew (agreement "
            f"{one.agreement:.2f}, 95 % interval {one.low:.2f} to {one.high:.2f}; silhouette {one.silhouette:.2f})."
        )

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the page that tells everything."""
        from ..report.failures import Failures
        from ..report.structure_page import structure_page

        failures = Failures()
        place(Path(path), structure_page(self, failures).encode())
        failures.warn()

    def as_json(self) -> dict[str, Any]:
        """The study as plain values with the version of this layout."""
        names = ("groups", "silhouette", "agreement", "low", "high", "even")
        found: dict[str, Any] = plain(
            {
                "schema": 3, "learnable": __version__, "task": "structure", "source": self.source.name,
                "rows": self.question.n, "looked at": self.looked_at, "hash": self.data_hash,
                "seed": self.settings.seed, "verdict": self.verdict,
                "alarms": [alarm.as_dict() for alarm in self.alarms], "explained": self.shares,
                "groupings": [{name: getattr(one, name) for name in names} for one in self.groupings],
                "groups": [{"rows": group.rows, "marks": dict(group.marks)} for group in self.groups],
                "outliers": [{"row": row, "score": score} for row, score in self.outliers],
                "partial": bool(self.early),
            }
        )  # fmt: skip
        return found


def structure(
    question: Question,
    settings: Settings = DEFAULT,
    *,
    seconds: float | None = None,
    source: Source | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Structure:
    """Look for structure in a table that has no target."""
    if question.n < FEWEST_ROWS:
        count = f"{question.n} row{'s' * (question.n != 1)}"
        raise DataError(f"{question.table.name} has {count}; a study needs at least {FEWEST_ROWS}")
    refuse_infinity(question)
    clock = Clock(seconds)
    tell("looking for what may mislead")
    alarms, early = looked_through(question, settings, clock)
    look, early = insisted(partial(looked_at, question, settings.seed, tell), clock, early)
    few = np.sort(generator(settings.seed).permutation(len(look.rows))[:MOST_ROWS])
    patient = Patience("interrupt" if early == "interrupt" else "")
    with clock.keeping((1 - GROUPING) * clock.seconds if clock.limited else 0.0):
        counts = range(2, _most_groups(few) + 1)
        tried = [patient(partial(_grouping, look.places[few], count, settings.seed, tell), None) for count in counts]
    groupings = [one for one in tried if one is not None]
    chosen = _chosen(groupings)
    labels = _labels(look.places, few, chosen, settings.seed)
    groups = _groups(look.encoded, labels, look.names) if chosen else []
    return Structure(
        question, settings, alarms, look.shares, look.places[:, :2], groupings, chosen, groups, labels, look.outliers,
        patient.early or early, data_hash(question), source or Source(question.table.name),
    )  # fmt: skip


def _most_groups(rows: Array) -> int:
    return min(MOST_GROUPS, len(rows) // 10)


def _grouping(rows: Array, count: int, seed: int, tell: Callable[[str], None]) -> Grouping:
    """So many groups of pairs of draws: whether rows in both are grouped alike."""
    from ...cluster import KMeans
    from ...metrics import adjusted_rand_score, silhouette_score

    tell(f"looking for {count} groups")
    agreements = []
    for draw in range(DRAWS):
        found = []
        for half in range(2):
            chosen = generator(seed, count, draw, half).permutation(len(rows))[: int(KEPT * len(rows))]
            found.append(KMeans(count, n_init=3, random_state=seed).fit(rows[chosen]).predict(rows))
        agreements.append(adjusted_rand_score(*found))
    labels = KMeans(count, n_init=5, random_state=seed).fit_predict(rows)
    apart = len(np.unique(labels)) > 1
    score = float(silhouette_score(rows, labels)) if apart else 0.0
    values = np.array(agreements)
    low, high = student(values) if np.ptp(values) > 0 else (values[0], values[0])
    one = Grouping(count, score, float(values.mean()), max(float(low), -1.0), min(float(high), 1.0))
    return replace(one, even=_even(rows, count, seed)) if one.stable else one


def _even(rows: Array, count: int, seed: int) -> float:
    """The silhouette that so many parts of an even cloud of rows over the same ranges, without any groups, stay below.

    Parts of one cloud come back as well, where it has corners; the idea is that of the gap statistic.
    [Tibshirani et al., 2001]
    """
    from ...cluster import KMeans
    from ...metrics import silhouette_score

    low, high, found = rows.min(axis=0), rows.max(axis=0), []
    for draw in range(EVEN_DRAWS):
        cloud = generator(seed, count, draw, 2).uniform(low, high, rows.shape)
        labels = KMeans(count, n_init=3, random_state=seed).fit_predict(cloud)
        found.append(float(silhouette_score(cloud, labels)))
    return float(np.mean(found) + 3 * np.std(found, ddof=1))


def _chosen(groupings: list[Grouping]) -> Grouping | None:
    """Among those that come back and stand apart, the best separated; none if none does."""
    stable = [one for one in groupings if one.even is not None and one.silhouette > one.even]
    return max(stable, key=lambda one: one.silhouette) if stable else None


def _labels(places: Array, few: Array, chosen: Grouping | None, seed: int) -> Array:
    """The groups of all rows, as those of the few that groups were looked for in."""
    from ...cluster import KMeans

    if chosen is None:
        return np.zeros(len(places), dtype=int)
    return np.asarray(KMeans(chosen.groups, n_init=5, random_state=seed).fit(places[few]).predict(places))


def _groups(rows: Array, labels: Array, names: list[str]) -> list[Group]:
    spread = rows.std(axis=0)
    found = []
    for label in np.unique(labels):
        inside = labels == label
        shift = (rows[inside].mean(axis=0) - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        order = np.argsort(-np.abs(shift), kind="stable")[:5]
        marks = [(names[j], float(shift[j])) for place, j in enumerate(order) if not place or abs(shift[j]) >= MARKED]
        found.append(Group(int(inside.sum()), marks))
    return found
