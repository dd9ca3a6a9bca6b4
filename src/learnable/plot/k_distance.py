"""Distances to the k-th neighbour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..cluster import k_distances
from ..core import Array
from ._style import BLUE, ORANGE, axes_or_new, plain


@dataclass
class KDistanceDisplay:
    """k-distance plot.

    The distance of every row to its k-th neighbour, in descending order, and the knee that suggests eps of DBSCAN.

    >>> KDistanceDisplay([3.0, 1.0, 0.9], 4, 1.0).eps
    1.0
    """

    distances: Array | list[float]
    min_samples: int
    eps: float

    @classmethod
    def from_data(cls, X: Any, min_samples: int | None = None, *, metric: Any = "euclidean", ax: Any = None) -> Self:
        """Measure the rows of `X` and draw."""
        return cls(*k_distances(X, min_samples, metric)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.0, 3.6)))
        self.figure_ = self.ax_.figure
        self.line_ = self.ax_.plot(np.arange(1, len(self.distances) + 1), self.distances, color=BLUE)[0]
        self.bend_ = self.ax_.axhline(self.eps, color=ORANGE, linestyle="--", label=f"knee at {self.eps:.3g}")
        self.ax_.set(xlabel="rows, by descending distance", ylabel=f"distance to neighbour {self.min_samples - 1}")
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(frameon=False)
        return self
