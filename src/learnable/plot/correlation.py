"""Heat map of correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..inference import correlation_matrix
from ..parts.literal_text import literal_texts
from ._style import axes_or_new, inches_beyond, named_columns

RISE = 0.71  # the height of names that are written upwards at 45 degrees, over their length
MAX_NUMBERED = 15  # columns; numbers of more would overlap


@dataclass
class CorrelationDisplay(ChecksSparse):
    """Correlation matrix as a heat map, with numbers if the columns are few.

    A constant column has no correlation: its row and column are NaN and blank.

    >>> CorrelationDisplay.from_data([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9]]).correlation.round(2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    correlation: Array
    names: list[str]

    @classmethod
    def from_data(cls, X: Any, *, names: Any = None, ax: Any = None, draw: bool = True) -> Self:
        """Compute and draw the correlations of the columns of `X`."""
        matrix, columns = named_columns("CorrelationDisplay", X, names)
        display = cls(correlation_matrix(matrix), columns)
        return display.plot(ax=ax) if draw else display

    def plot(self, *, ax: Any = None, digits: int = 2) -> Self:
        """Draw onto `ax`, or a new figure."""
        count = len(self.names)
        side = max(4.0, (0.55 if count <= MAX_NUMBERED else 0.25) * count + 1.5)
        beside = inches_beyond(self.names, 1.0)
        self.ax_ = axes_or_new(ax, (side * 1.15 + beside, side + beside * RISE))
        if ax is None:
            self.ax_.figure.set_layout_engine("compressed")  # the constrained one cuts labels of square axes off
        image = self.ax_.imshow(self.correlation, vmin=-1, vmax=1, cmap="RdBu_r")
        self.figure_ = self.ax_.figure
        self.figure_.colorbar(image, ax=self.ax_, shrink=0.8, label="correlation")
        self.ax_.set_xticks(range(count), literal_texts(self.names), rotation=45, ha="right")
        self.ax_.set_yticks(range(count), literal_texts(self.names))
        still = [name for name, value in zip(self.names, self.correlation.diagonal(), strict=True) if np.isnan(value)]
        if still:
            self.ax_.set_xlabel(
                f"blank, as {'it does' if len(still) == 1 else 'they do'} not vary: {', '.join(literal_texts(still))}"
            )
        if count <= MAX_NUMBERED:
            self._write(digits)
        return self

    def _write(self, digits: int) -> None:
        for i, j in np.argwhere(~np.isnan(self.correlation)):
            value = self.correlation[i, j]
            colour = "white" if abs(value) > 0.6 else "black"
            self.ax_.text(j, i, f"{value:.{digits}f}", ha="center", va="center", color=colour, fontsize=7)
