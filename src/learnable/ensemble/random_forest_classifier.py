"""A forest of trees on drawn rows that tells classes apart."""

from __future__ import annotations

from ..core import estimator, param
from ..tree._categorical_features import Splits
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._forest.forest_classifier import ClassForest


@estimator
class RandomForestClassifier(ClassForest):
    """Classes told apart by many trees, each grown on rows drawn with replacement, with a few columns tried at a node.

    p_k(x) = mean over trees of the share of class k in the leaf of x

    The trees differ by the rows they see and the columns they look at, so that their errors average out, whatever
    their number. The sample of a tree does not depend on the order of the rows, and a weight counts copies. Columns are
    ranked once for all trees: O(B n m log^2 n) for B trees with m columns at a node. `oob_score` judges each row by the
    trees that did not see it. `tree_features` gives each tree columns of its own, `top_features` draws the column that
    divides among the best ones; `splits="histogram"` looks between bins of columns, which is faster.
    [Breiman, 2001]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> RandomForestClassifier(20, random_state=0).fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    splits: Splits = param("exact", "whether numbers are told apart one by one, or only by the bins of histograms")
    max_bins: int = param(255, "most bins of a column of numbers", between=(2, 65535))

    reference = "Breiman, Random Forests, Machine Learning 45, 2001"

    @property
    def estimator_(self) -> DecisionTreeClassifier:
        """A tree that has not grown, with the parameters of all trees."""
        return DecisionTreeClassifier(**self._tree_parameters())
