"""A forest of trees of random thresholds that predicts numbers."""

from __future__ import annotations

from ..core import estimator, param
from ..tree.extra_tree_regressor import ExtraTreeRegressor
from ._forest.forest_regressor import NumberForest


@estimator
class ExtraTreesRegressor(NumberForest):
    """Numbers predicted by the mean of many trees whose thresholds are drawn at random.

    f(x) = mean over trees of the mean target in the leaf of x

    One threshold is drawn for each column tried, and the best divides. Trees see all rows and differ by their
    thresholds. Nothing is sorted, so a tree costs O(m n log n) with m columns at a node.
    [Geurts, Ernst and Wehenkel, 2006]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> ExtraTreesRegressor(50, random_state=0).fit(X, y).predict([[0.0], [3.0]])
    array([1., 5.])
    """

    bootstrap: bool = param(False, "whether each tree sees rows drawn with replacement, or all")

    splitter = "random"
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """A tree that has not grown, with the parameters of all trees."""
        return ExtraTreeRegressor(**self._tree_parameters())
