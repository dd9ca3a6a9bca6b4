"""Decision tree for regression."""

from __future__ import annotations

from ..core import estimator
from ._tree_regressor import TreeRegressorBase


@estimator
class DecisionTreeRegressor(TreeRegressorBase):
    """Decision tree regressor: recursive binary splits of one column each (CART), with a constant in each leaf.

    choose j, t at each node to minimise    sum_left (y - mean_left)^2 + sum_right (y - mean_right)^2,   left: x_j <= t

    or the absolute deviations from medians, or the Poisson deviance. Thresholds are midpoints between neighbouring
    values; missing values go to the side that reduces the loss most. Columns are sorted once, and the order is kept
    through the splits: O(p n) per level, O(p n log n) for medians. With `splits="histogram"` thresholds lie between
    `max_bins` bins of a column, a byte each, and nothing is sorted. A fully grown tree overfits: limit or prune it.
    [Breiman, Friedman, Olshen and Stone, 1984]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]
    >>> DecisionTreeRegressor(max_depth=1).fit(X, y).predict([[2.2]])
    array([6.])
    """

    title = "decision tree regressor"
    reference = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984"
