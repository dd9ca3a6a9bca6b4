"""Shrunk covariance."""

from __future__ import annotations

from ..core import Data, Trace, estimator, param
from ..engines.algebra.covariances import shrunk
from ._covariance_base import StoresPrecision
from ._moments import scatter_of, warn_of_one_row


@estimator
class ShrunkCovariance(StoresPrecision):
    """Shrunk covariance: a blend of the empirical covariance with a multiple of the identity.

    C = (1 - s) S + s tr(S)/p I

    A ridge on the eigenvalues: the larger the shrinkage s, the closer are they to their mean. [Ledoit and Wolf, 2004]

    >>> ShrunkCovariance(shrinkage=0.5).fit([[1.0, 1.0], [-1.0, -1.0]]).covariance_
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    shrinkage: float = param(
        0.1, "weight of the identity", between=(0, 1), tune=(0.01, 0.03, 0.1, 0.3), simpler="larger"
    )

    title = "shrunk covariance"
    reference = "Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance matrices, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        warn_of_one_row(data.X)
        location, covariance = scatter_of(data.X, data.weight, self.assume_centered)
        self._store(data.X, location, shrunk(covariance, self.shrinkage))
        trace.exact("the covariance of the rows, shrunk by the given weight")
