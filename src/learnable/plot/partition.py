"""Partition of the plane by a tree of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..engines.trees.split_conditions import Range
from ..parts.literal_text import literal_text
from ..parts.palette import ORANGE, class_colour, tint
from ._style import axes_or_new, check_learned, fitted_names, plain


@dataclass
class PartitionDisplay(ChecksSparse):
    """Partition of the plane by a decision tree.

    `boxes` has left, right, bottom and top of each leaf, `value` its prediction.

    A deeper split is drawn thinner, so that the order of the splits is visible.
    """

    boxes: Array
    value: Array
    cuts: list[tuple[int, float, float, float, int]]
    rows: tuple[Array, Array] | None = None
    classes: Array | None = None
    names: tuple[str, str] = ("x0", "x1")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, max_depth: int | None = None, ax: Any = None
    ) -> Self:
        """Cut the plane around the rows of `X`, which has two columns; only the first `max_depth` levels, if given.

        Rows are drawn in the colours of their classes, or in shades of their numbers, if there is a `y`.
        """
        check_learned("PartitionDisplay", estimator, "tree_")
        _check_boxes(estimator)
        matrix, _ = FeatureValidator("PartitionDisplay", missing="native").matrix(X)
        if matrix.shape[1] != 2:
            raise ValueError(f"PartitionDisplay: X must have two columns, one for each axis; got {matrix.shape[1]}")
        low, high = np.nanmin(matrix, axis=0), np.nanmax(matrix, axis=0)
        room = 0.05 * np.where(high > low, high - low, 1.0)
        cutting = _Cutting(estimator.tree_, max_depth)
        cutting.cut([low[0] - room[0], high[0] + room[0], low[1] - room[1], high[1] + room[1]])
        classes = getattr(estimator, "classes_", None)
        value = estimator.tree_.value[cutting.ends, 0]
        rows = None if y is None else (matrix, np.asarray(y))
        names = fitted_names(estimator)
        return cls(np.array(cutting.boxes), value, cutting.cuts, rows, classes, (names[0], names[1])).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        from matplotlib.patches import Rectangle

        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        for (left, right, bottom, top), colour in zip(self.boxes, self._colours(), strict=True):
            self.ax_.add_patch(Rectangle((left, bottom), right - left, top - bottom, color=colour, linewidth=0))
        for axis, at, start, end, depth in self.cuts:
            line = ([at, at], [start, end]) if axis == 0 else ([start, end], [at, at])
            self.ax_.plot(*line, color="#111827", linewidth=max(2.2 - 0.45 * depth, 0.6), solid_capstyle="butt")
        if self.rows is not None:
            self._points(*self.rows)
        ends = self.boxes[:, 0].min(), self.boxes[:, 1].max(), self.boxes[:, 2].min(), self.boxes[:, 3].max()
        self.ax_.set(
            xlim=ends[:2], ylim=ends[2:], xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1])
        )
        return self

    def _colours(self) -> list[str]:
        if self.classes is not None:
            return [tint(class_colour(int(np.argmax(share))), 0.12 + 0.28 * float(share.max())) for share in self.value]
        return [tint(ORANGE, 0.08 + 0.6 * float(height)) for height in self._heights(self.value[:, 0])]

    def _heights(self, numbers: Array) -> Array:
        """Numbers between zero and one, where the leaves have the least and the greatest."""
        least, reach = self.value.min(), float(np.ptp(self.value)) or 1.0
        return np.asarray(np.clip((numbers - least) / reach, 0, 1))

    def _points(self, matrix: Array, y: Array) -> None:
        """The rows, each in the colour that a leaf of its own would have."""
        style = {"markersize": 5, "markeredgecolor": "white", "markeredgewidth": 0.4}
        if self.classes is None:
            shades = [tint(ORANGE, 0.08 + 0.9 * float(height)) for height in self._heights(y)]
            self.ax_.scatter(*matrix.T, c=shades, s=16, edgecolors="#6b7280", linewidths=0.4, zorder=3)
            return
        for k, label in enumerate(self.classes):
            self.ax_.plot(
                *matrix[y == label].T, "o", color=class_colour(k), label=literal_text(label, legend=True), **style
            )


class _Cutting:
    """Boxes cut in two from the first node down."""

    def __init__(self, tree: Any, max_depth: int | None) -> None:
        self.tree, self.max_depth = tree, max_depth
        self.boxes: list[list[float]] = []
        self.ends: list[int] = []
        self.cuts: list[tuple[int, float, float, float, int]] = []

    def cut(self, whole: list[float]) -> None:
        """The whole, cut as the tree divides it."""
        waiting = [(0, whole, 0)]
        while waiting:
            node, box, depth = waiting.pop()
            branches = self.tree.branches(node)
            if not branches or (self.max_depth is not None and depth >= self.max_depth):
                self.boxes.append(box)
                self.ends.append(node)
                continue
            axis, at = branches[0][1].column, float(branches[0][1].high)
            self.cuts.append((axis, at, box[2 - 2 * axis], box[3 - 2 * axis], depth))
            for place, (child, _) in zip((2 * axis + 1, 2 * axis), branches, strict=True):
                part = list(box)
                part[place] = at
                waiting.append((child, part, depth + 1))


def _check_boxes(model: Any) -> None:
    """Refuse a tree whose leaves are not boxes, or have more than one prediction."""
    kind = type(model).__name__
    requested = [branch for node in range(model.tree_.node_count) for _, branch in model.tree_.branches(node)[:1]]
    if not all(isinstance(branch, Range) for branch in requested):
        raise ValueError(
            f"PartitionDisplay: this {kind} splits on sums of columns or on categories, so its leaves are not boxes; "
            "use DecisionBoundaryDisplay or plot_tree"
        )
    if model.tree_.value.shape[1] > 1:
        raise ValueError(f"PartitionDisplay: this {kind} has several targets; fit a tree for the one to be drawn")
