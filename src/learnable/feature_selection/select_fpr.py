"""Columns that pass a test each."""

from __future__ import annotations

import numpy as np

from ..core import Array, estimator, param
from ._univariate_base import UnivariateSelector


@estimator
class SelectFpr(UnivariateSelector):
    """Univariate feature selection that controls the false positive rate of each test.

    choose the columns j with p_j < alpha

    Of columns without any meaning, a share of alpha gets through.

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> SelectFpr(alpha=0.05).fit(X, y).get_support()
    array([ True, False])
    """

    title = "false positive rate"

    alpha: float = param(5e-2, "significance level of each test (false positive rate)", between=(0, 1))

    def _support(self) -> Array:
        return np.asarray(self.pvalues_) < self.alpha
