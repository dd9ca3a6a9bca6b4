"""A tree that tells classes apart."""

from __future__ import annotations

from ..core import estimator
from ._tree_classifier import ClassTree


@estimator
class DecisionTreeClassifier(ClassTree):
    """Classes told apart by one question about one column after the other.

    choose j, t at each node to minimise    W_left H(left) + W_right H(right),   left: x_j <= t

    with the impurity H = 1 - sum_k p_k^2 (gini) or -sum_k p_k log2 p_k (entropy), p_k the share of class k. A leaf
    answers with its shares. Thresholds lie half way between neighbouring numbers; missing values go where they help
    most. Columns are ranked once, and all orders are kept through the divisions: O(p n) a level. With
    `splits="histogram"` thresholds lie between `max_bins` bins of a column, a byte each, and nothing is sorted. Grown
    to the end a tree fits noise: limit or prune it. [Breiman, Friedman, Olshen and Stone, 1984]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "a"]
    >>> DecisionTreeClassifier().fit(X, y).predict([[2.2]])
    array(['b'], dtype='<U1')
    """

    reference = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984"
