"""The scheme of a learning system, and a typed table of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import DataError
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, ORANGE, axes_or_new

ROWS = 4  # of the table


@dataclass
class LearningSystemDisplay(ChecksSparse):
    """Scheme of a learning system: training data, learning algorithm, model, new data and predictions.

    The table shows the first rows of the training data with the type of each column and the target.
    """

    algorithm: str
    columns: list[tuple[str, str]]
    cells: list[list[str]]

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, names: Any = None, ax: Any = None) -> Self:
        """Draw the scheme for an estimator and its training data; columns of text are categories."""
        if not is_estimator(estimator):
            raise DataError(f"LearningSystemDisplay: an estimator is needed; got {estimator!r:.60}")
        table, target = np.asarray(X, dtype=object), np.asarray(y, dtype=object)
        if table.ndim != 2 or target.shape != (len(table),) or not len(table):
            raise DataError(f"LearningSystemDisplay: X and y must be rows and a target for each; got {table.shape}")
        known = getattr(X, "columns", None) if names is None else names
        labels = [str(name) for name in known] if known is not None else [f"x{j + 1}" for j in range(table.shape[1])]
        columns = [(label, _kind(table[:, j])) for j, label in enumerate(labels)] + [("y", _kind(target))]
        cells = [[_short(value) for value in (*table[i], target[i])] for i in range(min(ROWS, len(table)))]
        return cls(getattr(estimator, "title", "") or type(estimator).__name__, columns, cells).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = axes_or_new(ax, (8.0, 4.2))
        self.figure_ = self.ax_.figure
        boxes = {
            "training data": (0.12, 0.85, GREY), f"training system\n{self.algorithm}": (0.5, 0.85, BLUE),
            "model": (0.5, 0.55, ORANGE), "new data": (0.12, 0.55, GREY), "predictions": (0.88, 0.55, GREY),
        }  # fmt: skip
        self.boxes_ = [
            self.ax_.text(x, y, _lines(text), ha="center", va="center", fontsize=10,
                          bbox={"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": color})
            for text, (x, y, color) in boxes.items()
        ]  # fmt: skip
        ways = [((0.2, 0.85), (0.34, 0.85)), ((0.5, 0.77), (0.5, 0.61)), ((0.19, 0.55), (0.43, 0.55)),
                ((0.57, 0.55), (0.79, 0.55))]  # fmt: skip
        self.arrows_ = [
            self.ax_.annotate("", xy=end, xytext=begin, arrowprops={"arrowstyle": "->", "color": GREY})
            for begin, end in ways
        ]
        heads = [_lines(f"{name}\n({kind})") for name, kind in self.columns]
        self.table_ = self.ax_.table(
            [[literal_text(cell) for cell in row] for row in self.cells], colLabels=heads, bbox=(0.02, 0.0, 0.96, 0.42)
        )
        self.table_.auto_set_font_size(False)
        self.table_.set_fontsize(8)
        self.ax_.set(xlim=(0, 1), ylim=(0, 1))
        self.ax_.axis("off")
        return self


def _lines(text: str) -> str:
    """A text in two lines, taken literally."""
    return "\n".join(literal_text(line) for line in text.split("\n"))


def _kind(values: Any) -> str:
    """The type of a column: numbers, whole numbers, truth values or categories."""
    kind = np.asarray(values.tolist()).dtype.kind
    return {"f": "real", "i": "integer", "u": "integer", "b": "binary"}.get(kind, "categorical")


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
    return text if len(text) <= 14 else f"{text[:13]}."
