"""The rows of a logistic model of two classes, in one compiled pass."""

from __future__ import annotations

from dataclasses import dataclass

from ....core.runtime.native import kernels
from ....core.validate.features import Array
from ..row_losses import Terms

PERFECT = 1e-6
"""Root mean square of the row gradients, each at most one, below which the fit is perfect."""


@dataclass(frozen=True, slots=True)
class LogisticRows:
    """The mean of log(1 + e^z) - y z, weighted by `row_weight`, for y in [0, 1]; `offset` is added to the scores."""

    y: Array
    row_weight: Array
    offset: Array | None = None

    def terms(self, z: Array) -> Terms:
        """Value, gradient and curvature of the mean loss."""
        moved = z if self.offset is None else z + self.offset
        return Terms(*kernels.logistic_terms(moved, self.y, self.row_weight), noise_floor=PERFECT)
