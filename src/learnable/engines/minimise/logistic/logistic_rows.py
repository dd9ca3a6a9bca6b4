"""The rows of a logistic model of two classes, in one compiled pass."""

from __future__ import annotations

from dataclasses import dataclass

from ....core.runtime.native import kernels
from ....core.validate.features import Array
from ..row_losses import Terms

PERFECT = 1e-6
"""Root mean square of the slopes, which are at most one, below which every row is predicted without doubt."""


@dataclass(frozen=True, slots=True)
class LogisticRows:
    """The mean of log(1 + e^z) - y z, weighted by `share`, for y between 0 and 1; `offset` is added to the scores."""

    y: Array
    share: Array
    offset: Array | None = None

    def terms(self, z: Array) -> Terms:
        """Value, slope and curvature of the mean loss."""
        moved = z if self.offset is None else z + self.offset
        return Terms(*kernels.logistic_terms(moved, self.y, self.share), least=PERFECT)
