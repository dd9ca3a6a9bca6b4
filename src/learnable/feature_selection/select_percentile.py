"""The best columns, by share."""

from __future__ import annotations

from ..core import Array, Data, Traits, estimator, param
from ._univariate_base import UnivariateSelector, cut_percentile


@estimator
class SelectPercentile(UnivariateSelector):
    """Univariate feature selection: the features in the highest percentile of scores.

    choose the columns with score_j above the (100 - percentile)th percentile of the scores

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> SelectPercentile(percentile=50).fit(X, y).get_support()
    array([ True, False])
    """

    title = "univariate feature selection"
    traits = Traits(uses_target="if given")

    percentile: int | float = param(
        10, "percentage of selected columns", between=(0, 100), tune=(5, 10, 25, 50, 100), simpler="smaller"
    )

    def _check_cut(self, data: Data) -> None:
        """Scores are enough."""

    def _support(self) -> Array:
        return cut_percentile(self.scores_, self.percentile)
