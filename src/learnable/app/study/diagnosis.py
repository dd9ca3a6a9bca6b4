"""What is to be known about the recommended model beyond its score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...inference import corrected_resampled_t_test
from ...theory.diagnosis import REMEDIES
from ..format_number import figure
from .cross_validation import Entry, Tell
from .dataset_view import Case
from .importance import Importance, importances
from .interruption import Early, Patience
from .plan import Plan
from .slices import Slice, frequent, slices

SIZES = (0.1, 0.25, 0.5, 0.75, 1.0)
WORST = 10
SHOWN_COLUMNS = 4
POINTS = 20
SOME_ROWS = 500  # that dependence on a column is averaged over


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
    early: Early


def out_of_fold(entry: Entry, plan: Plan) -> tuple[Array, Array]:
    """The answers about development rows from models that had not seen them, and which rows have one."""
    n, wide = plan.case.n, (plan.classes,) if plan.classes else ()
    answers, tested = np.full((n, *wide), np.nan), np.zeros(n, dtype=bool)
    for attempt, (_, test) in list(zip(entry.attempts, plan.division.folds, strict=False))[: plan.settings.folds]:
        answers[test], tested[test] = attempt.answers, True
    return answers, tested


def misses_of(case: Case, answers: Array) -> Array:
    """How far off each answer is: the distance, or one minus the probability of the true class."""
    if not case.labels:
        return np.asarray(np.abs(case.y - answers))
    return np.asarray(1 - answers[np.arange(len(answers)), case.y])


def learning(pipeline: Any, plan: Plan) -> Learning | None:
    """The learning curve on the folds of the first repeat; None if the table is too small for one."""
    from ...model_selection import learning_curve

    case, division = plan.case, plan.division
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes, train, test = learning_curve(
            pipeline, case.frame, case.y, cv=division.folds[: plan.settings.folds], scoring=plan.metric.scorer,
            train_sizes=list(SIZES), shuffle=case.question.time is None, random_state=plan.settings.seed,
            params=case.options(),
        )[:3]  # fmt: skip
    whole = np.isfinite(test).all(axis=1) & np.isfinite(train).all(axis=1)
    if whole.sum() < 2:
        return None
    sizes, train, test = sizes[whole], train[whole], test[whole]
    return Learning(sizes, train, test, _more_rows(sizes, test, plan), *_regime(train[-1], test[-1]))


def _more_rows(sizes: Array, test: Array, plan: Plan) -> str:
    """Whether the score still rose when the training part last grew; of a sample that tells only of its own size."""
    drawn = plan.division.drawn
    rows, more = ("rows", "rows of the same kind") if drawn is None else (f"rows than the {drawn} compared",) * 2
    earlier = max(0, len(sizes) - 3)
    found = corrected_resampled_t_test(test[-1], test[earlier], plan.division.test_share)
    moved, measure = plan.metric.sign * found.estimate, plan.metric.label
    words = f"from {sizes[earlier]} to {sizes[-1]} training rows the {measure} changed by {figure(moved, sign='+')}"
    if found.p_value < 0.05 and found.estimate > 0:
        return f"More {rows} would probably help: {words} (p = {found.p_value:.2g})."
    if found.p_value < 0.05:
        return f"More {more} would not help: {words} (p = {found.p_value:.2g})."
    if found.estimate > plan.metric.practically_equal(float(test[earlier].mean())):
        return f"Whether more {rows} would help is not certain: {words}, which may be chance (p = {found.p_value:.2g})."
    return f"More {more} would hardly help: {words}, no more than chance (p = {found.p_value:.2g})."


def _regime(train: Array, test: Array) -> tuple[str, tuple[str, ...]]:
    """Whether the distance between seen and unseen rows, or the level of both, is what costs most, and what helps.

    Of more rows, which may help as well, the curve tells more than the distance at its end.
    """
    gap = float(train.mean() - test.mean())
    noise = 2 * float(np.hypot(train.std(ddof=1), test.std(ddof=1))) / np.sqrt(len(test))
    if gap > noise:
        regime = f"high variance: rows that it has seen score {figure(gap)} better than new ones"
        return regime, _but_rows("high variance")
    regime = (
        "no sign of overfitting: seen and unseen rows score alike. What error is left comes from a model that is too "
        "simple, or from noise that no model can predict"
    )
    return regime, _but_rows("high bias")


def _but_rows(regime: str) -> tuple[str, ...]:
    return tuple(remedy for remedy in REMEDIES[regime] if "rows" not in remedy)


def dependence(model: Any, case: Case, name: str) -> Dependence | None:
    """How the answer depends on a column, the others as they are; None for times."""
    from ...inspection import partial_dependence

    values = case.question.table.columns[name]
    if values.dtype.kind == "M":
        return None
    words: dict[str, Any] = {}
    if values.dtype.kind not in "fiu":
        words = {"categorical_features": [name], "custom_values": {name: frequent(values)}}
    rows = case.rows(np.arange(min(case.n, SOME_ROWS))).frame
    found = partial_dependence(model, rows, [name], grid_resolution=POINTS, method="brute", **words)
    return Dependence(name, list(found.grid_values[0]), np.asarray(found.average))


def worst_rows(plan: Plan, answers: Array, misses: Array, tested: Array) -> list[WorstRow]:
    """The rows with the largest misses, by their numbers in the table."""
    case, found = plan.case, []
    order = np.argsort(-np.where(tested, misses, -np.inf), kind="stable")[: min(WORST, int(tested.sum()))]
    for row, number in zip(order, case.question.numbers(order), strict=True):
        truth, answer = case.y[row], answers[row]
        if case.labels:
            truth, answer = case.labels[truth], case.labels[int(answer.argmax())]
        found.append(WorstRow(int(number), truth, answer, float(misses[row])))
    return found


def diagnosed(entry: Entry, model: Any, plan: Plan, tell: Tell) -> Diagnosis:
    """Everything about one model: `model` is fitted to the development rows, `entry` holds its attempts."""
    from ...core import cloned

    answers, tested = out_of_fold(entry, plan)
    misses = np.where(tested, misses_of(plan.case, answers), np.nan)
    if entry.candidate.baseline:  # it has learned nothing that could be looked at
        return Diagnosis(answers, tested, misses, None, [], [], [], [], "")
    patient = Patience()
    tell("asking which columns matter")
    columns: list[Importance] = patient(lambda: importances(model, plan), [])
    names = [one.column for one in columns] or list(plan.question.features)
    made = [patient(partial(dependence, model, plan.case, name), None) for name in names[:SHOWN_COLUMNS]]
    tell("asking whether more rows would help")
    curve = patient(lambda: learning(cloned(model), plan), None)
    return Diagnosis(
        answers, tested, misses, curve, columns, [one for one in made if one is not None],
        slices(plan.case.question.rows(tested), misses[tested], names), worst_rows(plan, answers, misses, tested),
        patient.early,
    )  # fmt: skip
