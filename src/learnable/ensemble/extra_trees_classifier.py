"""Extremely randomised trees for classification."""

from __future__ import annotations

from ..core import estimator, param
from ..tree.extra_tree_classifier import ExtraTreeClassifier
from ._forest.forest_classifier import ForestClassifierBase


@estimator
class ExtraTreesClassifier(ForestClassifierBase):
    """Extra trees classifier: an ensemble of extremely randomised trees, whose thresholds are drawn at random.

    p_k(x) = mean over trees of the proportion of class k in the leaf of x

    One threshold is drawn for each column tried, and the best of them splits the node. Every tree is grown on all rows;
    trees differ by their thresholds. Nothing is sorted, so a tree costs O(m n log n) with m columns at a node.
    [Geurts, Ernst and Wehenkel, 2006]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> ExtraTreesClassifier(20, random_state=0).fit(X, y).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    bootstrap: bool = param(False, "whether each tree is grown on a bootstrap sample, or on all rows")

    splitter = "random"
    title = "extra trees classifier"
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"

    @property
    def estimator_(self) -> ExtraTreeClassifier:
        """An unfitted tree with the parameters of the trees."""
        return ExtraTreeClassifier(**self._tree_parameters())
