"""The end of a study: one evaluation on the held-out test set, then the refit to all rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array
from ...core.runtime import context
from ...core.runtime.random import generator
from ...deployment import DeployedModel, ExpectedColumn, ForecastModel
from ...deployment.deployed_model import conformal_reach
from ...parts.confidence_intervals import wilson
from ..task import Question
from ..text import counted
from .candidates import candidates
from .cross_validation import CandidateResult
from .dataset_view import DatasetView, size_of_rarest_class
from .diagnosis import out_of_fold, prediction_errors
from .final_fits import FinalFits
from .metric import Metric
from .plan import StudyPlan

NOMINAL_COVERAGE = 0.9
DRAWS, FEWER_DRAWS, MIN_DRAWS = 1000, 200, 100  # bootstrap samples; the last if the budget ends
HALF = 0.5  # maximum fraction of the time left for the bootstrap
MANY_ROWS = 20_000  # test rows from which on fewer bootstrap samples suffice


@dataclass(frozen=True, slots=True)
class FinalTest:
    """The evaluation on the test set: the score with its confidence interval, and the coverage of the intervals."""

    score: float
    low: float
    high: float
    baseline: float
    rows: int
    fitted_rows: int  # training rows of the model
    predictions: Array
    nominal_coverage: float
    coverage: float
    coverage_low: float
    coverage_high: float


def evaluate_on_test_set(model: Any, fitted_rows: int, fits: FinalFits, baseline: str) -> FinalTest:
    """Score the model of the development rows, and the baseline, on the test set; intervals use out-of-fold errors."""
    plan, clock = fits.plan, fits.clock
    test_set, metric = plan.test_set, plan.metric
    predictions = test_set.predict(model)
    score = metric.score(test_set.y, predictions, test_set.weight, plan.classes)
    with clock.giving(HALF):
        low, high = interval(test_set, predictions, metric, plan.settings.seed)
    below = metric.score(test_set.y, _of_baseline(plan, baseline), test_set.weight, plan.classes)
    covered = _covered(test_set, predictions, _out_of_fold_errors(fits.entry, plan))
    ends = wilson(float(covered.sum()), len(covered))
    return FinalTest(
        score, low, high, below, test_set.n, fitted_rows, predictions, NOMINAL_COVERAGE, float(covered.mean()), *ends
    )


def _of_baseline(plan: StudyPlan, name: str) -> Array:
    """The predictions of a baseline for the test set."""
    baseline, view = next(one for one in candidates(plan.question, plan.settings) if one.name == name), plan.development
    with context.unhurried():  # takes hardly any time
        if baseline.column:
            model = baseline.pipeline(plan.settings.seed).fit(view.frame, view.y, **view.options())
            return plan.test_set.predict(model)
        model = baseline.make(plan.settings.seed).fit(_blank(view), view.y, **view.options())
    return plan.test_set.predict(model, _blank(plan.test_set))


def _blank(view: DatasetView) -> Array:
    """Features for a model that uses none."""
    return np.zeros((view.n, 1))


def interval(test_set: DatasetView, predictions: Array, metric: Metric, seed: int) -> tuple[float, float]:
    """The 95 % confidence interval of the score on new rows.

    Wilson's interval if the score is a proportion of rows; otherwise the bootstrap over test rows, or whole groups. One
    group alone allows no statement about others. The bootstrap of a perfect score has no width, so its interval is
    Wilson's for the number of rows, or groups, of the rarest class.
    """
    scale = metric.scale(len(test_set.labels))
    if test_set.of_one_group:
        return scale.lowest, scale.highest
    score = metric.score(test_set.y, predictions, test_set.weight, len(test_set.labels))
    if scale.of_rows and test_set.groups is None and test_set.weight is None:
        return scale.by_rows(score, test_set.n, 0.95)
    if test_set.labels and scale.perfect(score):
        return scale.by_rows(scale.highest, size_of_rarest_class(test_set.y, test_set.groups), 0.95)
    scores: list[float] = []
    for rows in _bootstrap_samples(test_set, seed):
        if len(scores) >= MIN_DRAWS and context.reason_to_stop():
            break
        weight = None if test_set.weight is None else test_set.weight[rows]
        with (
            suppress(ValueError),
            warnings.catch_warnings(),
        ):  # the score may be undefined for a sample that lacks a class
            warnings.simplefilter("ignore")
            scores.append(metric.score(test_set.y[rows], predictions[rows], weight, len(test_set.labels)))
    known = np.array(scores)[np.isfinite(scores)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (-np.inf, np.inf)
    return scale.within((float(low), float(high)))


def _bootstrap_samples(test_set: DatasetView, seed: int) -> Iterator[Array]:
    """Bootstrap samples of the rows, or of whole groups if rows have groups."""
    draws = DRAWS if test_set.n <= MANY_ROWS else FEWER_DRAWS
    if test_set.groups is None:
        yield from (generator(seed, draw).integers(0, test_set.n, test_set.n) for draw in range(draws))
        return
    groups = np.unique(test_set.groups, return_inverse=True)[1]
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    for draw in range(draws):
        chosen = generator(seed, draw).integers(0, len(parts), len(parts))
        yield np.concatenate([parts[int(group)] for group in chosen])


def _out_of_fold_errors(entry: CandidateResult, plan: StudyPlan) -> Array:
    unseen, tested = out_of_fold(entry, plan)
    return prediction_errors(plan.development, unseen)[tested]


def _covered(test_set: DatasetView, predictions: Array, errors: Array) -> Array:
    """Which test rows lie in the conformal intervals or sets of the out-of-fold errors."""
    return np.asarray(prediction_errors(test_set, predictions) <= conformal_reach(errors, NOMINAL_COVERAGE))


def deploy(fits: FinalFits, test: FinalTest) -> DeployedModel:
    """The model with the selected hyperparameters, refitted to all rows, with everything needed for predictions."""
    plan, question = fits.plan, fits.plan.question
    pipeline, rows = fits.fit(plan.all_rows, 0.0, question.y)
    table = question.table
    columns = [_expected_column(question, name) for name in question.inputs]
    errors, card = _out_of_fold_errors(fits.entry, plan), _card(plan, test, rows)
    parts: dict[str, Any] = {"positive": question.positive, "card": card, "missing": table.missing}
    task: Any = question.task
    model = pipeline if question.lags is None else ForecastModel(pipeline, question.lags, list(question.features))
    return DeployedModel(model, task, str(question.target), columns, errors, **parts)


def _expected_column(question: Question, name: str) -> ExpectedColumn:
    values, written = question.table.columns[name], question.table.written.get(name, "")
    column = ExpectedColumn.of(name, values, written, text=name in question.texts)
    unbounded = name == question.time and column.low is not None
    return replace(column, low=-np.inf, high=np.inf) if unbounded else column  # forecasts are for later times


def _card(plan: StudyPlan, test: FinalTest, rows: int) -> dict[str, Any]:
    """The model card: what to know before using the model."""
    question, metric = plan.question, plan.metric
    return {
        "learnable": __version__,
        "task": question.task,
        "target": question.target,
        "rows": rows,
        "metric": metric.label,
        "score on the test set": metric.shown(test.score),
        "interval": sorted([metric.shown(test.low), metric.shown(test.high)]),
        "baseline": metric.shown(test.baseline),
        **({} if question.lags is None else {"horizon": counted(question.lags.horizon, question.lags.grid.unit)}),
        **({"read as missing": ", ".join(question.table.missing)} if question.table.missing else {}),
        "use": "predictions for rows from the same source as the training rows",
        "limits": "not for rows outside the ranges of the training data; not evidence of cause and effect",
    }
