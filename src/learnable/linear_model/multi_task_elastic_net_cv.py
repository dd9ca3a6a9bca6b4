"""Multi-task elastic net with cross-validation."""

from __future__ import annotations

from ..core import estimator
from ._penalised.penalised_regressor_cv import ElasticNetCVBase, MultiTaskCV


@estimator
class MultiTaskElasticNetCV(ElasticNetCVBase, MultiTaskCV):
    """Multi-task elastic net with cross-validation of alpha and l1_ratio.

    minimise over W, b    sum_i s_i |y_i - x_i W - b|^2 / 2  +  alpha (l1_ratio sum_j |W_j| + (1 - l1_ratio) |W|^2 / 2)

    One warm-started path per l1_ratio and fold, to a certified duality gap at every alpha.
    [Yuan and Lin, 2006; Zou and Hastie, 2005]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> Y = [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [7.0, 3.0], [9.0, 4.0], [11.0, 5.0]]
    >>> MultiTaskElasticNetCV(alphas=[1.0, 0.01], cv=3).fit(X, Y).alpha_
    0.01
    """

    title = "multi-task elastic net with cross-validation"
    reference = "Yuan and Lin, Model selection and estimation in regression with grouped variables, JRSS B 68, 2006"
