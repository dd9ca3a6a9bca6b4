"""Random forest for regression."""

from __future__ import annotations

from ..core import estimator, param
from ..tree._categorical_features import Splits
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ._forest.forest_regressor import ForestRegressorBase


@estimator
class RandomForestRegressor(ForestRegressorBase):
    """Random forest regressor: the mean of trees, each grown on a bootstrap sample.

    f(x) = mean over trees of the mean target in the leaf of x

    With `max_features=1.0` every node tries all columns, which is bagging; a third of them is the usual choice for less
    correlated trees. The bootstrap sample of a tree does not depend on the order of the rows, and integer weights count
    copies. Columns are sorted once for all trees. `oob_score` computes the out-of-bag score, and `predict_quantiles`
    conditional quantiles; `splits="histogram"` puts thresholds between bins of columns, which is faster.
    [Breiman, 2001]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> RandomForestRegressor(50, random_state=0).fit(X, y).predict([[0.0], [3.0]]).round(1)
    array([1.5, 4.8])
    """

    splits: Splits = param("exact", "whether thresholds lie between any two values, or between histogram bins")
    max_bins: int = param(255, "maximum number of bins of a numeric column", between=(2, 65535))

    title = "random forest regressor"
    reference = "Breiman, Random Forests, Machine Learning 45, 2001"

    @property
    def estimator_(self) -> DecisionTreeRegressor:
        """An unfitted tree with the parameters of the trees."""
        return DecisionTreeRegressor(**self._tree_parameters())
