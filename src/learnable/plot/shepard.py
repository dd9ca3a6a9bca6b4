"""Shepard plot: distances of rows beside their distances in a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..metrics.distances import pairwise_distances
from ..parts.isotonic import rising_sequence
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, plain

MAX_ROWS = 400  # whose pairs are drawn


@dataclass
class ShepardDisplay(ChecksSparse):
    """Distances of pairs of rows beside those in a map, and their isotonic fit.

    Points on a straight line through zero: distances are kept. On a rising curve: their order is.
    """

    given: Array
    mapped: Array

    @classmethod
    def from_estimator(cls, estimator: Any, *, max_rows: int = MAX_ROWS, ax: Any = None) -> Self:
        """Draw distances of the training rows of a fitted embedding beside those of its map."""
        check_learned("ShepardDisplay", estimator, "embedding_", "faithfulness")
        rows, embedding, metric = estimator._compared_rows()
        return cls._of(rows, embedding, metric, max_rows).plot(ax=ax)

    @classmethod
    def from_embedding(
        cls, X: Any, X_embedded: Any, *, metric: Any = "euclidean", max_rows: int = MAX_ROWS, ax: Any = None
    ) -> Self:
        """Draw distances of the rows of `X` beside those of their coordinates."""
        return cls._of(np.asarray(X), np.asarray(X_embedded), metric, max_rows).plot(ax=ax)

    @classmethod
    def _of(cls, X: Any, embedding: Array, metric: Any, max_rows: int) -> Self:
        chosen = np.unique(np.linspace(0, len(embedding) - 1, min(max_rows, len(embedding))).astype(np.int64))
        pairs = np.triu_indices(len(chosen), 1)
        rows = X[chosen]
        if isinstance(metric, str) and metric == "precomputed":
            D = rows[:, chosen]
            D = D.toarray() if hasattr(D, "toarray") else D
        else:
            D = pairwise_distances(rows, metric=metric)
        found = pairwise_distances(np.asarray(embedding, dtype=np.float64)[chosen])
        return cls(np.asarray(D)[pairs], np.asarray(found)[pairs])

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.0, 4.2)))
        self.figure_ = self.ax_.figure
        size = float(np.clip(4000 / max(len(self.given), 1), 0.3, 6))
        self.ax_.scatter(self.given, self.mapped, s=size, color=BLUE, alpha=0.3, linewidths=0, rasterized=True)
        order = np.argsort(self.given, kind="stable")
        rising = rising_sequence(self.mapped[order], np.ones(len(order)))
        (self.line_,) = self.ax_.plot(self.given[order], rising, color=ORANGE, label="nearest rising function")
        square = float(self.given @ self.given)
        if square > 0:
            ratio = float(self.given @ self.mapped) / square
            self.ax_.axline((0, 0), (1, ratio), color=GREY, linewidth=0.8, label="proportional distances")
        self.ax_.set(xlabel="distance of the rows", ylabel="distance in the map")
        self.ax_.legend(frameon=False, fontsize="small", loc="upper left")
        return self
