"""A tree as a picture, with what its nodes hold."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np

from ..core.validate.sparse_input import checks_sparse
from ..engines.trees.split_conditions import OneOf
from ..parts.literal_text import literal_text, literal_texts
from ..parts.palette import GREY, class_colour, tint
from ._export.layout import Place, places
from ._export.node_panels import Rows, bar, has_panel, panel
from ._export.node_text import NodeText

LETTER = 0.0086  # inches a letter is wide, for each point of its size
LINE = 0.0172  # inches from line to line
PANEL, BAR, GAP = 0.62, 0.1, 0.42
WIDEST, MOST_LINES = 30, 4  # letters of a line, and lines that one thing may take


@checks_sparse
def plot_tree(
    decision_tree: Any, *, max_depth: int | None = None, feature_names: Any = None, class_names: Any = None,
    label: str = "all", filled: bool = False, impurity: bool = True, node_ids: bool = False,
    proportion: bool = False, rounded: bool = False, precision: int = 3, ax: Any = None,
    fontsize: float | None = None, X: Any = None, y: Any = None,
) -> list[Any]:  # fmt: skip
    """Draw a tree with matplotlib; the annotations, one for each box, from the first node down.

    A bar below a box shows the shares of its classes, or where its number lies among all; lines are as wide as many
    rows take them. With rows `X` and targets `y`, each division shows the column that it divides and where. Needs no
    Graphviz; `figure.savefig("tree.svg")` keeps it sharp at any size.

    >>> from learnable import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    >>> len(plot_tree(tree))
    3
    """
    text = NodeText.of(
        "plot_tree", decision_tree, feature_names, class_names, precision, label=label, impurity=impurity,
        node_ids=node_ids, proportion=proportion,
    )  # fmt: skip
    found = places(decision_tree.tree_, max_depth)
    words = {place.node: text.lines(place.node) if place.shown else ["(...)"] for place in found}
    rows = None if X is None else Rows.of(decision_tree, X, y)
    pictured = {place.node for place in found if rows is not None and place.shown and has_panel(text, place.node)}
    sheet = _Sheet(found, words, ax, fontsize, pictured)
    for place in found:
        if place.parent is not None:
            sheet.line(decision_tree.tree_, place, text)
    drawn = [sheet.box(place, text.colour(place.node) if filled else "white", rounded) for place in found]
    for place in found:
        if place.shown:
            bar(sheet.ax, text, place.node, *sheet.bar_place(place))
            if rows is not None and place.node in pictured:
                panel(sheet.ax, text, rows, place.node, sheet.panel_place(place))
    sheet.legend(decision_tree, text)
    return drawn


class _Sheet:
    """Axes measured in inches, with a place for every box."""

    def __init__(
        self, found: list[Place], words: dict[int, list[str]], ax: Any, fontsize: float | None, pictured: set[int]
    ) -> None:
        lines = {node: _wrapped(said) for node, said in words.items()}
        self.words, self.pictured, self.panel = lines, pictured, PANEL if pictured else 0.0
        self.slots = max(sum(1 for _ in _ends(found)), 1)
        self.levels = max(place.depth for place in found) + 1
        letters = max(len(line) for said in lines.values() for line in said)
        self.ax = ax if ax is not None else _axes(self._width(letters, fontsize or 9.0), self._height(fontsize or 9.0))
        inches = self.ax.get_window_extent().transformed(self.ax.figure.dpi_scale_trans.inverted())
        self.wide, self.high = inches.width, inches.height
        self.slot = self.wide / self.slots
        self.size = fontsize or float(np.clip(self._fitting(letters), 1.5, 9.0))
        self.ax.set(xlim=(0, self.wide), ylim=(0, self.high))
        self.ax.set_axis_off()

    def _width(self, letters: int, size: float) -> float:
        return float(np.clip(self.slots * (letters * LETTER * size + 0.3), 3.0, 60.0))

    def _height(self, size: float) -> float:
        return float(np.clip(self.levels * (self._most_lines * LINE * size + self.panel + BAR + GAP) + 0.3, 2.0, 40.0))

    @property
    def _most_lines(self) -> int:
        return max(len(said) for said in self.words.values())

    def _fitting(self, letters: int) -> float:
        """The size of letters with which the widest line fits its place, and the boxes of a level their height."""
        wide = 0.9 * self.slot / (letters * LETTER)
        high = (self.high / self.levels - self.panel - BAR - 0.2) / (self._most_lines * LINE)
        return float(min(wide, high))

    def _centre(self, place: Place) -> tuple[float, float]:
        """The middle of the words of a node."""
        level = self.high / self.levels
        down = self.panel / 2 if place.node in self.pictured else 0.0
        return place.across * self.slot, self.high - (place.depth + 0.5) * level - down + BAR / 2

    def _half(self, place: Place) -> float:
        return len(self.words[place.node]) * LINE * self.size / 2 + 0.05

    def box(self, place: Place, colour: str, rounded: bool) -> Any:
        """The words of a node in a box."""
        style = "round,pad=0.35" if rounded else "square,pad=0.35"
        frame = {"boxstyle": style, "facecolor": colour if place.shown else "#e5e7eb", "edgecolor": "#9ca3af"}
        ink = "white" if _dark(colour) else "#111827"
        said = "\n".join(literal_texts(self.words[place.node]))
        return self.ax.annotate(
            said, self._centre(place), ha="center", va="center", fontsize=self.size, color=ink,
            bbox={**frame, "linewidth": 0.8}, zorder=3,
        )  # fmt: skip

    def line(self, tree: Any, place: Place, text: NodeText) -> None:
        """The way from the node above, as wide as its share of the rows, with what leads there."""
        assert place.parent is not None
        (x0, y0), (x1, y1) = self._centre(place.parent), self._centre(place)
        y0 -= self._half(place.parent) + BAR
        y1 += self._half(place) + (self.panel if place.node in self.pictured else 0.0)
        share = tree.weighted_n_node_samples[place.node] / tree.weighted_n_node_samples[0]
        self.ax.plot([x0, x1], [y0, y1], color=tint(GREY, 0.55), linewidth=0.6 + 4.4 * share, zorder=1)
        said = _edge(tree, place, text)
        if said:
            spot = ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3)
            ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            self.ax.text(
                *spot, literal_text(said), ha="center", va="center", fontsize=0.9 * self.size, color=GREY, bbox=ground
            )

    def bar_place(self, place: Place) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the bar below a box."""
        x, y = self._centre(place)
        wide, high = min(0.8 * self.slot, 1.3), BAR * min(1.0, self.size / 8)
        return x - wide / 2, y - self._half(place) - 0.02 - high, wide, high

    def panel_place(self, place: Place) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the panel above a box."""
        x, y = self._centre(place)
        wide = min(0.86 * self.slot, 1.5)
        return x - wide / 2, y + self._half(place) + 0.12, wide, self.panel - 0.16

    def legend(self, model: Any, text: NodeText) -> None:
        """Which colour is which class."""
        classes = getattr(model, "classes_", None)
        if classes is None or isinstance(classes, list) or len(classes) > 10:
            return
        from matplotlib.patches import Patch

        names = text.class_names or [str(label) for label in classes]
        keys = [Patch(color=class_colour(k), label=literal_text(name, legend=True)) for k, name in enumerate(names)]
        self.ax.legend(handles=keys, loc="upper left", frameon=False, fontsize=max(self.size, 5.0))


def _wrapped(said: list[str]) -> list[str]:
    """The words of a box in lines that leave letters a size to be read in; many categories are cut short."""
    lines = (line for words in said for line in words.split("\n"))
    return [part for line in lines for part in wrap(line, WIDEST, max_lines=MOST_LINES, placeholder=" ...")]


def _ends(found: list[Place]) -> list[int]:
    above = {place.parent.node for place in found if place.parent is not None}
    return [place.node for place in found if place.node not in above]


def _axes(wide: float, high: float) -> Any:
    """The axes of the figure at hand, or of a new one that is as large as the tree."""
    from matplotlib import pyplot

    if pyplot.get_fignums():
        return pyplot.gca()
    return pyplot.figure(figsize=(wide, high), layout="none").add_axes((0.0, 0.0, 1.0, 1.0))


def _edge(tree: Any, place: Place, text: NodeText) -> str:
    """The words on a line: yes and no below the first node, and the category where there are many branches."""
    assert place.parent is not None and place.condition is not None
    siblings = tree.branches(place.parent.node)
    if len(siblings) > 2 and isinstance(place.condition, OneOf):
        column = text.naming.columns[place.condition.column]
        return place.condition.words(text.naming).removeprefix(f"{column} is ")
    if place.parent.node != 0:
        return ""
    return "True" if siblings[0][0] == place.node else "False"


def _dark(colour: str) -> bool:
    if not colour.startswith("#"):
        return False
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return 0.3 * red + 0.59 * green + 0.11 * blue < 125
