"""Random forest for classification."""

from __future__ import annotations

from ..core import estimator, param
from ..tree._categorical_features import Splits
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from ._forest.forest_classifier import ForestClassifierBase


@estimator
class RandomForestClassifier(ForestClassifierBase):
    """Random forest classifier: trees grown on bootstrap samples, with a random subset of columns tried at each node.

    p_k(x) = mean over trees of the proportion of class k in the leaf of x

    The trees differ by their rows and columns, so that averaging reduces the variance; more trees do not overfit. The
    bootstrap sample of a tree does not depend on the order of the rows, and integer weights count copies. Columns are
    sorted once for all trees: O(B n m log^2 n) for B trees with m columns at a node. `oob_score` computes the
    out-of-bag score. `tree_features` draws columns per tree, `top_features` draws the split column among the best ones;
    `splits="histogram"` puts thresholds between bins of columns, which is faster.
    [Breiman, 2001]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> RandomForestClassifier(20, random_state=0).fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    splits: Splits = param("exact", "whether thresholds lie between any two values, or between histogram bins")
    max_bins: int = param(255, "maximum number of bins of a numeric column", between=(2, 65535))

    title = "random forest classifier"
    reference = "Breiman, Random Forests, Machine Learning 45, 2001"

    @property
    def estimator_(self) -> DecisionTreeClassifier:
        """An unfitted tree with the parameters of the trees."""
        return DecisionTreeClassifier(**self._tree_parameters())
