"""A tree of random thresholds that tells classes apart."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._tree_base import MaxFeatures
from ._tree_classifier import ClassTree


@estimator
class ExtraTreeClassifier(ClassTree):
    """Classes told apart by thresholds drawn at random: one for each column tried, of which the best divides.

    choose j at each node to minimise    W_left H(left) + W_right H(right),   left: x_j <= t_j, t_j drawn at random

    No order is needed, so a level costs O(p n) without sorting. Alone it is a poor model; many of them average well.
    [Geurts, Ernst and Wehenkel, 2006]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> ExtraTreeClassifier(random_state=0).fit(X, y).predict([[0.0], [3.0]])
    array(['a', 'b'], dtype='<U1')
    """

    splitter: Literal["random", "best"] = param("random", "the best threshold of a column, or one at random")
    max_features: MaxFeatures = param(
        "sqrt", "columns tried at a node, drawn at random: number, share or rule", above=0
    )

    stochastic = True
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"
