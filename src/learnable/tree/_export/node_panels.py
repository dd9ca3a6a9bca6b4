"""Panels of tree diagrams: class proportions of a node, and the rows on both sides of its split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.trees.split_conditions import Range
from ...parts.palette import BLUE, GREY, ORANGE, class_colour, tint
from .node_text import NodeText

Box = tuple[float, float, float, float]
BINS = 24


@dataclass(frozen=True)
class NodeRows:
    """Rows as the tree reads them, their targets (class indices in classification), and their decision path."""

    X: Array
    y: Array
    path: Any

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> NodeRows:
        """The rows of a table with their path through a tree."""
        matrix, classes = model._coded(model._read(X)), getattr(model, "classes_", None)
        if y is None:
            raise DataError("plot_tree: rows X are drawn with their targets; pass y too")
        if isinstance(classes, list) or (classes is None and model.tree_.value.shape[1] > 1):
            raise DataError("plot_tree: rows are drawn for single-output trees only; leave X and y out")
        if classes is None:
            target = model._validator.target(y, len(matrix), np.float64, True)
        else:
            target = _class_indices(model._validator.any_target(y, len(matrix), False), classes)
        return cls(matrix, target, model.decision_path(X).tocsc())

    def at(self, node: int) -> Array:
        """The rows that reach a node."""
        return np.asarray(self.path.indices[self.path.indptr[node] : self.path.indptr[node + 1]])


def _class_indices(labels: Array, classes: Array) -> Array:
    """The indices of labels among the classes of a tree."""
    index = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    unknown = np.flatnonzero(classes[index] != labels)
    if len(unknown):
        row = unknown[0]
        raise DataError(f"plot_tree: y holds {labels[row]!r} in row {row}, which is not a class of the tree")
    return np.asarray(index)


def bar(ax: Any, text: NodeText, node: int, left: float, bottom: float, wide: float, high: float) -> None:
    """A bar of the class proportions; or the value of a node as a mark between minimum and maximum."""
    from matplotlib.patches import Rectangle

    value = text.model.tree_.value
    if value.shape[1] > 1:
        return
    if hasattr(text.model, "classes_"):
        for k, proportion in enumerate(value[node, 0]):
            if proportion > 0:
                ax.add_patch(
                    Rectangle((left, bottom), wide * proportion, high, color=class_colour(k), linewidth=0, zorder=2)
                )
                left += wide * proportion
        return
    extent = float(np.ptp(value))
    spot = (value[node, 0, 0] - value.min()) / extent if extent > 0 else 0.5
    ax.add_patch(Rectangle((left, bottom), wide, high, color=tint(GREY, 0.25), linewidth=0, zorder=2))
    ax.add_patch(Rectangle((left + wide * spot - 0.025, bottom), 0.05, high, color=ORANGE, linewidth=0, zorder=2))


def has_panel(text: NodeText, node: int) -> bool:
    """Whether a node has a panel besides its bar: a split by a threshold, or a leaf of a regression tree."""
    branches, single = text.model.tree_.branches(node), text.model.tree_.value.shape[1] == 1
    if not branches:
        return single and not hasattr(text.model, "classes_")
    return single and isinstance(branches[0][1], Range)


def panel(ax: Any, text: NodeText, rows: NodeRows, node: int, box: Box) -> None:
    """The rows of a node along its split column; in a leaf of a regression tree, the distribution of the targets."""
    here, branches = rows.at(node), text.model.tree_.branches(node)
    if len(here) == 0:
        return
    inner = ax.inset_axes(box, transform=ax.transData)
    inner.set_facecolor("none")
    inner.spines[["top", "right", "left"]].set_visible(False)
    inner.spines["bottom"].set_color(GREY)
    inner.set_yticks([])
    inner.tick_params(labelsize=5, length=2, pad=1, colors=GREY)
    if not branches:
        _draw_targets(inner, rows.y[here], rows.y)
    else:
        _draw_split(inner, rows, here, branches[0][1], hasattr(text.model, "classes_"))


def _draw_split(inner: Any, rows: NodeRows, here: Array, cut: Range, has_classes: bool) -> None:
    column = rows.X[:, cut.column]
    values = column[here]
    known = ~np.isnan(values)
    low, high = np.nanmin(column), np.nanmax(column)
    if has_classes:
        edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
        floor = np.zeros(BINS)
        for k in range(int(rows.y.max()) + 1):
            counts = np.histogram(values[known & (rows.y[here] == k)], edges)[0].astype(float)
            inner.bar(edges[:-1], counts, np.diff(edges), floor, align="edge", color=class_colour(k), linewidth=0)
            floor += counts
    else:
        inner.plot(values[known], rows.y[here][known], ".", color=tint(BLUE, 0.5), markersize=2)
        for side, ends in ((values <= cut.high, (low, cut.high)), (values > cut.high, (cut.high, high))):
            if side.any():
                inner.hlines(rows.y[here][side].mean(), *ends, color=ORANGE, linewidth=1.4)
        inner.set_ylim(rows.y.min(), rows.y.max())
    inner.axvline(cut.high, color="#111827", linewidth=0.9, linestyle=(0, (3, 2)))
    inner.set_xlim(low, high if high > low else low + 1)
    inner.set_xticks([cut.high])
    inner.set_xticklabels([f"{cut.high:.3g}"])


def _draw_targets(inner: Any, y: Array, whole: Array) -> None:
    """The targets of a leaf as a strip plot, with their mean."""
    jitter = (np.arange(len(y)) * 0.618) % 1.0
    inner.plot(jitter, y, ".", color=tint(BLUE, 0.5), markersize=2)
    inner.hlines(y.mean(), 0, 1, color=ORANGE, linewidth=1.4)
    inner.set(xlim=(-0.5, 1.5), ylim=(whole.min(), whole.max()), xticks=[])
