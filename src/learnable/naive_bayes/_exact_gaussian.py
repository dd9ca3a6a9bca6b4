"""Gaussian naive Bayes with exact sums."""

from __future__ import annotations

from typing import Any, Self

from ..core import Trace
from ..engines.exact_learning import LearnsExactly
from ..engines.exact_summary import ExactSummary
from ..engines.passes import TrainingRows, exact_sums
from ._naive_bayes_base import SufficientStatisticsClassifier, certify


class ExactGaussian(LearnsExactly, SufficientStatisticsClassifier):
    """Base class of Gaussian naive Bayes, whose statistics are exact where the model was fitted with exact sums.

    Then only classes that have rows are known.
    """

    summary_kind = "class moments"

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if exact_sums():
            self._fit_summary(self._exact_summary(rows), trace)
        else:
            super()._fit_blocks(rows, trace)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with more rows; the result equals one fit on all rows. New classes may be added at any time.

        `classes` are all classes that may occur; without it, and with exact sums, those seen so far.
        """
        if self._has_exact_sums():
            return self._learn_more(X, y, sample_weight)
        return super(LearnsExactly, self).partial_fit(X, y, classes, sample_weight)

    def unlearn(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remove rows from the model; the result is the model of the remaining rows, up to rounding.

        With exact sums it has the same bits. Rows that cannot have been learned are refused, and, without exact sums,
        outliers whose removal would leave only rounding errors of a variance. The model is then unchanged.
        """
        if self._has_exact_sums():
            return super().unlearn(X, y, sample_weight)
        return super(LearnsExactly, self).unlearn(X, y, sample_weight)

    def merge(self, other: Self) -> Self:
        """Merge the statistics of another fitted model with the same columns; with exact sums, without rounding."""
        return super().merge(other) if self._has_exact_sums() else super(LearnsExactly, self).merge(other)

    def _has_exact_sums(self) -> bool:
        """Whether the statistics are exact, or will be those of the first rows."""
        return "digits" in self.__dict__["summary_"] if "summary_" in self.__dict__ else exact_sums()

    def _unsound(self) -> str:
        return self._flaw_of_summary() if self._has_exact_sums() else super(LearnsExactly, self)._unsound()

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        certify(trace, self._estimate(summary.statistics, summary.dtype), "exact sums over the rows of each class")
