"""Class-conditional histograms of each column."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from ..core import Array, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text, literal_texts
from ._style import BLUE, GREEN, GREY, ORANGE, RED, named_columns, plain

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@dataclass
class ClassHistogramDisplay(ChecksSparse):
    """Histograms of each column by class, on common bins."""

    names: list[str]
    classes: Array
    edges: list[Array]
    shares: list[Array]

    @classmethod
    def from_data(
        cls, X: Any, y: Any, *, columns: Any = None, bins: int = 30, names: Any = None, draw: bool = True
    ) -> Self:
        """Draw the columns of `X`, or those of the names or numbers `columns`; missing values are in no bin."""
        owner = "ClassHistogramDisplay"
        matrix, every = named_columns(owner, X, names, missing="native")
        classes, codes = FeatureValidator(owner).classes(y, len(matrix))
        chosen = range(matrix.shape[1]) if columns is None else [_place(owner, column, every) for column in columns]
        edges, shares = [], []
        for j in chosen:
            there = ~np.isnan(matrix[:, j])
            limits = np.histogram_bin_edges(matrix[there, j], bins)
            counts = [np.histogram(matrix[there & (codes == k), j], limits)[0] for k in range(len(classes))]
            edges.append(limits)
            shares.append(np.array([count / max(count.sum(), 1) for count in counts]))
        display = cls([every[j] for j in chosen], classes, edges, shares)
        return display.plot() if draw else display

    def plot(self, *, across: int = 4) -> Self:
        """Draw a small histogram for each column, `across` in a row, on a new figure."""
        from matplotlib import pyplot

        labels = literal_texts(self.classes, legend=True)
        down = -(-len(self.names) // across)
        wide = min(across, len(self.names))
        size = (2.4 * wide, 1.9 * down + 0.3)
        self.figure_, self.axes_ = pyplot.subplots(down, wide, figsize=size, layout="constrained", squeeze=False)
        for ax, name, edges, shares in zip(self.axes_.flat, self.names, self.edges, self.shares, strict=False):
            plain(ax)
            for k, share in enumerate(shares):
                ax.stairs(share, edges, fill=True, alpha=0.45, color=COLOURS[k % len(COLOURS)], label=labels[k])
            ax.set_title(literal_text(name), fontsize="small")
            ax.set_yticks([])
            ax.tick_params(labelsize="x-small")
        for ax in self.axes_.flat[len(self.names) :]:
            ax.set_visible(False)
        handles, labels = self.axes_[0, 0].get_legend_handles_labels()
        self.figure_.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small")
        return self


def _place(owner: str, column: Any, names: list[str]) -> int:
    """The index of a column given by index or name."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, Integral) and -len(names) <= int(column) < len(names):
        return int(column)
    raise ParameterError(f"{owner}: columns must be names or numbers of columns of X; got {column!r:.60}")
