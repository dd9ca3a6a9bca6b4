"""The last fits of a study: what they cost, and how many rows there is time for."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, BudgetError
from ...core.runtime import context
from .cross_validation import Entry
from .dataset_view import Case, learned
from .plan import Plan
from .time_left import Clock

TESTING = 0.5  # seconds for the test on the locked rows beside those for the answers
BEND, SAFETY = 0.1, 1.2  # a fit to twice the rows takes 2^0.1 longer than a line says; so low are estimates at times


def cost_of_fit(entry: Entry, plan: Plan, rows: int) -> float:
    """Seconds that one fit to so many rows will take, by those that were seen.

    They lie on a line through the fits of two comparisons, or through those of one and none at all; far off above it.
    """
    (few, of_few), seen, once = entry.smaller, rows_seen(entry, plan), entry.mean("refit_seconds")
    slope = max(once - of_few, 0.0) / max(seen - few, 1)
    return float(SAFETY * max(once + slope * (rows - seen), 0.0) * max(rows / seen, 1.0) ** BEND)


def rows_seen(entry: Entry, plan: Plan) -> int:
    """Training rows of the fits that were seen, on average."""
    folds = plan.division.folds[: len(entry.attempts)]
    return max(round(float(np.mean([len(train) for train, _ in folds]))), 1)


@dataclass(frozen=True, slots=True)
class LastFits:
    """The recommended candidate with its parameters, to be learned from as many rows as there is time for."""

    entry: Entry
    chosen: dict[str, Any]
    plan: Plan
    clock: Clock

    def cost(self, rows: int) -> float:
        """Seconds that a fit will take; nothing where time does not matter."""
        return cost_of_fit(self.entry, self.plan, rows) if self.clock.limited else 0.0

    def room(self, rows: int) -> float:
        """Seconds to keep for a fit: those that it will take, and those of one to fewer rows if that is not done."""
        return self.cost(rows) + self.cost(rows_seen(self.entry, self.plan))

    @property
    def cost_of_test(self) -> float:
        """Seconds that the test on the locked rows will take, by what answers took before."""
        return TESTING + self.entry.mean("query_seconds") * self.plan.locked.n

    def learned(self, case: Case, keep: float, y: Array | None = None) -> tuple[Any, int]:
        """The fitted pipeline, and how many rows it has learned from; `y` are other names for the targets."""
        some = self._some(case, self._payable(case, keep))
        try:
            with self.clock.keeping(keep + self.cost(rows_seen(self.entry, self.plan))):
                model = self._fitted(case, some, y)
                context.give_way()  # a fit that time cut short is not what it says
        except BudgetError:
            some = self._some(case, rows_seen(self.entry, self.plan))
            with context.unhurried():  # so many rows were learned from before, so that it is short
                model = self._fitted(case, some, y)
        return model, len(some)

    def _payable(self, case: Case, keep: float) -> int:
        payable = bisect_right(range(1, case.n + 1), self.clock.left - keep, key=self.room)
        return max(payable, rows_seen(self.entry, self.plan))

    def _some(self, case: Case, rows: int) -> Array:
        if rows >= case.n:
            return np.arange(case.n)
        return np.sort(np.random.default_rng(self.plan.settings.seed).permutation(case.n)[:rows])

    def _fitted(self, case: Case, rows: Array, y: Array | None) -> Any:
        part = case if len(rows) == case.n else case.rows(rows)
        return learned(self.entry.candidate, self.chosen, part, self.plan.settings, None if y is None else y[rows])
