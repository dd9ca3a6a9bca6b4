"""Columns found with little risk of even one false discovery."""

from __future__ import annotations

import numpy as np

from ..core import Array, estimator, param
from ._univariate_base import UnivariateSelector


@estimator
class SelectFwe(UnivariateSelector):
    """Univariate feature selection that controls the family-wise error rate.

    choose the columns j with p_j < alpha / m

    The probability of one false discovery or more is at most alpha. [Bonferroni, 1936]

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> SelectFwe(alpha=0.05).fit(X, y).get_support()
    array([ True, False])
    """

    title = "family-wise error rate"

    alpha: float = param(
        5e-2, "maximum probability of at least one false discovery (family-wise error rate)", between=(0, 1)
    )

    def _support(self) -> Array:
        p_values = np.asarray(self.pvalues_)
        return np.asarray(p_values < self.alpha / len(p_values))
