"""Diagrams of decision trees with matplotlib."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np

from ..core import ParameterError
from ..core.declare.checked_functions import Column, checked, limits
from ..engines.trees.split_conditions import OneOf
from ..parts.literal_text import literal_text, literal_texts
from ..parts.palette import GREY, class_colour, tint
from ._export.layout import NodePosition, layout_nodes
from ._export.node_panels import NodeRows, bar, has_panel, panel
from ._export.node_text import NodeText

CHARACTER = 0.0086  # width of a character in inches per point of font size
LINE = 0.0172  # line spacing in inches per point of font size
PANEL, BAR, GAP = 0.62, 0.1, 0.42
MAX_CHARACTERS, MAX_LINES = 30, 4  # of a line, and of one entry


@checked(max_depth=limits(at_least=0), precision=limits(at_least=0), fontsize=limits(above=0))
def plot_tree(
    decision_tree: Any, *, max_depth: int | None = None, feature_names: Column | None = None,
    class_names: Column | bool | None = None,
    label: str = "all", filled: bool = False, impurity: bool = True, node_ids: bool = False,
    proportion: bool = False, rounded: bool = False, precision: int = 3, ax: Any = None,
    fontsize: float | None = None, X: Any = None, y: Any = None,
) -> list[Any]:  # fmt: skip
    """Draw a decision tree with matplotlib; returns the annotations, one for each node, in depth-first order.

    A bar below a node shows its class proportions, or its value relative to those of all nodes; the line width is
    proportional to the number of rows. With rows `X` and targets `y`, each split shows its column and threshold.
    Graphviz is not needed; `figure.savefig("tree.svg")` keeps the diagram sharp at any size.

    >>> from learnable import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    >>> len(plot_tree(tree))
    3
    """
    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise ParameterError(f"plot_tree: ax must be the axes of a matplotlib figure; got {ax!r:.60}")
    text = NodeText.of(
        "plot_tree", decision_tree, feature_names, class_names, precision, label=label, impurity=impurity,
        node_ids=node_ids, proportion=proportion,
    )  # fmt: skip
    found = layout_nodes(decision_tree.tree_, max_depth)
    words = {position.node: text.lines(position.node) if position.shown else ["(...)"] for position in found}
    rows = None if X is None else NodeRows.of(decision_tree, X, y)
    with_panel = {
        position.node for position in found if rows is not None and position.shown and has_panel(text, position.node)
    }
    canvas = _Canvas(found, words, ax, fontsize, with_panel)
    for position in found:
        if position.parent is not None:
            canvas.line(decision_tree.tree_, position, text)
    drawn = [canvas.box(position, text.colour(position.node) if filled else "white", rounded) for position in found]
    for position in found:
        if position.shown:
            bar(canvas.ax, text, position.node, *canvas.bar_box(position))
            if rows is not None and position.node in with_panel:
                panel(canvas.ax, text, rows, position.node, canvas.panel_box(position))
    canvas.legend(decision_tree, text)
    return drawn


class _Canvas:
    """Axes measured in inches, with a position for every node."""

    def __init__(
        self,
        found: list[NodePosition],
        words: dict[int, list[str]],
        ax: Any,
        fontsize: float | None,
        with_panel: set[int],
    ) -> None:
        lines = {node: _wrap(text) for node, text in words.items()}
        self.words, self.with_panel, self.panel = lines, with_panel, PANEL if with_panel else 0.0
        self.slots = max(sum(1 for _ in _leaves(found)), 1)
        self.levels = max(position.depth for position in found) + 1
        letters = max(len(line) for text in lines.values() for line in text)
        self.ax = ax if ax is not None else _axes(self._width(letters, fontsize or 9.0), self._height(fontsize or 9.0))
        inches = self.ax.get_window_extent().transformed(self.ax.figure.dpi_scale_trans.inverted())
        self.wide, self.high = inches.width, inches.height
        self.slot = self.wide / self.slots
        self.size = fontsize or float(np.clip(self._fitting(letters), 1.5, 9.0))
        self.ax.set(xlim=(0, self.wide), ylim=(0, self.high))
        self.ax.set_axis_off()

    def _width(self, letters: int, size: float) -> float:
        return float(np.clip(self.slots * (letters * CHARACTER * size + 0.3), 3.0, 60.0))

    def _height(self, size: float) -> float:
        return float(np.clip(self.levels * (self._max_lines * LINE * size + self.panel + BAR + GAP) + 0.3, 2.0, 40.0))

    @property
    def _max_lines(self) -> int:
        return max(len(text) for text in self.words.values())

    def _fitting(self, letters: int) -> float:
        """The font size with which the widest line fits its slot, and the boxes of a level fit their height."""
        wide = 0.9 * self.slot / (letters * CHARACTER)
        high = (self.high / self.levels - self.panel - BAR - 0.2) / (self._max_lines * LINE)
        return float(min(wide, high))

    def _centre(self, position: NodePosition) -> tuple[float, float]:
        """The centre of the text of a node."""
        level = self.high / self.levels
        down = self.panel / 2 if position.node in self.with_panel else 0.0
        return position.across * self.slot, self.high - (position.depth + 0.5) * level - down + BAR / 2

    def _half(self, position: NodePosition) -> float:
        return len(self.words[position.node]) * LINE * self.size / 2 + 0.05

    def box(self, position: NodePosition, colour: str, rounded: bool) -> Any:
        """Draw the text of a node in a box."""
        style = "round,pad=0.35" if rounded else "square,pad=0.35"
        frame = {"boxstyle": style, "facecolor": colour if position.shown else "#e5e7eb", "edgecolor": "#9ca3af"}
        ink = "white" if _dark(colour) else "#111827"
        content = "\n".join(literal_texts(self.words[position.node]))
        return self.ax.annotate(
            content, self._centre(position), ha="center", va="center", fontsize=self.size, color=ink,
            bbox={**frame, "linewidth": 0.8}, zorder=3,
        )  # fmt: skip

    def line(self, tree: Any, position: NodePosition, text: NodeText) -> None:
        """Draw the edge from the parent, as wide as the fraction of the rows, with the condition of the branch."""
        assert position.parent is not None
        (x0, y0), (x1, y1) = self._centre(position.parent), self._centre(position)
        y0 -= self._half(position.parent) + BAR
        y1 += self._half(position) + (self.panel if position.node in self.with_panel else 0.0)
        fraction = tree.weighted_n_node_samples[position.node] / tree.weighted_n_node_samples[0]
        self.ax.plot([x0, x1], [y0, y1], color=tint(GREY, 0.55), linewidth=0.6 + 4.4 * fraction, zorder=1)
        label = _edge(tree, position, text)
        if label:
            spot = ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3)
            ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            self.ax.text(
                *spot, literal_text(label), ha="center", va="center", fontsize=0.9 * self.size, color=GREY, bbox=ground
            )

    def bar_box(self, position: NodePosition) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the bar below a box."""
        x, y = self._centre(position)
        wide, high = min(0.8 * self.slot, 1.3), BAR * min(1.0, self.size / 8)
        return x - wide / 2, y - self._half(position) - 0.02 - high, wide, high

    def panel_box(self, position: NodePosition) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the panel above a box."""
        x, y = self._centre(position)
        wide = min(0.86 * self.slot, 1.5)
        return x - wide / 2, y + self._half(position) + 0.12, wide, self.panel - 0.16

    def legend(self, model: Any, text: NodeText) -> None:
        """Draw the legend of the classes."""
        classes = getattr(model, "classes_", None)
        if classes is None or isinstance(classes, list) or len(classes) > 10:
            return
        from matplotlib.patches import Patch

        names = text.class_names or [str(label) for label in classes]
        keys = [Patch(color=class_colour(k), label=literal_text(name, legend=True)) for k, name in enumerate(names)]
        self.ax.legend(handles=keys, loc="upper left", frameon=False, fontsize=max(self.size, 5.0))


def _wrap(entries: list[str]) -> list[str]:
    """The text of a node in lines short enough to be legible; many categories are truncated."""
    lines = (line for entry in entries for line in entry.split("\n"))
    return [part for line in lines for part in wrap(line, MAX_CHARACTERS, max_lines=MAX_LINES, placeholder=" ...")]


def _leaves(found: list[NodePosition]) -> list[int]:
    inner = {position.parent.node for position in found if position.parent is not None}
    return [position.node for position in found if position.node not in inner]


def _axes(wide: float, high: float) -> Any:
    """The axes of the current figure, or of a new one that is as large as the tree."""
    from matplotlib import pyplot

    if pyplot.get_fignums():
        return pyplot.gca()
    return pyplot.figure(figsize=(wide, high), layout="none").add_axes((0.0, 0.0, 1.0, 1.0))


def _edge(tree: Any, position: NodePosition, text: NodeText) -> str:
    """The label of an edge: True and False below the root, and the category of a multiway split."""
    assert position.parent is not None and position.condition is not None
    siblings = tree.branches(position.parent.node)
    if len(siblings) > 2 and isinstance(position.condition, OneOf):
        column = text.naming.columns[position.condition.column]
        return position.condition.describe(text.naming).removeprefix(f"{column} is ")
    if position.parent.node != 0:
        return ""
    return "True" if siblings[0][0] == position.node else "False"


def _dark(colour: str) -> bool:
    if not colour.startswith("#"):
        return False
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue < 125
