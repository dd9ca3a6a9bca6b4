"""The final fits of a study: their cost, and the number of rows that the time left allows."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, BudgetError
from ...core.runtime import context
from .cross_validation import CandidateResult
from .dataset_view import DatasetView, fit_candidate
from .interruption import StageRunner
from .plan import StudyPlan
from .time_left import Clock

TESTING = 0.5  # seconds for the evaluation on the test set, beside those for the predictions
GROWTH, SAFETY = 0.1, 1.2  # a fit to twice the rows takes 2^0.1 longer than linear; estimates may be this much too low
HALF = 0.5  # maximum fraction of the time left that is reserved for the refit to all rows


def cost_of_fit(entry: CandidateResult, plan: StudyPlan, rows: int) -> float:
    """Estimated seconds of one fit to a number of rows, from the fits done so far.

    A line through the fits of two comparisons, or through those of one and the origin; more than that well beyond them.
    """
    (few, of_few), seen, once = entry.smaller, rows_seen(entry, plan), entry.mean("refit_seconds")
    seconds_per_row = max(once - of_few, 0.0) / max(seen - few, 1)
    return float(SAFETY * max(once + seconds_per_row * (rows - seen), 0.0) * max(rows / seen, 1.0) ** GROWTH)


def rows_seen(entry: CandidateResult, plan: StudyPlan) -> int:
    """Mean number of training rows of the fits done so far."""
    folds = plan.split.folds[: len(entry.fold_results)]
    return max(round(float(np.mean([len(train) for train, _ in folds]))), 1)


def most_frequent_parameters(entry: CandidateResult) -> dict[str, Any]:
    """The hyperparameters that were selected on most folds; of equally frequent ones, the first selected."""
    names = [repr(sorted(result.chosen.items())) for result in entry.fold_results]
    return entry.fold_results[names.index(max(names, key=names.count))].chosen


@dataclass(frozen=True, slots=True)
class FinalFits:
    """The recommended candidate with its hyperparameters, fitted to as many rows as the time left allows."""

    entry: CandidateResult
    chosen: dict[str, Any]
    plan: StudyPlan
    runner: StageRunner

    @classmethod
    def of(cls, recommended: str, entries: list[CandidateResult], plan: StudyPlan, runner: StageRunner) -> FinalFits:
        """Those of a candidate by name."""
        entry = next(one for one in entries if one.candidate.name == recommended)
        return cls(entry, most_frequent_parameters(entry), plan, runner)

    @property
    def clock(self) -> Clock:
        """The time limit of the present stage."""
        return self.runner.clock

    def cost(self, rows: int) -> float:
        """Estimated seconds of a fit; 0 without a time limit."""
        return cost_of_fit(self.entry, self.plan, rows) if self.clock.limited else 0.0

    def room(self, rows: int) -> float:
        """Seconds to reserve for a fit: its own, and those of a smaller fit in case that it is not completed."""
        return self.cost(rows) + self.cost(rows_seen(self.entry, self.plan))

    @property
    def cost_of_test(self) -> float:
        """Estimated seconds of the evaluation on the test set, from the prediction times so far."""
        return TESTING + self.entry.mean("query_seconds") * self.plan.test_set.n

    def reserve(self) -> float:
        """Seconds to reserve for the evaluation on the test set and the refit to all rows.

        The diagnosis may end with predictions of the test set that the clock does not interrupt.
        """
        return min(2 * self.cost_of_test + self.room(self.plan.all_rows.n), HALF * self.clock.left)

    def fit_development(self) -> tuple[Any, int]:
        """The pipeline fitted to the development rows, and their number; time for the refit is reserved."""
        return self.fit(self.plan.development, min(self.room(self.plan.all_rows.n), HALF * self.clock.left))

    def fit(self, view: DatasetView, keep: float, y: Array | None = None) -> tuple[Any, int]:
        """The fitted pipeline, and the number of its training rows; `y` are other names for the targets."""
        some = self._some(view, self._payable(view, keep))
        try:
            with self.clock.keeping(keep + self.cost(rows_seen(self.entry, self.plan))):
                model = self._fit(view, some, y)
                context.give_way()  # a fit that the budget cut short is not used
        except BudgetError:
            some = self._some(view, rows_seen(self.entry, self.plan))
            with context.unhurried():  # as short as the fits done so far
                model = self._fit(view, some, y)
        return model, len(some)

    def _payable(self, view: DatasetView, keep: float) -> int:
        payable = bisect_right(range(1, view.n + 1), self.clock.left - keep, key=self.room)
        return max(payable, rows_seen(self.entry, self.plan))

    def _some(self, view: DatasetView, rows: int) -> Array:
        if rows >= view.n:
            return np.arange(view.n)
        return np.sort(np.random.default_rng(self.plan.settings.seed).permutation(view.n)[:rows])

    def _fit(self, view: DatasetView, rows: Array, y: Array | None) -> Any:
        part = view if len(rows) == view.n else view.rows(rows)
        return fit_candidate(
            self.entry.candidate, self.chosen, part, self.plan.settings, None if y is None else y[rows]
        )
