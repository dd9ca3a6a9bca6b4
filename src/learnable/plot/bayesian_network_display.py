"""The graph of a Bayesian network, with its probability tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import ParameterError
from ..core.printable import printable
from ..parts.literal_text import literal_text
from ._layered_layout import Layers, layered_layout
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned

HEIGHT = 1.0  # of a layer, in inches
LETTER = 0.085  # inches
LINE = 0.16  # inches
MAX_COLUMNS, MAX_LINES = 4, 8  # of a table that is drawn


@dataclass
class BayesianNetworkDisplay:
    """Bayesian network as a layered directed acyclic graph, with conditional probability tables if requested.

    Parents are above their children. `tables` holds lines of text for the nodes that show one.

    >>> BayesianNetworkDisplay(["rain", "wet"], [("rain", "wet")]).layers().layer.tolist()
    [0, 1]
    """

    nodes: list[str]
    edges: list[tuple[str, str]]
    tables: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def from_estimator(cls, model: Any, *, cpts: Iterable[str] | bool = False, ax: Any = None) -> Self:
        """Draw the graph of a fitted network; `cpts` names the nodes whose tables are shown, True for all."""
        check_learned("BayesianNetworkDisplay", model, "nodes_", "edges_")
        nodes = [str(node) for node in model.nodes_]
        named = (nodes if cpts else []) if isinstance(cpts, bool) else [str(node) for node in cpts]
        unknown = [node for node in named if node not in nodes]
        if unknown:
            raise ParameterError(f"BayesianNetworkDisplay: cpts must name nodes; there is no {unknown[0]!r:.60}")
        tables = {node: _table_lines(model, nodes.index(node)) for node in named}
        return cls(nodes, list(model.edges_), tables).plot(ax=ax)

    def layers(self) -> Layers:
        """The positions of the nodes and the points of the edges; widths in inches."""
        index = {node: v for v, node in enumerate(self.nodes)}
        parents: list[list[int]] = [[] for _ in self.nodes]
        for parent, child in self.edges:
            parents[index[child]].append(index[parent])
        return layered_layout(parents, np.array([self._size(node)[0] + 0.25 for node in self.nodes]))

    def _size(self, node: str) -> tuple[float, float]:
        """Width and height of the box of a node."""
        lines = [printable(node), *self.tables.get(node, [])]
        return 0.25 + LETTER * max(map(len, lines)), 0.3 + LINE * (len(lines) - 1)

    def _heights(self, layers: Layers) -> Array:
        """The y of each layer: lower ones below, with room for the tables."""
        sizes = np.array([self._size(node)[1] for node in self.nodes])
        tallest = np.array([sizes[layers.layer == k].max(initial=0.3) for k in range(layers.layer.max(initial=0) + 1)])
        return -np.concatenate([[0.0], np.cumsum((tallest[1:] + tallest[:-1]) / 2 + HEIGHT - 0.3)])

    def _drawing(self) -> tuple[Array, list[Array]]:
        """Centres of the nodes, and the points of each edge from border to border."""
        layers = self.layers()
        height = self._heights(layers)
        centre = np.column_stack([layers.x, height[layers.layer]])
        lines = []
        for (parent, child), points in layers.edges.items():
            line = np.column_stack([points[:, 0], height[points[:, 1].astype(int)]])
            line[0, 1] -= self._size(self.nodes[parent])[1] / 2
            line[-1, 1] += self._size(self.nodes[child])[1] / 2
            lines.append(line)
        return centre, lines

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        from matplotlib.patches import FancyBboxPatch, PathPatch

        centre, lines = self._drawing()
        half = np.array([self._size(node) for node in self.nodes]) / 2
        low, high = (centre - half).min(axis=0) - 0.15, (centre + half).max(axis=0) + 0.15
        self.ax_ = axes_or_new(ax, tuple(np.maximum(high - low, 1.0)))
        self.figure_ = self.ax_.figure
        for line in lines:
            self.ax_.add_patch(PathPatch(_smooth(line), fill=False, edgecolor=GREY, linewidth=1.1, zorder=1))
            tip = line[-1] - (line[-1] - line[-2]) / np.linalg.norm(line[-1] - line[-2]) * 0.02
            self.ax_.annotate(
                "", line[-1], tip, arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0}, zorder=2
            )
        for node, (x, y), (width, height) in zip(self.nodes, centre, half, strict=True):
            box = FancyBboxPatch(
                (x - width, y - height), 2 * width, 2 * height, boxstyle="round,pad=0,rounding_size=0.08",
                facecolor="white", edgecolor=ORANGE if node in self.tables else BLUE, linewidth=1.4, zorder=3,
            )  # fmt: skip
            self.ax_.add_patch(box)
            self._write(node, x, y + height - 0.15)
        self.ax_.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        self.ax_.set_axis_off()
        return self

    def _write(self, node: str, x: float, top: float) -> None:
        self.ax_.text(x, top, literal_text(node), ha="center", va="center", fontsize=9, zorder=4)
        for row, line in enumerate(self.tables.get(node, []), start=1):
            self.ax_.text(
                x, top - LINE * row, literal_text(line), ha="center", va="center", fontsize=7.5,
                family="monospace", zorder=4,
            )  # fmt: skip

    def svg(self) -> str:
        """The same drawing as a stand-alone SVG document, without matplotlib.

        >>> BayesianNetworkDisplay(["a<b", "c"], [("a<b", "c")]).svg().count("a&lt;b")
        1
        """
        centre, lines = self._drawing()
        half = np.array([self._size(node) for node in self.nodes]) / 2
        low, high = (centre - half).min(axis=0) - 0.15, (centre + half).max(axis=0) + 0.15
        shown = [_svg_line(96 * (line - [low[0], high[1]]) * [1, -1]) for line in lines]
        for node, place, (width, height) in zip(self.nodes, centre, half, strict=True):
            x, y = 96 * (place - [low[0], high[1]]) * [1, -1]
            shown.append(
                f'<rect x="{x - 96 * width:.1f}" y="{y - 96 * height:.1f}" width="{192 * width:.1f}" '
                f'height="{192 * height:.1f}" rx="8" fill="white" stroke="{ORANGE if node in self.tables else BLUE}"/>'
            )
            for row, line in enumerate([printable(node), *self.tables.get(node, [])]):
                top = y - 96 * height + 14.4 + 96 * LINE * row
                style = 'font-size="12"' if row == 0 else 'font-size="10" font-family="monospace"'
                text = escape(line).replace(" ", "\u00a0")
                shown.append(f'<text x="{x:.1f}" y="{top + 4:.1f}" text-anchor="middle" {style}>{text}</text>')
        wide, tall = 96 * (high - low)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{tall:.0f}" font-family="sans-serif">'
        )
        return "\n".join([head, ARROW_HEAD, *shown, "</svg>"])

    def _repr_svg_(self) -> str:
        return self.svg()


ARROW_HEAD = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    f'<path d="M0,0 L8,4 L0,8 z" fill="{GREY}"/></marker></defs>'
)


def _smooth(line: Array) -> Any:
    """A path through the points that leaves and enters them vertically."""
    from matplotlib.path import Path

    points, codes = [line[0]], [Path.MOVETO]
    for start, end in itertools.pairwise(line):
        middle = (start[1] + end[1]) / 2
        points += [np.array([start[0], middle]), np.array([end[0], middle]), end]
        codes += [Path.CURVE4] * 3
    return Path(np.array(points), codes)


def _svg_line(line: Array) -> str:
    parts = [f"M{line[0, 0]:.1f},{line[0, 1]:.1f}"]
    for start, end in itertools.pairwise(line):
        middle = (start[1] + end[1]) / 2
        parts.append(f"C{start[0]:.1f},{middle:.1f} {end[0]:.1f},{middle:.1f} {end[0]:.1f},{end[1]:.1f}")
    return f'<path d="{" ".join(parts)}" fill="none" stroke="{GREY}" marker-end="url(#arrow)"/>'


def _table_lines(model: Any, v: int) -> list[str]:
    """The conditional distribution of a node as lines: a row for each configuration of its parents."""
    states = [str(state) for state in model.states_[v]]
    table = np.asarray(model.tables_[v])
    if not states:
        coefficients = ["  ".join(f"{value:.4g}" for value in row) for row in table]
        return [f"{row}   sd {np.sqrt(s):.3g}" for row, s in zip(coefficients, model.variances_[v], strict=True)][
            :MAX_LINES
        ]
    names = [str(model.nodes_[parent]) for parent in model.parents_[v] if len(model.states_[parent])]
    its = [model.states_[parent] for parent in model.parents_[v] if len(model.states_[parent])]
    shown = [name[:10] for name in states[:MAX_COLUMNS]]
    more = len(states) > MAX_COLUMNS
    given = [" ".join(str(state)[:10] for state in one) for one in _configurations(its)]
    left = max(len(text) for text in [" ".join(names), *given])
    lines = [" ".join(names).ljust(left) + "  " + " ".join(f"{name:>8}" for name in shown) + (" ..." if more else "")]
    for text, row in zip(given[:MAX_LINES], table, strict=False):
        numbers = " ".join(f"{value:8.4g}" for value in row[:MAX_COLUMNS])
        lines.append(printable(f"{text.ljust(left)}  {numbers}{' ...' if more else ''}"))
    hidden = len(given) - MAX_LINES
    return [printable(lines[0]), *lines[1:], *([f"... {hidden} more"] if hidden > 0 else [])]


def _configurations(states: list[Any]) -> list[tuple[Any, ...]]:
    """The configurations of the parents, of which the first varies slowest."""
    from itertools import product

    return list(product(*states))
