"""The transitions between states as a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, axes_or_new, check_learned


@dataclass
class TransitionGraphDisplay:
    """Graph of the transition probabilities between states: states on a circle, and an arrow for each transition.

    >>> TransitionGraphDisplay([[0.9, 0.1], [0.2, 0.8]]).least
    0.01
    """

    transmat: Array | list[list[float]]
    state_names: list[str] | None = None
    least: float = 0.01

    @classmethod
    def from_estimator(
        cls, model: Any, *, state_names: list[str] | None = None, least: float = 0.01, ax: Any = None
    ) -> Self:
        """Draw the transitions with a probability of at least `least`."""
        check_learned("TransitionGraphDisplay", model, "transmat_")
        return cls(model.transmat_, state_names, least).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure: the width of an arrow is its probability."""
        moves = np.asarray(self.transmat, dtype=np.float64)
        count = len(moves)
        self.ax_ = axes_or_new(ax, (4.5, 4.5))
        self.figure_ = self.ax_.figure
        angles = np.pi / 2 - 2 * np.pi * np.arange(count) / count
        centre = np.stack([np.cos(angles), np.sin(angles)], axis=1) * (count > 1)
        self.arrows_ = [
            self._arrow(centre[j], centre[k], moves[j, k])
            for j in range(count)
            for k in range(count)
            if j != k and moves[j, k] >= self.least
        ]
        names = self.state_names or [str(k) for k in range(count)]
        box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": BLUE, "linewidth": 2}
        for k in range(count):
            stays = centre[k] + [0.0, 0.32 if centre[k, 1] >= 0 else -0.32]
            self.ax_.annotate(literal_text(names[k]), centre[k], ha="center", va="center", bbox=box, zorder=4)
            self.ax_.annotate(f"stays: {moves[k, k]:.2f}", stays, ha="center", va="center", fontsize=8)
        self.ax_.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
        self.ax_.axis("off")
        return self

    def _arrow(self, start: Array, end: Array, probability: float) -> Any:
        style = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=0.18", "shrinkA": 20, "shrinkB": 20}
        drawn = self.ax_.annotate(
            "", end, start, arrowprops={**style, "color": GREY, "lw": 0.5 + 4 * float(probability)}, zorder=2
        )
        across = np.array([end[1] - start[1], start[0] - end[0]])
        self.ax_.annotate(f"{probability:.2f}", (start + end) / 2 + 0.16 * across, ha="center", va="center", fontsize=8)
        return drawn
