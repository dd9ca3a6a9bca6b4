"""What is to be known about the recommended model beyond its score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, BudgetError, DataError, ambient
from ...inference import corrected_resampled_t_test
from ...theory.diagnosis import REMEDIES
from .case import Case
from .division import Division
from .metric import Metric
from .settings import Settings
from .slices import Slice, slices
from .tournament import Entry

SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)
MOST_ROWS = 2000  # of locked rows that are shuffled for the importance of columns
WORST = 10
SHUFFLES = 10
SHOWN_COLUMNS = 4
POINTS = 20


@dataclass(frozen=True, slots=True)
class Learning:
    """Scores of growing training parts, and what they say about more rows, bias and variance."""

    sizes: Array
    train: Array
    test: Array
    more_rows: str
    regime: str
    remedies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Importance:
    """How much the score falls when a column is shuffled, with the interval over shuffles."""

    column: str
    loss: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Dependence:
    """The mean answer when one column is set to each of some values."""

    column: str
    values: list[Any]
    answers: Array


@dataclass(frozen=True, slots=True)
class WorstRow:
    """A row that the model is most wrong about: its place in the table, the truth and the answer."""

    row: int
    truth: Any
    answer: Any
    miss: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything about the recommended model; parts for which there was no time are None or empty."""

    unseen: Array
    tested: Array
    misses: Array
    learning: Learning | None
    importances: list[Importance]
    dependences: list[Dependence]
    slices: list[Slice]
    worst: list[WorstRow]


def out_of_fold(entry: Entry, case: Case, division: Division, settings: Settings) -> tuple[Array, Array]:
    """The answers about development rows from models that had not seen them, and which rows have one."""
    wide = (len(case.labels),) if case.labels else ()
    answers, tested = np.full((case.n, *wide), np.nan), np.zeros(case.n, dtype=bool)
    for attempt, (_, test) in list(zip(entry.attempts, division.folds, strict=False))[: settings.folds]:
        answers[test], tested[test] = attempt.answers, True
    return answers, tested


def misses_of(case: Case, answers: Array) -> Array:
    """How far off each answer is: the distance, or one minus the probability of the true class."""
    if not case.labels:
        return np.asarray(np.abs(case.y - answers))
    return np.asarray(1 - answers[np.arange(len(answers)), case.y])


def learning(
    pipeline: Any, case: Case, division: Division, settings: Settings, metric: Metric
) -> Learning | None:  # fmt: skip
    """The learning curve on the folds of the first repeat; None if there was no time."""
    from ...model_selection import learning_curve

    parts = division.folds[: settings.folds]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sizes, train, test = learning_curve(
                pipeline, case.frame, case.y, cv=parts, scoring=metric.scorer, train_sizes=list(SIZES),
                shuffle=case.question.time is None, random_state=settings.seed, params=case.options(),
            )[:3]  # fmt: skip
    except (BudgetError, DataError):
        return None
    whole = np.isfinite(test).all(axis=1) & np.isfinite(train).all(axis=1)
    if whole.sum() < 2:
        return None
    sizes, train, test = sizes[whole], train[whole], test[whole]
    return Learning(sizes, train, test, _more_rows(sizes, test, metric, division), *_regime(train[-1], test[-1]))


def _more_rows(sizes: Array, test: Array, metric: Metric, division: Division) -> str:
    """Whether the score still rose when the training part last grew."""
    earlier = max(0, len(sizes) - 3)
    found = corrected_resampled_t_test(test[-1], test[earlier], division.test_share)
    words = f"from {sizes[earlier]} to {sizes[-1]} training rows the score changed by {found.estimate:+.3g}"
    if found.p_value < 0.05 and found.estimate > 0:
        return f"More rows would probably help: {words} (p = {found.p_value:.2g})."
    return f"More rows of the same kind would hardly help: {words}, no more than chance (p = {found.p_value:.2g})."


def _regime(train: Array, test: Array) -> tuple[str, tuple[str, ...]]:
    """Whether the distance between seen and unseen rows, or the level of both, is what costs most."""
    gap = float(train.mean() - test.mean())
    noise = 2 * float(np.hypot(train.std(ddof=1), test.std(ddof=1))) / np.sqrt(len(test))
    if gap > noise:
        name = "high variance"
        return f"{name}: rows that it has seen score {gap:.3g} better than new ones", REMEDIES[name]
    name = "high bias"
    return "no sign of overfitting: seen and unseen rows score alike, so what is missing is bias or noise", REMEDIES[
        name
    ]


def importances(model: Any, case: Case, settings: Settings, metric: Metric) -> list[Importance]:
    """Columns from the most important one on, by shuffling each on rows that the model has not seen."""
    from ...inspection import permutation_importance

    part = case.rows(np.arange(min(case.n, MOST_ROWS)))
    try:
        ambient.give_way()
        found = permutation_importance(
            model, part.frame, part.y, scoring=metric.scorer, n_repeats=SHUFFLES, random_state=settings.seed,
            sample_weight=part.weight,
        )  # fmt: skip
    except (BudgetError, DataError):
        return []
    made = [
        Importance(name, float(found.importances_mean[j]), float(found.low[j]), float(found.high[j]))
        for j, name in enumerate(case.question.features)
    ]
    return sorted(made, key=lambda one: -one.loss)


def dependences(model: Any, case: Case, columns: list[str]) -> list[Dependence]:
    """How the answer depends on each of the most important columns, the others as they are."""
    from ...inspection import partial_dependence

    part, made = case.rows(np.arange(min(case.n, 500))), []
    for name in columns[:SHOWN_COLUMNS]:
        words = case.question.table.columns[name].dtype.kind not in "fiu"
        if case.question.table.columns[name].dtype.kind == "M":
            continue
        try:
            ambient.give_way()
            found = partial_dependence(
                model, part.frame, [name], grid_resolution=POINTS, method="brute",
                categorical_features=[name] if words else None,
            )  # fmt: skip
        except (BudgetError, DataError, ValueError):
            continue
        made.append(Dependence(name, list(found.grid_values[0]), np.asarray(found.average)))
    return made


def worst_rows(case: Case, answers: Array, misses: Array, tested: Array, places: Array) -> list[WorstRow]:
    """The rows with the largest misses; `places` are their rows in the whole table."""
    order = np.argsort(-np.where(tested, misses, -np.inf), kind="stable")[: min(WORST, int(tested.sum()))]
    found = []
    for row in order:
        truth, answer = case.y[row], answers[row]
        if case.labels:
            truth, answer = case.labels[truth], case.labels[int(answer.argmax())]
        found.append(WorstRow(int(places[row]), truth, answer, float(misses[row])))
    return found


def diagnosed(
    entry: Entry, pipeline: Any, case: Case, locked: Case, division: Division, settings: Settings, metric: Metric
) -> Diagnosis:  # fmt: skip
    """Everything about one model: `pipeline` is fitted to the development rows, `entry` holds its attempts."""
    from ...core import cloned

    answers, tested = out_of_fold(entry, case, division, settings)
    misses = np.where(tested, misses_of(case, answers), np.nan)
    curve = learning(cloned(pipeline), case, division, settings, metric)
    columns = importances(pipeline, locked, settings, metric)
    names = [one.column for one in columns] or list(case.question.features)
    asked = case.question.rows(tested)
    return Diagnosis(
        answers, tested, misses, curve, columns, dependences(pipeline, case, names),
        slices(asked, misses[tested], names), worst_rows(case, answers, misses, tested, division.development),
    )  # fmt: skip
