"""Linear models that need no more of the rows than weighted sums of products: one pass over blocks is a fit."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..core import Data, Trace
from ..engines.equivalent_rows import Equivalent, joint_moments
from ..engines.exact_learning import LearnsExactly
from ..engines.exact_summary import ExactSummary
from ..engines.passes import RowBlock, TrainingRows, exact_sums
from ..engines.sufficient_statistics import Moments


class FitsMoments(LearnsExactly):
    """A linear model that is fitted to moments: to few rows that have the same."""

    coef_: Any
    intercept_: Any
    fit_intercept: bool
    summary_kind = "moments"

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        self._fit_moments(summary.statistics.moments(self.fit_intercept), summary.like(), trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if exact_sums():
            self._fit_summary(self._exact_summary(rows), trace)
            return
        moments: Moments = rows.total(partial(moments_of, centre=self.fit_intercept))
        self._fit_moments(moments, rows.first, trace)

    def _fit_moments(self, moments: Moments, like: Data, trace: Trace) -> None:
        """Fit to the joint moments of columns and targets; `like` are some rows or none, for names and types."""
        flat = like.y.ndim == 1
        found = Equivalent.of(moments, 1 if flat else like.y.shape[1])
        self._fit(found.data(like.X.dtype, flat, like.names), trace)  # type: ignore[attr-defined]  # of every role
        self._move_intercept(found)

    def _move_intercept(self, found: Equivalent) -> None:
        """Add to the intercept what the columns and targets were moved by."""
        if self.fit_intercept:
            shift = found.mean_y - np.atleast_2d(self.coef_) @ found.mean_x
            moved = np.asarray(self.intercept_, dtype=np.float64) + (shift if np.ndim(self.intercept_) else shift[0])
            self.intercept_ = moved if np.ndim(moved) else float(moved)


def moments_of(block: RowBlock, centre: bool) -> Moments:
    """The joint moments of a block."""
    return joint_moments(block.X, block.y, block.weight, centre)
