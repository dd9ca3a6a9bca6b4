"""Empirical covariance."""

from __future__ import annotations

from ..core import Data, Trace, estimator
from ._covariance_base import StoresPrecision
from ._moments import scatter_of, warn_of_one_row


@estimator
class EmpiricalCovariance(StoresPrecision):
    """Empirical covariance: the maximum likelihood covariance of the rows.

    S = sum_i w_i (x_i - m)(x_i - m)' / sum_i w_i

    It is divided by the number of rows n, not n - 1. With fewer rows than columns it is singular, and the precision is
    the pseudo-inverse: shrink it then (`LedoitWolf`, `OAS`) or let the precision be sparse (`GraphicalLasso`).
    [Anderson, 2003]

    >>> EmpiricalCovariance().fit([[0.0, 0.0], [2.0, 2.0], [1.0, 4.0]]).covariance_.round(3)
    array([[0.667, 0.667],
           [0.667, 2.667]])
    """

    title = "empirical covariance"
    reference = "Anderson, An introduction to multivariate statistical analysis, chapter 3, 2003"

    def _fit(self, data: Data, trace: Trace) -> None:
        warn_of_one_row(data.X)
        self._store(data.X, *scatter_of(data.X, data.weight, self.assume_centered))
        trace.exact("mean and covariance of the rows, computed directly")
