"""Scores of rows with the columns drawn in: a biplot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from .style import BLUE, ORANGE, axes_or_new, check_learned, fitted_names, plain


@dataclass
class BiplotDisplay:
    """Scores of rows on two components, and an arrow for each column: how it lies in their plane."""

    scores: Array
    arrows: Array
    names: list[str]
    shares: Array
    colours: Array | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None) -> Self:
        """Draw the first two components of a fitted model; `y` colours the rows."""
        check_learned("BiplotDisplay", estimator, "components_")
        scores = np.asarray(estimator.transform(X))
        if scores.shape[1] < 2:
            raise DataError(f"BiplotDisplay: two components are needed, but the model has {scores.shape[1]}")
        shares = np.asarray(getattr(estimator, "explained_variance_ratio_", np.full(2, np.nan)))[:2]
        codes = None if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
        return cls(scores[:, :2], estimator.components_[:2].T, fitted_names(estimator), shares, codes).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; arrows are as long as fits the scores."""
        self.ax_ = plain(axes_or_new(ax, (5.6, 4.8)))
        self.figure_ = self.ax_.figure
        if self.colours is None:
            self.ax_.plot(*self.scores.T, ".", color=BLUE, markersize=4, alpha=0.6)
        else:
            self.ax_.scatter(*self.scores.T, c=self.colours, cmap="viridis", s=9, alpha=0.7)
        stretch = 0.8 * np.abs(self.scores).max() / (np.abs(self.arrows).max() or 1.0)
        for name, arrow in zip(self.names, self.arrows * stretch, strict=True):
            self.ax_.annotate("", arrow, (0, 0), arrowprops={"arrowstyle": "->", "color": ORANGE})
            self.ax_.annotate(name, 1.06 * arrow, color=ORANGE, fontsize=8, ha="center", va="center")
        said = ["" if np.isnan(share) else f", {share:.0%} of the variance" for share in self.shares]
        self.ax_.set(xlabel=f"component 1{said[0]}", ylabel=f"component 2{said[1]}")
        return self
