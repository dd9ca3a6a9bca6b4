"""The end of a study: one test on the locked rows, then the model that is kept, learned from all rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array
from ...core.runtime import context
from ...core.runtime.random import generator
from ...deployment import DeployedModel, ExpectedColumn
from ...deployment.deployed_model import conformal_reach
from ...parts.intervals import wilson
from .candidates import candidates
from .cross_validation import Entry
from .dataset_view import Case, of_rarest_class
from .diagnosis import misses_of, out_of_fold
from .final_fits import LastFits
from .metric import Metric
from .plan import Plan

PROMISED = 0.9
DRAWS, FEWER_DRAWS, FEWEST_DRAWS = 1000, 200, 100  # the last where a budget ends
HALF = 0.5  # share of the time left that draws may take
MANY_ROWS = 20_000  # locked rows from which on fewer draws do


@dataclass(frozen=True, slots=True)
class LastTest:
    """The one test on the locked rows: the score with its interval, and how often the promised intervals held."""

    score: float
    low: float
    high: float
    baseline: float
    rows: int
    learned_rows: int  # that the model has learned from
    answers: Array
    promised: float
    covered: float
    covered_low: float
    covered_high: float


def last_test(model: Any, learned_rows: int, last: LastFits) -> LastTest:
    """The model of the development rows on the locked ones, and its baseline; intervals are those of unseen rows."""
    plan, clock = last.plan, last.clock
    locked, metric = plan.locked, plan.metric
    answers = locked.answers(model)
    score = metric.score(locked.y, answers, locked.weight, plan.classes)
    with clock.giving(HALF):
        low, high = interval(locked, answers, metric, plan.settings.seed)
    baseline = next(one for one in candidates(plan.question, plan.settings) if one.baseline)
    with context.unhurried():  # it takes no time
        plain = baseline.make(plan.settings.seed).fit(_blank(plan.case), plan.case.y, **plan.case.options())
    below = metric.score(locked.y, locked.answers(plain, _blank(locked)), locked.weight, plan.classes)
    covered = _covered(locked, answers, _unseen_misses(last.entry, plan))
    ends = wilson(float(covered.sum()), len(covered))
    return LastTest(score, low, high, below, locked.n, learned_rows, answers, PROMISED, float(covered.mean()), *ends)


def _blank(case: Case) -> Array:
    """Rows for a model that looks at no column."""
    return np.zeros((case.n, 1))


def interval(locked: Case, answers: Array, metric: Metric, seed: int) -> tuple[float, float]:
    """Where the score on new rows lies, with 95 % confidence.

    Wilson's where the score is a share of rows; else by drawing locked rows, or whole groups, with replacement. One
    group alone tells nothing of others. A perfect score is so in all draws; how sure it is, Wilson's for the rows, or
    groups, of the rarest class says.
    """
    scale = metric.scale(len(locked.labels))
    if locked.of_one_group:
        return scale.lowest, scale.highest
    score = metric.score(locked.y, answers, locked.weight, len(locked.labels))
    if scale.of_rows and locked.groups is None and locked.weight is None:
        return scale.by_rows(score, locked.n, 0.95)
    if locked.labels and scale.perfect(score):
        return scale.by_rows(scale.highest, of_rarest_class(locked.y, locked.groups), 0.95)
    scores: list[float] = []
    for rows in _draws(locked, seed):
        if len(scores) >= FEWEST_DRAWS and context.reason_to_stop():
            break
        weight = None if locked.weight is None else locked.weight[rows]
        with suppress(ValueError), warnings.catch_warnings():  # a draw that lacks a class may have no such score
            warnings.simplefilter("ignore")
            scores.append(metric.score(locked.y[rows], answers[rows], weight, len(locked.labels)))
    known = np.array(scores)[np.isfinite(scores)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (-np.inf, np.inf)
    return scale.within((float(low), float(high)))


def _draws(locked: Case, seed: int) -> Iterator[Array]:
    """Rows drawn with replacement, as many as there are; whole groups where rows have groups."""
    draws = DRAWS if locked.n <= MANY_ROWS else FEWER_DRAWS
    if locked.groups is None:
        yield from (generator(seed, draw).integers(0, locked.n, locked.n) for draw in range(draws))
        return
    groups = np.unique(locked.groups, return_inverse=True)[1]
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    for draw in range(draws):
        chosen = generator(seed, draw).integers(0, len(parts), len(parts))
        yield np.concatenate([parts[int(group)] for group in chosen])


def _unseen_misses(entry: Entry, plan: Plan) -> Array:
    unseen, tested = out_of_fold(entry, plan)
    return misses_of(plan.case, unseen)[tested]


def _covered(locked: Case, answers: Array, misses: Array) -> Array:
    """Which locked rows lie in the intervals or sets that the misses of unseen rows promise."""
    return np.asarray(misses_of(locked, answers) <= conformal_reach(misses, PROMISED))


def deployed(last: LastFits, test: LastTest) -> DeployedModel:
    """The model with the parameters that were chosen, learned again from all rows, with what its users need."""
    plan, question = last.plan, last.plan.question
    pipeline, rows = last.learned(plan.whole, 0.0, question.y)
    table = question.table
    columns = [ExpectedColumn.of(name, table.columns[name], table.written.get(name, "")) for name in question.features]
    misses, card = _unseen_misses(last.entry, plan), _card(plan, test, rows)
    parts: dict[str, Any] = {"positive": question.positive, "card": card, "missing": table.missing}
    task: Any = question.task
    return DeployedModel(pipeline, task, str(question.target), columns, misses, **parts)


def _card(plan: Plan, test: LastTest, rows: int) -> dict[str, Any]:
    """What somebody should know before using the model."""
    question, metric = plan.question, plan.metric
    return {
        "learnable": __version__,
        "task": question.task,
        "target": question.target,
        "rows": rows,
        "measure": metric.label,
        "score on locked rows": metric.shown(test.score),
        "interval": sorted([metric.shown(test.low), metric.shown(test.high)]),
        "baseline": metric.shown(test.baseline),
        **({"read as missing": ", ".join(question.table.missing)} if question.table.missing else {}),
        "use": "answers about rows that come from where the training rows came from",
        "limits": "not for rows outside the ranges seen, nor for claims about causes",
    }
