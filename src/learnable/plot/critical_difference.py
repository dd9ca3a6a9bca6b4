"""Mean ranks of models over data sets, with the critical difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..inference import DataSetComparison
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, axes_or_new


@dataclass
class CriticalDifferenceDisplay:
    """Critical-difference diagram: mean ranks on a line; a bar joins models that do not differ significantly."""

    comparison: DataSetComparison
    metric: str

    @classmethod
    def from_comparison(cls, comparison: DataSetComparison, *, metric: str | None = None, ax: Any = None) -> Self:
        """Draw what `compare_on_data_sets` found, by its first metric or another one."""
        return cls(comparison, metric or next(iter(comparison.scores))).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        known, ranks = self.comparison, self.comparison.ranks(self.metric)
        order, count = np.argsort(ranks, kind="stable"), len(ranks)
        half = (count + 1) // 2
        cliques = known.cliques(self.metric)
        self.ax_ = axes_or_new(ax, (7.0, 1.6 + 0.28 * half + 0.12 * len(cliques)))
        self.figure_ = self.ax_.figure
        self.ax_.plot([1, count], [0, 0], color="black", linewidth=1)
        for rank in range(1, count + 1):
            self.ax_.plot([rank, rank], [0, 0.12], color="black", linewidth=1)
            self.ax_.text(rank, 0.2, str(rank), ha="center", va="bottom", fontsize=8)
        below = 0.3 + 0.22 * len(cliques)
        for position, model in enumerate(order.tolist()):
            left = position < half
            depth = below + 0.35 * (position if left else count - 1 - position)
            end = 0.85 if left else count + 0.15
            self.ax_.plot([ranks[model], ranks[model], end], [0, -depth, -depth], color=GREY, linewidth=1)
            self.ax_.text(
                end - 0.05 if left else end + 0.05, -depth, literal_text(f"{known.models[model]} ({ranks[model]:.2f})"),
                ha="right" if left else "left", va="center", fontsize=9,
            )  # fmt: skip
        self.bars_ = [self._bar(i, clique, ranks) for i, clique in enumerate(cliques)]
        width = known.critical_difference
        self.ax_.plot([1, min(1 + width, count)], [0.75, 0.75], color="black", linewidth=2)
        self.ax_.text(1, 0.85, f"critical difference {width:.2f}", ha="left", va="bottom", fontsize=8)
        self.ax_.set(xlim=(-0.6, count + 1.6), ylim=(-below - 0.35 * half, 1.3))
        self.ax_.axis("off")
        return self

    def _bar(self, index: int, clique: tuple[str, ...], ranks: Any) -> Any:
        """A bar under the models of a clique."""
        inside = [ranks[self.comparison.models.index(name)] for name in clique]
        height = -0.2 - 0.22 * index
        return self.ax_.plot([min(inside) - 0.04, max(inside) + 0.04], [height, height], color=BLUE, linewidth=4)[0]
