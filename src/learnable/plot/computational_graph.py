"""The computational graph of a tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..tape import Graph, Tensor
from ._style import BLUE, GREEN, GREY, ORANGE, axes_or_new

SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "matmul": "@", "negative": "-"}


@dataclass
class GraphDisplay:
    """Computational graph: each node with its value (above) and its gradient (below), inputs on the left."""

    graph: Graph

    @classmethod
    def from_tensor(cls, output: Tensor, names: dict[str, Tensor] | None = None, *, ax: Any = None) -> Self:
        """Draw the graph of `output`; `names` are those of some of its nodes."""
        return cls(Graph(output, names)).plot(ax=ax)

    def positions(self) -> dict[str, tuple[float, float]]:
        """The position of each node: to the right by the longest way from an input, in equal steps down."""
        depth: dict[str, int] = {}
        for node in self.graph.nodes:
            depth[node.name] = 1 + max((depth[name] for name in node.parents if name in depth), default=-1)
        for node in self.graph.nodes:  # an input stands just before the first node that uses it
            uses = [depth[other.name] for other in self.graph.nodes if node.name in other.parents]
            if node.operation == "input" and uses:
                depth[node.name] = min(uses) - 1
        columns: dict[int, list[str]] = {}
        for name, column in depth.items():
            columns.setdefault(column, []).append(name)
        return {
            name: (float(column), 1.4 * ((len(names) - 1) / 2 - k))
            for column, names in columns.items()
            for k, name in enumerate(names)
        }

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        positions = self.positions()
        x, y = np.array(list(positions.values())).T
        self.ax_ = axes_or_new(ax, (1.2 * (x.max() + 1.5), 1.0 * (y.max() - y.min() + 1.7)))
        self.figure_ = self.ax_.figure
        for node in self.graph.nodes:
            here = positions[node.name]
            for parent in node.parents:
                if parent in positions:
                    self.ax_.annotate(
                        "", here, positions[parent],
                        arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 16, "shrinkB": 16, "linewidth": 1},
                    )  # fmt: skip
            colour = ORANGE if node.operation == "input" else BLUE
            self.ax_.plot(*here, "o", markersize=30, color="white", markeredgecolor=colour, markeredgewidth=1.6)
            fixed = [name for name in node.parents if name not in positions]
            sign = node.name if node.operation == "input" else SIGNS.get(node.operation, node.operation)
            self.ax_.text(*here, " ".join([sign, *fixed]), ha="center", va="center", fontsize=7.5)
            self.ax_.text(here[0], here[1] + 0.32, _number(node.value), ha="center", fontsize=8, color=BLUE)
            self.ax_.text(here[0], here[1] - 0.44, _number(node.gradient), ha="center", fontsize=8, color=GREEN)
        self.ax_.set(xlim=(x.min() - 0.7, x.max() + 0.7), ylim=(y.min() - 0.8, y.max() + 0.8))
        self.ax_.set_axis_off()
        return self


def _number(value: Any) -> str:
    """A number, or the shape of an array."""
    array = np.asarray(value)
    return f"{array.item():.4g}" if array.size == 1 else "x".join(map(str, array.shape))
