"""Ledoit-Wolf covariance."""

from __future__ import annotations

from ..core import Data, Trace, estimator, learned, param
from ._covariance_base import StoresPrecision
from ._moments import warn_of_one_row
from ._shrinkage import ledoit_wolf_of


@estimator
class LedoitWolf(StoresPrecision):
    """Ledoit-Wolf covariance: shrinkage that minimises the expected squared error, estimated from the rows.

    C = (1 - s) S + s tr(S)/p I,    s = min(1, (E|x x' - S|^2 / n) / |S - tr(S)/p I|^2)

    Works with fewer rows than columns, without cross-validation; it depends on the units of the columns.
    [Ledoit and Wolf, 2004]

    >>> model = LedoitWolf().fit([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0], [-3.0, -1.0]])
    >>> round(model.shrinkage_, 3)
    0.355
    """

    block_size: int = param(1000, "accepted for compatibility; products are computed at once", at_least=1)
    shrinkage_: float = learned("weight of the identity", least=0)

    title = "Ledoit-Wolf covariance"
    reference = "Ledoit and Wolf, A well-conditioned estimator for large-dimensional covariance matrices, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        warn_of_one_row(data.X)
        location, covariance, self.shrinkage_ = ledoit_wolf_of(data.X, data.weight, self.assume_centered)
        self._store(data.X, location, covariance)
        trace.exact("covariance and shrinkage, both computed directly")
