"""Small pictures in a tree diagram: the shares of a node, and the rows that it divides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.trees.split_conditions import Range
from ...parts.palette import BLUE, GREY, ORANGE, class_colour, tint
from .node_text import NodeText

Place = tuple[float, float, float, float]
BINS = 24


@dataclass(frozen=True)
class Rows:
    """Rows as numbers, their targets (of classes: their places), and which rows come to which node."""

    X: Array
    y: Array
    way: Any

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> Rows:
        """The rows of a table with their way through a tree."""
        matrix, classes = model._coded(model._read(X)), getattr(model, "classes_", None)
        if y is None:
            raise DataError("plot_tree: rows X are drawn with their targets; give y too")
        if isinstance(classes, list) or (classes is None and model.tree_.value.shape[1] > 1):
            raise DataError("plot_tree: rows are drawn for trees of one target; leave X and y out")
        if classes is None:
            target = model._validator.target(y, len(matrix), np.float64, True)
        else:
            target = _places(model._validator.any_target(y, len(matrix), False), classes)
        return cls(matrix, target, model.decision_path(X).tocsc())

    def at(self, node: int) -> Array:
        """The rows that come to a node."""
        return np.asarray(self.way.indices[self.way.indptr[node] : self.way.indptr[node + 1]])


def _places(labels: Array, classes: Array) -> Array:
    """The places of labels among the classes of a tree."""
    places = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    strange = np.flatnonzero(classes[places] != labels)
    if len(strange):
        raise DataError(f"plot_tree: y holds {labels[strange[0]]!r} in row {strange[0]}, which the tree has not seen")
    return np.asarray(places)


def bar(ax: Any, text: NodeText, node: int, left: float, bottom: float, wide: float, high: float) -> None:
    """The shares of the classes as a bar; or the number of a node as a mark between the least and the greatest."""
    from matplotlib.patches import Rectangle

    value = text.model.tree_.value
    if value.shape[1] > 1:
        return
    if hasattr(text.model, "classes_"):
        for k, share in enumerate(value[node, 0]):
            if share > 0:
                ax.add_patch(
                    Rectangle((left, bottom), wide * share, high, color=class_colour(k), linewidth=0, zorder=2)
                )
                left += wide * share
        return
    reach = float(np.ptp(value))
    spot = (value[node, 0, 0] - value.min()) / reach if reach > 0 else 0.5
    ax.add_patch(Rectangle((left, bottom), wide, high, color=tint(GREY, 0.25), linewidth=0, zorder=2))
    ax.add_patch(Rectangle((left + wide * spot - 0.025, bottom), 0.05, high, color=ORANGE, linewidth=0, zorder=2))


def has_panel(text: NodeText, node: int) -> bool:
    """Whether there is more to show of a node than its bar: a division of numbers, or numbers themselves."""
    branches, single = text.model.tree_.branches(node), text.model.tree_.value.shape[1] == 1
    if not branches:
        return single and not hasattr(text.model, "classes_")
    return single and isinstance(branches[0][1], Range)


def panel(ax: Any, text: NodeText, rows: Rows, node: int, place: Place) -> None:
    """The rows of a node along the column by which it divides them; of a leaf of numbers, their spread."""
    here, branches = rows.at(node), text.model.tree_.branches(node)
    if len(here) == 0:
        return
    inner = ax.inset_axes(place, transform=ax.transData)
    inner.set_facecolor("none")
    inner.spines[["top", "right", "left"]].set_visible(False)
    inner.spines["bottom"].set_color(GREY)
    inner.set_yticks([])
    inner.tick_params(labelsize=5, length=2, pad=1, colors=GREY)
    if not branches:
        _spread(inner, rows.y[here], rows.y)
    else:
        _divided(inner, rows, here, branches[0][1], hasattr(text.model, "classes_"))


def _divided(inner: Any, rows: Rows, here: Array, cut: Range, has_classes: bool) -> None:
    column = rows.X[:, cut.column]
    values = column[here]
    known = ~np.isnan(values)
    least, most = np.nanmin(column), np.nanmax(column)
    if has_classes:
        edges = np.linspace(least, most if most > least else least + 1, BINS + 1)
        floor = np.zeros(BINS)
        for k in range(int(rows.y.max()) + 1):
            counts = np.histogram(values[known & (rows.y[here] == k)], edges)[0].astype(float)
            inner.bar(edges[:-1], counts, np.diff(edges), floor, align="edge", color=class_colour(k), linewidth=0)
            floor += counts
    else:
        inner.plot(values[known], rows.y[here][known], ".", color=tint(BLUE, 0.5), markersize=2)
        for side, ends in ((values <= cut.high, (least, cut.high)), (values > cut.high, (cut.high, most))):
            if side.any():
                inner.hlines(rows.y[here][side].mean(), *ends, color=ORANGE, linewidth=1.4)
        inner.set_ylim(rows.y.min(), rows.y.max())
    inner.axvline(cut.high, color="#111827", linewidth=0.9, linestyle=(0, (3, 2)))
    inner.set_xlim(least, most if most > least else least + 1)
    inner.set_xticks([cut.high])
    inner.set_xticklabels([f"{cut.high:.3g}"])


def _spread(inner: Any, y: Array, every: Array) -> None:
    """The targets of a leaf as a strip, with their mean."""
    beside = (np.arange(len(y)) * 0.618) % 1.0
    inner.plot(beside, y, ".", color=tint(BLUE, 0.5), markersize=2)
    inner.hlines(y.mean(), 0, 1, color=ORANGE, linewidth=1.4)
    inner.set(xlim=(-0.5, 1.5), ylim=(every.min(), every.max()), xticks=[])
