"""Rows with their principal axes, and scores with the columns drawn in: a biplot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from .style import BLUE, GREY, ORANGE, axes_or_new, fitted_names, named_columns, plain


@dataclass
class PrincipalAxesDisplay:
    """Rows of two columns, and arrows from their mean of one standard deviation along each component."""

    X: Array
    mean: Array
    axes: Array
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None) -> Self:
        """Draw the components of a fitted model with `explained_variance_`, of two columns."""
        matrix, names = named_columns("PrincipalAxesDisplay", X, None)
        if matrix.shape[1] != 2:
            raise DataError(f"PrincipalAxesDisplay: the picture is of two columns, but X has {matrix.shape[1]}")
        axes = estimator.components_ * np.sqrt(estimator.explained_variance_)[:, None]
        return cls(matrix, estimator.mean_, axes, names).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.0, 4.4)))
        self.figure_ = self.ax_.figure
        self.ax_.plot(*self.X.T, ".", color=BLUE, markersize=4, alpha=0.6)
        for k, axis in enumerate(self.axes):
            end = self.mean + 2 * axis
            self.ax_.annotate("", end, self.mean, arrowprops={"arrowstyle": "->", "color": ORANGE, "linewidth": 2})
            self.ax_.annotate(f" {k + 1}", end, color=ORANGE, fontsize=10)
        self.ax_.set_aspect("equal", adjustable="datalim")
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_.set_title("arrows: two standard deviations", fontsize=9, loc="left", color=GREY)
        return self


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
