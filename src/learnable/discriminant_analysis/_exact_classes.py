"""Discriminant analysis of exact sums: few rows of each class with the same mean and covariance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Classifier, Data, ParameterError, Trace
from ..engines.equivalent_rows import Equivalent
from ..engines.exact_learning import LearnsExactly
from ..engines.exact_summary import ExactSummary
from ..engines.passes import TrainingRows


class FitsClassProducts(LearnsExactly, Classifier):
    """Base class of classifiers that need no more of the rows of a class than their mean and covariance."""

    summary_kind = "class products"
    shrinkage: Any
    covariance_estimator: Any

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the result has the bits of one fit to all rows with exact sums.

        `classes` is accepted for compatibility: classes without rows are not part of the model.
        """
        return self._learn_more(X, y, sample_weight)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        self._fit_summary(self._exact_summary(rows), trace)

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        if self.shrinkage == "auto" or self.covariance_estimator is not None:
            raise ParameterError(
                f"{type(self).__name__}: the rows are needed to choose the shrinkage or to estimate the covariance; "
                "with exact sums and scans give shrinkage as a number, and no covariance_estimator"
            )
        count = summary.statistics.classes
        parts = [Equivalent.of(summary.statistics.moments(k).moments(), 0) for k in range(count)]
        X = np.concatenate([part.X + part.mean_x for part in parts]).astype(summary.dtype)
        codes = np.repeat(np.arange(count), [len(part.X) for part in parts])
        weight = np.concatenate([part.weight for part in parts])
        self._fit(Data(X, codes, weight, summary.like().names), trace)
