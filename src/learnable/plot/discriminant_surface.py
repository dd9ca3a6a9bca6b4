"""Discriminants of classes as surfaces over the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array
from ..core.data import Door
from .style import BLUE, GREEN, GREY, ORANGE, RED, fitted_names

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@dataclass
class DiscriminantSurfaceDisplay:
    """One surface per class over two columns: its discriminant, or the probability of the class."""

    grid: tuple[Array, Array]
    heights: Array
    classes: Array
    names: list[str]
    what: str

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, what: Literal["discriminants", "probabilities"] = "discriminants",
        points: int = 40, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw what a fitted classifier says of the range of two columns `X`."""
        owner = "DiscriminantSurfaceDisplay"
        matrix, _ = Door(owner).matrix(X)
        if matrix.shape[1] != 2:
            raise ValueError(f"{owner}: the picture is of two columns, but X has {matrix.shape[1]}")
        low, high = matrix.min(axis=0), matrix.max(axis=0)
        across, up = np.meshgrid(*(np.linspace(low[j], high[j], points) for j in range(2)))
        rows = np.column_stack([across.ravel(), up.ravel()])
        if what == "probabilities":
            heights = estimator.predict_proba(rows)
        else:
            heights = np.asarray(estimator.decision_function(rows))
            heights = np.column_stack([-heights / 2, heights / 2]) if heights.ndim == 1 else heights
        shaped = heights.T.reshape(-1, *across.shape)
        return cls((across, up), shaped, estimator.classes_, fitted_names(estimator), what).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto the three-dimensional `ax`, or a new figure."""
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure(figsize=(5.6, 4.6), layout="constrained").add_subplot(projection="3d")
        self.ax_, self.figure_ = ax, ax.figure
        for k, height in enumerate(self.heights):
            colour = COLOURS[k % len(COLOURS)]
            self.ax_.plot_surface(*self.grid, height, color=colour, alpha=0.6, linewidth=0, label=str(self.classes[k]))
        self.ax_.set_xlabel(self.names[0])
        self.ax_.set_ylabel(self.names[1])
        self.ax_.set_zlabel(self.what.rstrip("s") if self.what == "discriminants" else "probability")
        return self
