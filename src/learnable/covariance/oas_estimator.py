"""Oracle approximating shrinkage of a covariance."""

from __future__ import annotations

from ..core import Data, Trace, estimator, learned
from ._covariance_base import StoresPrecision
from ._moments import warn_of_one_row
from ._shrinkage import oas_of


@estimator
class OAS(StoresPrecision):
    """Oracle approximating shrinkage (OAS) covariance: the optimal shrinkage for normal rows.

    C = (1 - s) S + s tr(S)/p I,    s = min(1, (tr(S^2) + tr(S)^2) / ((n + 1) (tr(S^2) - tr(S)^2 / p)))

    For normally distributed rows its expected squared error is below that of `LedoitWolf` where rows are few.
    [Chen, Wiesel, Eldar and Hero, 2010]

    >>> model = OAS().fit([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0], [-3.0, -1.0]])
    >>> round(model.shrinkage_, 3)
    0.821
    """

    shrinkage_: float = learned("weight of the identity", least=0)

    title = "oracle approximating shrinkage"
    reference = "Chen, Wiesel, Eldar and Hero, Shrinkage algorithms for MMSE covariance estimation, 2010"

    def _fit(self, data: Data, trace: Trace) -> None:
        warn_of_one_row(data.X)
        location, covariance, self.shrinkage_ = oas_of(data.X, data.weight, self.assume_centered)
        self._store(data.X, location, covariance)
        trace.exact("covariance and shrinkage, both computed directly")
