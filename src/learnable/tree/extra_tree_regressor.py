"""Extremely randomised tree for regression."""

from __future__ import annotations

from typing import Literal

from ..core import Traits, estimator, param
from ._tree_base import MaxFeatures
from ._tree_regressor import TreeRegressorBase


@estimator
class ExtraTreeRegressor(TreeRegressorBase):
    """Extra tree regressor (extremely randomised): the best of one random threshold for each column tried.

    choose j at each node to minimise the squared errors of both sides,   left: x_j <= t_j, t_j drawn at random

    Nothing is sorted, so a level costs O(p n). A single extra tree has a high variance; it is used in ensembles.
    [Geurts, Ernst and Wehenkel, 2006]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> ExtraTreeRegressor(random_state=0).fit(X, y).predict([[0.0], [3.0]])
    array([1., 5.])
    """

    splitter: Literal["random", "best"] = param(
        "random", "whether to choose the best threshold of a column, or a random one"
    )
    max_features: MaxFeatures = param(1.0, "columns tried at each node: number, fraction or rule", above=0)

    traits = Traits(stochastic=True)
    title = "extra tree regressor"
    reference = "Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63, 2006"
