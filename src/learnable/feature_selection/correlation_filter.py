"""Columns that go with the target along a line."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Trace, Traits, estimator, learned, param
from ._selector_base import Selector, best
from .univariate_tests import r_regression


@estimator
class CorrelationFilter(Selector):
    """Correlation filter: select features by the size of their correlation with the target.

    choose the columns j with |r(x_j, y)| >= threshold, at most k of them, the largest

    A filter: one pass, no model. It sees straight lines only, and column by column.

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [3.0, 5.0], [4.0, 4.0]], [1.0, 2.0, 3.0, 4.0]
    >>> CorrelationFilter(threshold=0.5).fit(X, y).get_support()
    array([ True, False])
    """

    title = "correlation filter"
    traits = Traits(sparse=True, uses_target="always")

    threshold: float = param(0.1, "minimum absolute correlation", between=(0, 1))
    k: int | None = param(
        None,
        "maximum number of selected columns (None: all above the threshold)",
        at_least=1,
        tune=(1, 2, 5, 10, 20),
        simpler="smaller",
    )

    correlations_: Array = learned("correlation of each column with the target", shape="features")
    ranking_: Array = learned("rank of each column by absolute correlation", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.correlations_ = r_regression(data.X, data.y, sample_weight=data.weight)
        order = np.argsort(-np.abs(self.correlations_), kind="stable")
        self.ranking_ = np.empty(data.p, dtype=np.int64)
        self.ranking_[order] = np.arange(1, data.p + 1)
        trace.exact("the correlations of the training rows, computed directly")

    def _support(self) -> Array:
        mask = np.abs(self.correlations_) >= self.threshold
        return np.asarray(mask if self.k is None else mask & best(np.abs(self.correlations_), self.k))
