"""A forest of trees on drawn rows that predicts numbers."""

from __future__ import annotations

from ..core import estimator, param
from ..tree._categorical_features import Splits
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ._forest.forest_regressor import NumberForest


@estimator
class RandomForestRegressor(NumberForest):
    """Numbers predicted by the mean of many trees, each grown on rows drawn with replacement.

    f(x) = mean over trees of the mean target in the leaf of x

    With `max_features=1.0` every node tries all columns, which is bagging; a third of them is the usual choice for more
    different trees. The sample of a tree does not depend on the order of the rows, and a weight counts copies. Columns
    are ranked once for all trees. `oob_score` judges each row by the trees that did not see it, and
    `predict_quantiles` tells how far targets spread; `splits="histogram"` looks between bins of
    columns, which is faster. [Breiman, 2001]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> RandomForestRegressor(50, random_state=0).fit(X, y).predict([[0.0], [3.0]]).round(1)
    array([1.2, 4.8])
    """

    splits: Splits = param("exact", "whether numbers are told apart one by one, or only by the bins of histograms")
    max_bins: int = param(255, "most bins of a column of numbers", between=(2, 65535))

    reference = "Breiman, Random Forests, Machine Learning 45, 2001"

    @property
    def estimator_(self) -> DecisionTreeRegressor:
        """A tree that has not grown, with the parameters of all trees."""
        return DecisionTreeRegressor(**self._tree_parameters())
