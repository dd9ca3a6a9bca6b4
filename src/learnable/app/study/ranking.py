"""Who is better than whom: intervals, corrected tests, ties, and the simplest model among the best."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...core import Array, DataError
from ...inference import bayesian_comparison
from ...inference.bayes import BayesianComparison
from ...inference.compare_models import compared
from ...inference.comparison import ComparedModel, Comparison
from ...model_selection._cv_estimate import Basis, Estimate
from .cross_validation import Entry
from .dataset_view import of_rarest_class
from .metric import Metric
from .plan import Plan

ALPHA, CORRECTION = 0.05, "holm"


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's place: its score with an interval, how it compares with the baseline and with the best."""

    name: str
    estimate: Estimate
    compared: ComparedModel
    better_than_baseline: float  # probabilities
    better_than_best: float
    equal_to_best: float
    fit_seconds: float
    query_seconds: float
    unfinished: int
    size: float
    baseline: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """All models from the best on; `recommended` is the simplest that is as good as the best."""

    standings: list[Standing]
    recommended: str
    useful: bool
    comparison: Comparison

    @property
    def baseline(self) -> str:
        """The model that all others were compared with."""
        return self.comparison.baseline

    @property
    def scores(self) -> dict[str, Array]:
        """The scores on all test parts, by model."""
        return self.comparison.scores

    def standing(self, name: str) -> Standing:
        """The line of one model."""
        return next(standing for standing in self.standings if standing.name == name)

    @property
    def tested(self) -> bool:
        """Whether there was time for a model beside the baseline."""
        return any(not standing.baseline for standing in self.standings)

    @property
    def best(self) -> Standing:
        """The model with the best mean score."""
        return self.standings[0]


def ranked(entries: list[Entry], plan: Plan) -> Ranking:
    """The ranking of those that were tested."""
    played = [entry for entry in entries if entry.attempts]
    division, metric = plan.division, plan.metric
    folds = division.folds[: len(played[0].attempts)]
    scores = _known({entry.candidate.name: _scores(entry, plan) for entry in played}, metric)
    tested = np.unique(np.concatenate([test for _, test in folds]))
    basis = Basis(division.test_share, float(len(tested)), metric.scale(plan.classes))
    estimates = {name: _estimate(values, basis, plan, tested) for name, values in scores.items()}
    baseline = next(entry.candidate.name for entry in played if entry.candidate.baseline)
    ends = {name: (estimate.low, estimate.high) for name, estimate in estimates.items()}
    rows = compared(scores, ends, baseline, division.test_share, ALPHA, CORRECTION)
    by_name = {entry.candidate.name: entry for entry in played}
    rope = metric.practically_equal(float(scores[baseline].mean()))
    best = rows[0].name
    against = partial(bayesian_comparison, test_share=division.test_share, rope=rope)
    standings = []
    for row in rows:
        base, top = (against(scores[row.name], scores[other]) for other in (baseline, best))
        standings.append(_standing(row, by_name[row.name], estimates[row.name], base, top))
    useful = any(row.verdict == "better" for row in rows if not by_name[row.name].candidate.baseline)
    order = [entry.candidate.name for entry in played]
    found = Comparison(rows, scores, baseline, metric.label, CORRECTION, ALPHA, division.test_share)
    return Ranking(standings, _recommended(standings, scores, order, baseline, useful), useful, found)


def _standing(
    row: ComparedModel, entry: Entry, estimate: Estimate, base: BayesianComparison, best: BayesianComparison
) -> Standing:
    """One line of the table: beside its score, how it compares with the baseline and with the best."""
    fit, query, size = (entry.mean(name) for name in ("fit_seconds", "query_seconds", "size"))
    unfinished = sum(attempt.unfinished for attempt in entry.attempts)
    return Standing(
        row.name, estimate, row, base.better, best.better, best.practically_equal, fit, query, unfinished, size,
        entry.candidate.baseline,
    )  # fmt: skip


def _estimate(scores: Array, basis: Basis, plan: Plan, tested: Array) -> Estimate:
    """A mean score with its interval: of a perfect one Wilson's, for the rows, or groups, of the rarest class."""
    found, scale = Estimate.of(scores, basis), basis.scale
    if scale.of_rows or not plan.classes or not scale.perfect(float(scores.min())):
        return found
    y, groups = plan.case.y, plan.case.groups
    rarest = of_rarest_class(y[tested], None if groups is None else groups[tested])
    low, high = scale.by_rows(scale.highest, rarest, found.confidence)
    return replace(found, low=low, high=high, method="wilson", caveat="")


def _scores(entry: Entry, plan: Plan) -> Array:
    """The score on each test part; NaN where it has none, as the area under a curve has not where a class is absent."""
    case, found = plan.case, np.full(len(entry.attempts), np.nan)
    for place, (attempt, (_, test)) in enumerate(zip(entry.attempts, plan.division.folds, strict=False)):
        weight = None if case.weight is None else case.weight[test]
        with suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[place] = plan.metric.score(case.y[test], attempt.answers, weight, plan.classes)
    return found


def _known(scores: dict[str, Array], metric: Metric) -> dict[str, Array]:
    """The scores on the parts on which every model has one."""
    known: Array = np.isfinite(np.stack(list(scores.values()))).all(axis=0)
    if known.sum() < 2:
        raise DataError(
            f"the {metric.label} is not known on {(~known).sum()} of {len(known)} test parts: they lack a class; "
            "choose another --metric, such as log-loss, or divide the rows in another way"
        )
    return {name: values[known] for name, values in scores.items()}


def _recommended(
    standings: list[Standing], scores: dict[str, Array], order: list[str], baseline: str, useful: bool
) -> str:
    """Of the models better than the baseline, the simplest within one standard error of the best and not told apart.

    `order` has the simplest first. Without a model that is better than the baseline, the baseline.
    """
    if not useful:
        return baseline
    proven = [one for one in standings if not one.baseline and one.compared.verdict == "better"]
    best = proven[0]
    values = scores[best.name]
    reach = float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    tied = {
        one.name for one in proven
        if one.compared.group == best.compared.group and scores[one.name].mean() >= values.mean() - reach
    }  # fmt: skip
    return next(name for name in order if name in tied)
