"""Decision tree for classification."""

from __future__ import annotations

from ..core import estimator
from ._tree_classifier import TreeClassifierBase


@estimator
class DecisionTreeClassifier(TreeClassifierBase):
    """Decision tree classifier: recursive binary splits of one column each (CART).

    choose j, t at each node to minimise    W_left H(left) + W_right H(right),   left: x_j <= t

    with the impurity H = 1 - sum_k p_k^2 (gini) or -sum_k p_k log2 p_k (entropy), p_k the proportion of class k. The
    probabilities of a leaf are its class proportions. Thresholds are midpoints between neighbouring values; missing
    values go to the side that reduces the impurity most. Columns are sorted once, and the order is kept through the
    splits: O(p n) per level. With `splits="histogram"` thresholds lie between `max_bins` bins of a column, a byte each,
    and nothing is sorted. A fully grown tree overfits: limit or prune it. [Breiman, Friedman, Olshen and Stone, 1984]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"]
    >>> DecisionTreeClassifier().fit(X, y).predict([[2.2]])
    array(['b'], dtype='<U1')
    """

    title = "decision tree classifier"
    reference = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984"
