"""Columns among which few are false discoveries."""

from __future__ import annotations

import numpy as np

from ..core import Array, estimator, param
from ._univariate_base import UnivariateSelector, cut_fdr


@estimator
class SelectFdr(UnivariateSelector):
    """Univariate feature selection that controls the false discovery rate.

    choose the columns j with p_j <= max {p_(i) : p_(i) <= alpha i / m},    p_(1) <= ... <= p_(m)

    The step-up rule; valid for independent tests. [Benjamini and Hochberg, 1995]

    >>> X, y = [[1.0, 5.0], [2.0, 4.0], [9.0, 4.0], [8.0, 5.0]], [0, 0, 1, 1]
    >>> SelectFdr(alpha=0.05).fit(X, y).get_support()
    array([ True, False])
    """

    title = "false discovery rate"

    alpha: float = param(5e-2, "maximum expected false discovery rate", between=(0, 1))

    def _support(self) -> Array:
        return cut_fdr(np.asarray(self.pvalues_), self.alpha)
