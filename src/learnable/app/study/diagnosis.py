"""Diagnosis of the recommended model: learning curve, feature importance and effects, subgroups, largest errors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...inference import corrected_resampled_t_test
from ...inspection import Interaction
from ...theory.diagnosis import REMEDIES
from ..format_number import figure
from .cross_validation import CandidateResult, Log
from .dataset_view import DatasetView
from .explanations import ExplainedRow, explain_rows, find_interactions
from .importance import Importance, importances
from .interruption import Early, PartRunner
from .plan import StudyPlan
from .slices import Slice, frequent, slices

SIZES = (0.1, 0.25, 0.5, 1.0)
FEWER_FOLDS = 3  # of a quick study
WORST = 10
SHOWN_COLUMNS = 4
POINTS = 20
PARTIAL_DEPENDENCE_ROWS = 500  # for the average of a partial dependence


@dataclass(frozen=True, slots=True)
class LearningCurveReport:
    """Scores by training set size, with conclusions on more data, bias and variance."""

    sizes: Array
    train: Array
    test: Array
    more_rows: str
    regime: str
    remedies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartialDependence:
    """Partial dependence: the mean prediction when one column is set to each of some values."""

    column: str
    values: list[Any]
    predictions: Array


@dataclass(frozen=True, slots=True)
class WorstRow:
    """A row with a large error: its number in the table, the true and the predicted target."""

    row: int
    truth: Any
    prediction: Any
    error: float


@dataclass(frozen=True, slots=True)
class ModelDiagnosis:
    """The diagnosis of a model; parts for which the time did not suffice are None or empty."""

    out_of_fold: Array
    tested: Array
    errors: Array
    learning_curve: LearningCurveReport | None
    importances: list[Importance]
    partial_dependences: list[PartialDependence]
    slices: list[Slice]
    worst: list[WorstRow]
    early: Early
    explained: list[ExplainedRow] = field(default_factory=list)
    interactions: list[Interaction] = field(default_factory=list)


def out_of_fold(entry: CandidateResult, plan: StudyPlan) -> tuple[Array, Array]:
    """The out-of-fold predictions of the development rows, and which rows have one."""
    n, wide = plan.development.n, (plan.classes,) if plan.classes else ()
    predictions, tested = np.full((n, *wide), np.nan), np.zeros(n, dtype=bool)
    for attempt, (_, test) in list(zip(entry.fold_results, plan.split.folds, strict=False))[: plan.settings.folds]:
        predictions[test], tested[test] = attempt.predictions, True
    return predictions, tested


def prediction_errors(view: DatasetView, predictions: Array) -> Array:
    """The absolute error of each prediction, or one minus the predicted probability of the true class."""
    if not view.labels:
        return np.asarray(np.abs(view.y - predictions))
    return np.asarray(1 - predictions[np.arange(len(predictions)), view.y])


def compute_learning_curve(pipeline: Any, plan: StudyPlan) -> LearningCurveReport | None:
    """The learning curve on folds of the first repeat; None if the table is too small."""
    from ...model_selection import learning_curve

    view, split = plan.development, plan.split
    folds = min(plan.settings.folds, FEWER_FOLDS if plan.settings.effort == "quick" else plan.settings.folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes, train, test = learning_curve(
            pipeline, view.frame, view.y, cv=split.folds[:folds], scoring=plan.metric.scorer,
            train_sizes=list(SIZES), shuffle=view.question.time is None,
            random_state=plan.settings.seed, params=view.options(),
        )[:3]  # fmt: skip
    whole = np.isfinite(test).all(axis=1) & np.isfinite(train).all(axis=1)
    if whole.sum() < 2:
        return None
    sizes, train, test = sizes[whole], train[whole], test[whole]
    return LearningCurveReport(sizes, train, test, _more_rows(sizes, test, plan), *_regime(train[-1], test[-1]))


def _more_rows(sizes: Array, test: Array, plan: StudyPlan) -> str:
    """Whether the score still improved with the training set size; for a sample, up to the size of the sample."""
    drawn = plan.split.drawn
    rows, more = ("rows", "rows of the same kind") if drawn is None else (f"rows than the {drawn} compared",) * 2
    earlier = max(0, len(sizes) - 3)
    found = corrected_resampled_t_test(test[-1], test[earlier], plan.split.test_fraction)
    moved, measure = plan.metric.sign * found.estimate, plan.metric.label
    went = "fell" if moved < 0 else "rose"
    change = f"from {sizes[earlier]} to {sizes[-1]} training rows the {measure} {went} by {figure(abs(moved))}"
    if found.p_value < 0.05 and found.estimate > 0:
        return f"More {rows} would probably help: {change} (p = {found.p_value:.2g})."
    if found.p_value < 0.05:
        return f"More {more} would not help: {change} (p = {found.p_value:.2g})."
    if found.estimate > plan.metric.practically_equal(float(test[earlier].mean())):
        return f"It is uncertain whether more {rows} would help: {change}, not significantly (p = {found.p_value:.2g})."
    return f"More {more} would hardly help: {change}, not significantly (p = {found.p_value:.2g})."


def _regime(train: Array, test: Array) -> tuple[str, tuple[str, ...]]:
    """Whether the train-test difference (variance) or the level of both (bias) dominates, and remedies.

    More rows are not among them: the learning curve says more about that than the difference at its end.
    """
    difference = float(train.mean() - test.mean())
    noise = 2 * float(np.hypot(train.std(ddof=1), test.std(ddof=1))) / np.sqrt(len(test))
    if difference > noise:
        regime = f"high variance: training rows score {figure(difference)} better than test rows"
        return regime, _without_more_rows("high variance")
    regime = (
        "no sign of overfitting: training and test rows have similar scores. The remaining error comes from a model "
        "that is too simple, or from irreducible noise"
    )
    return regime, _without_more_rows("high bias")


def _without_more_rows(regime: str) -> tuple[str, ...]:
    return tuple(remedy for remedy in REMEDIES[regime] if "rows" not in remedy)


def compute_dependence(model: Any, view: DatasetView, name: str) -> PartialDependence | None:
    """The partial dependence of the prediction on a column; None for times and free text."""
    from ...inspection import partial_dependence

    values = view.question.table.columns[name]
    if values.dtype.kind == "M" or name in view.question.texts:
        return None
    options: dict[str, Any] = {}
    if values.dtype.kind not in "fiu":
        options = {"categorical_features": [name], "custom_values": {name: frequent(values)}}
    rows = view.rows(np.arange(min(view.n, PARTIAL_DEPENDENCE_ROWS))).frame
    found = partial_dependence(model, rows, [name], grid_resolution=POINTS, method="brute", **options)
    return PartialDependence(name, list(found.grid_values[0]), np.asarray(found.average))


def worst_rows(plan: StudyPlan, predictions: Array, errors: Array, tested: Array) -> list[WorstRow]:
    """The rows with the largest errors, by their numbers in the table."""
    view, found = plan.development, []
    order = np.argsort(-np.where(tested, errors, -np.inf), kind="stable")[: min(WORST, int(tested.sum()))]
    for row, number in zip(order, view.question.numbers(order), strict=True):
        truth, predicted = view.y[row], predictions[row]
        if view.labels:
            truth, predicted = view.labels[truth], view.labels[int(predicted.argmax())]
        found.append(WorstRow(int(number), truth, predicted, float(errors[row])))
    return found


def diagnose(entry: CandidateResult, model: Any, plan: StudyPlan, log: Log) -> ModelDiagnosis:
    """Diagnose a candidate: `model` is fitted to the development rows, `entry` holds its cross-validation results."""
    from ...core import cloned

    predictions, tested = out_of_fold(entry, plan)
    errors = np.where(tested, prediction_errors(plan.development, predictions), np.nan)
    if entry.candidate.baseline:  # it uses no feature
        return ModelDiagnosis(predictions, tested, errors, None, [], [], [], [], "")
    run_part = PartRunner()
    log("computing feature importance")
    columns: list[Importance] = run_part(lambda: importances(model, plan), [])
    names = [one.column for one in columns] or list(plan.question.features)
    shown = () if plan.question.recommends else names[:SHOWN_COLUMNS]  # ids have no order
    made = [run_part(partial(compute_dependence, model, plan.development, name), None) for name in shown]
    log("explaining predictions")
    explained: list[ExplainedRow] = run_part(lambda: explain_rows(model, plan), [])
    paired: list[Interaction] = run_part(lambda: find_interactions(model, plan, list(shown)), [])
    log("computing the learning curve")
    curve = run_part(lambda: compute_learning_curve(cloned(model), plan), None)
    return ModelDiagnosis(
        predictions, tested, errors, curve, columns, [one for one in made if one is not None],
        slices(plan.development.question.rows(tested), errors[tested], names),
        worst_rows(plan, predictions, errors, tested),
        run_part.early, explained, paired,
    )  # fmt: skip
