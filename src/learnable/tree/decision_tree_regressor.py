"""A tree that predicts numbers."""

from __future__ import annotations

from ..core import estimator
from ._tree_regressor import NumberTree


@estimator
class DecisionTreeRegressor(NumberTree):
    """Numbers predicted by the mean of a box, found by one question about one column after the other.

    choose j, t at each node to minimise    sum_left (y - mean_left)^2 + sum_right (y - mean_right)^2,   left: x_j <= t

    or the absolute deviations from medians, or the Poisson deviance. Thresholds lie half way between neighbouring
    numbers; missing values go where they help most. Columns are ranked once, and all orders are kept through the
    divisions: O(p n) a level, O(p n log n) for medians. With `splits="histogram"` thresholds lie between `max_bins`
    bins of a column, a byte each, and nothing is sorted. Grown to the end a tree fits noise: limit or prune it.
    [Breiman, Friedman, Olshen and Stone, 1984]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]
    >>> DecisionTreeRegressor(max_depth=1).fit(X, y).predict([[2.2]])
    array([6.])
    """

    reference = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984"
