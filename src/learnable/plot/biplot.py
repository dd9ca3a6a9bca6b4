"""Biplot: scores of the rows and loadings of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ._style import BLUE, ORANGE, axes_or_new, check_learned, fitted_names, lines_apart, plain, points_of


@dataclass
class BiplotDisplay(ChecksSparse):
    """Biplot: scores of the rows on two components, and an arrow for the loadings of each column."""

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
        """Draw onto `ax`, or a new figure; arrows are scaled to the scores."""
        self.ax_ = plain(axes_or_new(ax, (5.6, 4.8)))
        self.figure_ = self.ax_.figure
        if self.colours is None:
            self.ax_.plot(*self.scores.T, ".", color=BLUE, markersize=4, alpha=0.6)
        else:
            self.ax_.scatter(*self.scores.T, c=self.colours, cmap="viridis", s=9, alpha=0.7)
        stretch = 0.8 * np.abs(self.scores).max() / (np.abs(self.arrows).max() or 1.0)
        self._draw_columns(self.arrows * stretch)
        said = ["" if np.isnan(share) else f", {share:.0%} of the variance" for share in self.shares]
        self.ax_.set(xlabel=f"component 1{said[0]}", ylabel=f"component 2{said[1]}")
        return self

    def _draw_columns(self, tips: Array) -> None:
        """An arrow for each column and its name beside the tip, on the side that it points to."""
        from matplotlib.patheffects import withStroke

        self.ax_.update_datalim(1.06 * tips)
        self.ax_.autoscale_view()
        self._make_room(1.06 * tips[:, 0])
        for tip in tips:
            self.ax_.annotate("", tip, (0, 0), arrowprops={"arrowstyle": "->", "color": ORANGE})
        for side, points in (("right", tips[:, 0] < 0), ("left", tips[:, 0] >= 0)):
            heights = lines_apart(self.ax_, 1.06 * tips[points, 1], 8)
            for j, height in zip(np.flatnonzero(points), heights, strict=True):
                text = self.ax_.annotate(
                    literal_text(self.names[j]),
                    (1.06 * tips[j, 0], height),
                    color=ORANGE,
                    fontsize=8,
                    ha=side,
                    va="center",
                )
                text.set_path_effects([withStroke(linewidth=2, foreground="white")])

    def _make_room(self, ends: Array) -> None:
        """Widen the axes until names fit beside these ends of arrows, a letter being about 0.6 of its size wide."""
        widths = np.array([min(0.4, 0.6 * 8 * len(name) / points_of(self.ax_)[0]) for name in self.names])
        (low, high), left = self.ax_.get_xlim(), ends < 0
        for _ in range(30):
            reach = (high - low) * widths
            low = np.min(ends - reach, where=left, initial=low)
            high = np.max(ends + reach, where=~left, initial=high)
        self.ax_.set_xlim(low, high)
