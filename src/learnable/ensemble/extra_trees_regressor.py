"""Extremely randomised trees for regression."""

from __future__ import annotations

from ..core import estimator, param
from ..tree.extra_tree_regressor import ExtraTreeRegressor
from ._forest.forest_regressor import ForestRegressorBase


@estimator
class ExtraTreesRegressor(ForestRegressorBase):
    """Extra trees regressor: the mean of extremely randomised trees, whose thresholds are drawn at random.

    f(x) = mean over trees of the mean target in the leaf of x

    One threshold is drawn for each column tried, and the best of them splits the node. Every tree is grown on all rows;
    trees differ by their thresholds. Nothing is sorted, so a tree costs O(m n log n) with m columns at a node.
    [Geurts, Ernst and Wehenkel, 2006]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> ExtraTreesRegressor(50, random_state=0).fit(X, y).predict([[0.0], [3.0]])
    array([1., 5.])
    """

    bootstrap: bool = param(False, "whether each tree is grown on a bootstrap sample, or on all rows")

    splitter = "random"
    title = "extra trees regressor"
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    @property
    def estimator_(self) -> ExtraTreeRegressor:
        """An unfitted tree with the parameters of the trees."""
        return ExtraTreeRegressor(**self._tree_parameters())
