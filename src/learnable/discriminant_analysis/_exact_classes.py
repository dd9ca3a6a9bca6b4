"""Discriminant analysis of exact sums: few rows of each class with the same mean and covariance."""

from __future__ import annotations

from typing import Any, Self

from ..core import ParameterError, Trace
from ..core.sklearn_api.conditional_methods import available_if
from ..engines.equivalent_rows import EquivalentRows
from ..engines.exact_learning import LearnsExactly, can_learn_more
from ..engines.exact_summary import ExactSummary
from ..engines.passes import TrainingRows, exact_sums
from ._discriminant_base import DiscriminantOnBlocks


class FitsClassProducts(LearnsExactly, DiscriminantOnBlocks):
    """Base class of classifiers that need no more of the rows of a class than their mean and covariance."""

    summary_kind = "class products"
    shrinkage: Any
    covariance_estimator: Any

    @available_if(can_learn_more)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the result has the bits of one fit to all rows with exact sums.

        `classes` is accepted for compatibility: classes without rows are not part of the model.
        """
        return self._learn_more(X, y, sample_weight)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if exact_sums():
            self._fit_summary(self._exact_summary(rows), trace)
        else:
            super()._fit_blocks(rows, trace)

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        if self.shrinkage == "auto" or self.covariance_estimator is not None:
            raise ParameterError(
                f"{type(self).__name__}: the rows are needed to choose the shrinkage or to estimate the covariance; "
                "with exact sums and scans give shrinkage as a number, and no covariance_estimator"
            )
        groups = {k: summary.statistics.moments(k).moments() for k in range(summary.statistics.classes)}
        self._fit(EquivalentRows.of_groups(groups, shifted=False).class_data(summary.like()), trace)
