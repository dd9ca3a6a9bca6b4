"""Linear models that need no more of the rows than weighted sums of products: one pass over blocks is a fit."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Estimator, Trace
from ..engines.equivalent_rows import EquivalentRows, GroupMoments, class_moments, fold_moments, joint_moments
from ..engines.exact_learning import LearnsExactly
from ..engines.exact_summary import ExactSummary
from ..engines.folds import contiguous
from ..engines.passes import TrainingRows, exact_sums
from ..engines.sufficient_statistics import Moments


class LinearOnBlocks(Estimator):
    """A linear model whose coefficients and intercept are those of few rows with the same moments."""

    coef_: Any
    intercept_: Any
    fit_intercept: bool

    def _move_intercept(self, shift_x: Array, shift_y: Array | float) -> None:
        """Add to the intercept what the columns and targets were moved by."""
        if self.fit_intercept:
            coef = np.atleast_2d(self.coef_.toarray() if hasattr(self.coef_, "toarray") else self.coef_)
            moved = np.asarray(self.intercept_, dtype=np.float64) + (shift_y - coef @ shift_x)
            keep = np.ndim(self.intercept_)
            self.intercept_ = moved if keep else float(np.ravel(moved)[0])


class OnMoments(LinearOnBlocks):
    """A regressor that is fitted to the moments of columns and targets."""

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        moments: Moments = rows.total(partial(joint_moments, centre=self.fit_intercept))
        self._fit_moments(moments, rows.first, trace)

    def _fit_moments(self, moments: Moments, like: Data, trace: Trace) -> None:
        """Fit to the joint moments of columns and targets; `like` shows names, types and the number of targets."""
        found = EquivalentRows.of(moments)
        self._fit(found.regression_data(like), trace)  # type: ignore[attr-defined]  # of every role
        self._move_intercept(found.shift[: like.p], found.shift[like.p :])


class FitsMoments(OnMoments, LearnsExactly):
    """The same, which can also be fitted to exact sums, merged, and made to forget rows."""

    summary_kind = "moments"

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        self._fit_moments(summary.statistics.moments(self.fit_intercept), summary.like(), trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if exact_sums():
            self._fit_summary(self._exact_summary(rows), trace)
        else:
            super()._fit_blocks(rows, trace)


class FitsClassMoments(LinearOnBlocks):
    """A classifier that is fitted to the moments of the columns of each class."""

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        self._fit_class_moments(rows.total(class_moments), rows.first, trace)

    def _fit_class_moments(self, groups: GroupMoments, like: Data, trace: Trace) -> None:
        """Fit to the moments of the columns of each class."""
        found = EquivalentRows.of_groups(groups)
        if not self.fit_intercept:  # products about zero, which differ from those about the means
            raise DataError(f"{type(self).__name__}: fit_intercept=False needs all rows at once; fit it to a sample")
        self._fit(found.class_data(like), trace)  # type: ignore[attr-defined]  # of every role
        self._move_intercept(found.shift, 0.0)


class ChoosesOnFolds(LinearOnBlocks):
    """A regressor that chooses its penalty by squared errors on folds, which their moments give."""

    cv: Any

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if not (self.cv is None or isinstance(self.cv, Integral)):
            raise DataError(f"{type(self).__name__}: cv must be a number of folds for a scan; got {self.cv!r:.60}")
        if not self.fit_intercept:
            raise DataError(f"{type(self).__name__}: folds of a scan need fit_intercept=True")
        tests = list(contiguous(5 if self.cv is None else int(self.cv), rows.n, type(self).__name__))
        bounds = np.array([test[0] for test in tests])
        found = EquivalentRows.of_groups(rows.total(partial(fold_moments, bounds=bounds)))
        chooser: Any = self.clone()
        chooser.__dict__.update({name: value for name, value in vars(self).items() if name.endswith("_in_")})
        chooser.cv = [(np.flatnonzero(found.group != k), np.flatnonzero(found.group == k)) for k in range(len(tests))]
        chooser._fit(found.regression_data(rows.first), trace)
        self.__dict__.update({name: value for name, value in vars(chooser).items() if name.endswith("_")})
        self._move_intercept(found.shift[: rows.first.p], found.shift[rows.first.p :])
