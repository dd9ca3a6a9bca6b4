"""Elastic net with cross-validation."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor_cv import ElasticNetCVBase, SingleTargetCV


@estimator
class ElasticNetCV(ElasticNetCVBase, SingleTargetCV):
    """Elastic net with cross-validation of alpha and l1_ratio.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    Several values of l1_ratio may be given: each has its own grid of alphas. One warm-started path per l1_ratio and
    fold, to a certified duality gap at every alpha. [Zou and Hastie, 2005]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> model = ElasticNetCV(l1_ratio=[0.1, 0.9], alphas=[1.0, 0.01], cv=3).fit(X, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    >>> model.alpha_, model.l1_ratio_
    (0.01, 0.9)
    """

    title = "elastic net with cross-validation"
    reference = "Zou and Hastie, Regularization and variable selection via the elastic net, JRSS B 67, 2005"
