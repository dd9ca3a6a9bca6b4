"""Scatter-plot matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, target_kind
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_lines, literal_text
from ._style import BLUE, GREEN, GREY, ORANGE, RED, named_columns, plain

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)
LETTERS = 20  # of a line of a name, as wide as a small plot
MAX_CLASSES = 10  # of whole numbers; more are amounts


@dataclass
class PairDisplay(ChecksSparse):
    """Scatter plots of all pairs of columns, histograms on the diagonal.

    Classes in `y` give the colours; numbers in `y`, fractions or more than ten different ones, are one more column.
    """

    matrix: Array
    names: list[str]
    classes: Array | None = None

    @classmethod
    def from_data(cls, X: Any, y: Any = None, *, names: Any = None, most_rows: int = 2000) -> Self:
        """Draw the columns of `X`; of more than `most_rows` rows, evenly spaced ones."""
        matrix, columns = named_columns("PairDisplay", X, names)
        shown = np.unique(np.linspace(0, len(matrix) - 1, min(most_rows, len(matrix))).astype(int))
        if y is None:
            return cls(matrix[shown], columns).plot()
        target = np.asarray(y)[shown]
        if target.dtype.kind in "fiu" and (target_kind(y) == "regression" or len(np.unique(target)) > MAX_CLASSES):
            named = str(getattr(y, "name", None) or "target")
            return cls(np.column_stack([matrix[shown], target]), [*columns, named]).plot()
        return cls(matrix[shown], columns, target).plot()

    def plot(self) -> Self:
        """Draw a new figure with one small plot per pair."""
        from matplotlib import pyplot
        from matplotlib.lines import Line2D

        count = len(self.names)
        self.figure_, self.axes_ = pyplot.subplots(
            count, count, figsize=(1.7 * count, 1.7 * count), squeeze=False, layout="constrained"
        )
        for i, j in np.ndindex(count, count):
            ax = plain(self.axes_[i, j])
            for rows, colour, _ in self._groups():
                if i == j:
                    ax.hist(self.matrix[rows, j], bins=20, color=colour, alpha=0.7)
                else:
                    ax.plot(self.matrix[rows, j], self.matrix[rows, i], ".", color=colour, markersize=2, alpha=0.5)
            ax.tick_params(labelsize=6)
            if i == count - 1:
                ax.set_xlabel(literal_lines(self.names[j], LETTERS), fontsize=8)
            if j == 0:
                ax.set_ylabel(literal_lines(self.names[i], LETTERS), fontsize=8)
        if self.classes is not None:
            handles = [Line2D([], [], marker="o", linestyle="", color=c, label=label) for _, c, label in self._groups()]
            self.figure_.legend(handles=handles, loc="outside upper right", ncols=len(handles))
        return self

    def _groups(self) -> list[tuple[Array, str, str]]:
        if self.classes is None:
            return [(np.ones(len(self.matrix), dtype=bool), BLUE, "")]
        labels = np.unique(self.classes)
        return [
            (self.classes == label, COLOURS[k % len(COLOURS)], literal_text(label, legend=True))
            for k, label in enumerate(labels)
        ]
