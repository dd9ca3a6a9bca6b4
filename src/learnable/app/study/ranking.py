"""The leaderboard: confidence intervals, corrected tests, and the simplest model among the best."""

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
from .cross_validation import CandidateResult
from .dataset_view import size_of_rarest_class
from .metric import Metric
from .plan import StudyPlan

ALPHA, CORRECTION = 0.05, "holm"


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A model with its score, its confidence interval, and the comparisons with the baseline and the best model."""

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
    """All models, the best first; `recommended` is the simplest that is statistically as good as the best."""

    leaderboard: list[LeaderboardRow]
    recommended: str
    useful: bool
    comparison: Comparison

    @property
    def baseline(self) -> str:
        """The model that all others were compared with."""
        return self.comparison.baseline

    @property
    def scores(self) -> dict[str, Array]:
        """The scores on all test folds, by model."""
        return self.comparison.scores

    def row_of(self, name: str) -> LeaderboardRow:
        """The row of one model."""
        return next(row_of for row_of in self.leaderboard if row_of.name == name)

    @property
    def tested(self) -> bool:
        """Whether a model besides the baseline was evaluated."""
        return any(not row_of.baseline for row_of in self.leaderboard)

    @property
    def best(self) -> LeaderboardRow:
        """The model with the best mean score."""
        return self.leaderboard[0]


def rank(entries: list[CandidateResult], plan: StudyPlan) -> Ranking:
    """Rank the candidates that were evaluated."""
    evaluated = [entry for entry in entries if entry.fold_results]
    split, metric = plan.split, plan.metric
    folds = split.folds[: len(evaluated[0].fold_results)]
    scores = _known({entry.candidate.name: _scores(entry, plan) for entry in evaluated}, metric)
    tested = np.unique(np.concatenate([test for _, test in folds]))
    basis = Basis(split.test_fraction, float(len(tested)), metric.scale(plan.classes))
    estimates = {name: _estimate(values, basis, plan, tested) for name, values in scores.items()}
    plain = [entry.candidate.name for entry in evaluated if entry.candidate.baseline]
    baseline = max(plain, key=lambda name: scores[name].mean())  # the first of equal ones
    ends = {name: (estimate.low, estimate.high) for name, estimate in estimates.items()}
    rows = compared(scores, ends, baseline, split.test_fraction, ALPHA, CORRECTION)
    by_name = {entry.candidate.name: entry for entry in evaluated}
    rope = metric.practically_equal(float(scores[baseline].mean()))
    best = rows[0].name
    against = partial(bayesian_comparison, test_share=split.test_fraction, rope=rope)
    leaderboard = []
    for row in rows:
        base, top = (against(scores[row.name], scores[other]) for other in (baseline, best))
        leaderboard.append(_leaderboard_row(row, by_name[row.name], estimates[row.name], base, top))
    useful = any(row.verdict == "better" for row in rows if not by_name[row.name].candidate.baseline)
    order = [entry.candidate.name for entry in evaluated]
    found = Comparison(rows, scores, baseline, metric.label, CORRECTION, ALPHA, split.test_fraction)
    return Ranking(leaderboard, _recommended(leaderboard, scores, order, baseline, useful), useful, found)


def _leaderboard_row(
    row: ComparedModel, entry: CandidateResult, estimate: Estimate, base: BayesianComparison, best: BayesianComparison
) -> LeaderboardRow:
    """One row of the leaderboard."""
    fit, query, size = (entry.mean(name) for name in ("fit_seconds", "query_seconds", "size"))
    unfinished = sum(result.unfinished for result in entry.fold_results)
    return LeaderboardRow(
        row.name, estimate, row, base.better, best.better, best.practically_equal, fit, query, unfinished, size,
        entry.candidate.baseline,
    )  # fmt: skip


def _estimate(scores: Array, basis: Basis, plan: StudyPlan, tested: Array) -> Estimate:
    """A mean score with its interval; for a perfect score Wilson's, with the rows, or groups, of the rarest class."""
    found, scale = Estimate.of(scores, basis), basis.scale
    if scale.of_rows or not plan.classes or not scale.perfect(float(scores.min())):
        return found
    y, groups = plan.development.y, plan.development.groups
    rarest = size_of_rarest_class(y[tested], None if groups is None else groups[tested])
    low, high = scale.by_rows(scale.highest, rarest, found.confidence)
    return replace(found, low=low, high=high, method="wilson", caveat="")


def _scores(entry: CandidateResult, plan: StudyPlan) -> Array:
    """The score on each test fold; NaN where it is undefined, as the area under a curve is if a class is absent."""
    view, found = plan.development, np.full(len(entry.fold_results), np.nan)
    for fold, (result, (_, test)) in enumerate(zip(entry.fold_results, plan.split.folds, strict=False)):
        weight = None if view.weight is None else view.weight[test]
        with suppress(ValueError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[fold] = plan.metric.score(view.y[test], result.predictions, weight, plan.classes)
    return found


def _known(scores: dict[str, Array], metric: Metric) -> dict[str, Array]:
    """The scores on the folds on which every model has one."""
    known: Array = np.isfinite(np.stack(list(scores.values()))).all(axis=0)
    if known.sum() < 2:
        raise DataError(
            f"the {metric.label} is undefined on {(~known).sum()} of {len(known)} test folds: they lack a class; "
            "choose another --metric, such as log-loss, or split the rows in another way"
        )
    return {name: values[known] for name, values in scores.items()}


def _recommended(
    leaderboard: list[LeaderboardRow], scores: dict[str, Array], order: list[str], baseline: str, useful: bool
) -> str:
    """The simplest model within one standard error of the best and not significantly different from it.

    Only models significantly better than the baseline count; without any, the baseline is recommended. `order` has the
    simplest first.
    """
    if not useful:
        return baseline
    better = [one for one in leaderboard if not one.baseline and one.compared.verdict == "better"]
    best = better[0]
    values = scores[best.name]
    standard_error = float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    tied = {
        one.name for one in better
        if one.compared.group == best.compared.group and scores[one.name].mean() >= values.mean() - standard_error
    }  # fmt: skip
    return next(name for name in order if name in tied)
