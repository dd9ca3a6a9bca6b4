"""The units of a network and what connects them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ._style import BLUE, GREEN, GREY, ORANGE, axes_or_new, check_learned

MAX_UNITS = 12  # of a layer that are drawn


@dataclass
class NetworkDisplay:
    """Network diagram: a column of units for each layer, and a line for each weight, orange if it is negative."""

    matrices: list[Array]

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the dense layers of a fitted network."""
        if hasattr(estimator, "coefs_"):
            return cls(list(estimator.coefs_)).plot(ax=ax)
        check_learned("NetworkDisplay", estimator, "weights_")
        count = len(estimator.layers) + 1
        own = [one["weights"] for k in range(count) for one in estimator.layer_weights(k) if "weights" in one]
        if not own or any(matrix.ndim != 2 for matrix in own):
            raise DataError("NetworkDisplay: draws networks of dense layers; FilterDisplay shows convolutions")
        return cls(own).plot(ax=ax)

    @property
    def widths(self) -> list[int]:
        """The number of units of each layer, the inputs among them."""
        return [self.matrices[0].shape[0], *(matrix.shape[1] for matrix in self.matrices)]

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; of wide layers the first units."""
        widths = [min(width, MAX_UNITS) for width in self.widths]
        self.ax_ = axes_or_new(ax, (1.6 * len(widths), 0.45 * max(widths) + 1.2))
        self.figure_ = self.ax_.figure
        heights = [(width - 1) / 2 - np.arange(width) for width in widths]
        for depth, matrix in enumerate(self.matrices):
            largest = float(np.abs(matrix).max()) or 1.0
            for i, low in enumerate(heights[depth]):
                for j, high in enumerate(heights[depth + 1]):
                    weight = float(matrix[i, j]) / largest
                    self.ax_.plot(
                        [depth, depth + 1], [low, high], color=BLUE if weight > 0 else ORANGE, zorder=1,
                        linewidth=2.5 * abs(weight), alpha=0.7,
                    )  # fmt: skip
        for depth, (positions, width) in enumerate(zip(heights, self.widths, strict=True)):
            colour = GREEN if depth in (0, len(widths) - 1) else GREY
            self.ax_.scatter(
                [depth] * len(positions), positions, s=130, color="white", edgecolor=colour, linewidth=1.6, zorder=2
            )
            more = f"{width} units" if width > MAX_UNITS else f"{width}"
            self.ax_.annotate(more, (depth, positions[-1]), xytext=(0, -18), textcoords="offset points", ha="center")
        names = ["inputs", *(f"hidden {k}" for k in range(1, len(widths) - 1)), "outputs"]
        self.ax_.set_xticks(range(len(widths)), names)
        self.ax_.set_yticks([])
        self.ax_.margins(0.08, 0.15)
        self.ax_.spines[["top", "right", "left", "bottom"]].set_visible(False)
        self.ax_.tick_params(length=0)
        return self
