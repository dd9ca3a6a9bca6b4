"""The race of the candidates: hopeless ones are stopped before their cross-validation is complete."""

from __future__ import annotations

from contextlib import suppress

from ...core import Array
from .model_candidate import ModelCandidate
from .plan import StudyPlan
from .settings import is_large

MIN_FOLDS, QUICK_FOLDS = 2, 1  # folds that a candidate is always evaluated on, in a quick study the second
MAX_TIMES_WORSE = 5  # times what is practically equal, by which a hopeless candidate is worse on every one of them


class HopelessError(Exception):
    """A candidate is much worse than another on every fold so far; the text is the reason."""


class Race:
    """The scores of the candidates on the folds of the first repeat; tables with few rows are not raced on.

    A candidate is hopeless if it is worse than one that has finished its folds by `MAX_TIMES_WORSE` times the
    difference of practically equal scores, on each of `MIN_FOLDS` folds or more. Baselines are never stopped.
    """

    def __init__(self, plan: StudyPlan) -> None:
        self.plan, self.scores = plan, dict[str, list[float]]()
        self.runs = plan.settings.effort != "thorough" and is_large(plan.split.compared, len(plan.question.features))
        self.baseline = ""
        self.fewest = QUICK_FOLDS if plan.settings.effort == "quick" else MIN_FOLDS

    def check(self, candidate: ModelCandidate, fold: int, predictions: Array) -> None:
        """Score a candidate on a fold; raise HopelessError if there is no point in evaluating it on others."""
        if not self.runs:
            return
        if candidate.baseline:
            self.baseline = candidate.name
        own = self.scores.setdefault(candidate.name, [])
        with suppress(ValueError):  # a class may be absent
            own.append(self._score(fold, predictions))
        if candidate.baseline or candidate.always or not self.fewest <= len(own) < self.plan.settings.folds:
            return
        for name, scores in self.scores.items():
            if len(scores) == self.plan.settings.folds and self._is_far_below(own, scores[: len(own)]):
                own_mean, other = (sum(one[: len(own)]) / len(own) for one in (own, scores))
                metric = self.plan.metric
                raise HopelessError(
                    f"stopped after {len(own)} of {self.plan.settings.folds} folds: {metric.label} "
                    f"{metric.shown(own_mean):.4g} on them, and {metric.shown(other):.4g} for {name}"
                )

    def _score(self, fold: int, predictions: Array) -> float:
        view, (_, test) = self.plan.development, self.plan.split.folds[fold]
        weight = None if view.weight is None else view.weight[test]
        return self.plan.metric.score(view.y[test], predictions, weight, self.plan.classes)

    def _is_far_below(self, own: list[float], other: list[float]) -> bool:
        plain = self.scores.get(self.baseline, [])
        margin = MAX_TIMES_WORSE * self.plan.metric.practically_equal(plain[0] if plain else 1.0)
        return all(theirs - mine > margin for mine, theirs in zip(own, other, strict=True))
