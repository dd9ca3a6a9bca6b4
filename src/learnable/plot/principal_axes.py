"""Rows with their principal axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, named_columns, plain


@dataclass
class PrincipalAxesDisplay(ChecksSparse):
    """Principal axes in two columns: rows, and arrows of two standard deviations along each component."""

    X: Array
    mean: Array
    axes: Array
    names: list[str]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None) -> Self:
        """Draw the components of a fitted model with `explained_variance_`, of two columns."""
        check_learned("PrincipalAxesDisplay", estimator, "components_", "explained_variance_")
        matrix, names = named_columns("PrincipalAxesDisplay", X, None)
        if matrix.shape[1] != 2:
            raise DataError(f"PrincipalAxesDisplay: the plot needs two columns, but X has {matrix.shape[1]}")
        axes = estimator.components_ * np.sqrt(estimator.explained_variance_)[:, None]
        return cls(matrix, estimator.mean_, axes, names).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.0, 4.4)))
        self.figure_ = self.ax_.figure
        self.ax_.plot(*self.X.T, ".", color=BLUE, markersize=4, alpha=0.6)
        for k, axis in enumerate(self.axes):
            end = self.mean + 2 * axis
            self.ax_.update_datalim([end])  # beyond the limits an arrow would not be drawn at all
            self.ax_.annotate("", end, self.mean, arrowprops={"arrowstyle": "->", "color": ORANGE, "linewidth": 2})
            self.ax_.annotate(f" {k + 1}", end, color=ORANGE, fontsize=10)
        self.ax_.set_aspect("equal", adjustable="datalim")
        self.ax_.set(xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1]))
        self.ax_.set_title("arrows: two standard deviations", fontsize=9, loc="left", color=GREY)
        return self
