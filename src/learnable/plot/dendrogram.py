"""Dendrogram of hierarchical clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..cluster import cut_linkage, dendrogram
from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_texts
from ._style import GREY, axes_or_new, check_learned, plain, points_of


@dataclass
class DendrogramDisplay(ChecksSparse):
    """Dendrogram: merges as brackets at the height of their distance; clusters below a height have one colour each.

    Without `groups`, the cluster of each row, they are those of `cut_linkage` at the height.

    >>> DendrogramDisplay([[0.0, 1.0, 2.5, 2.0]]).merges
    [[0.0, 1.0, 2.5, 2.0]]
    """

    merges: Any
    labels: Any = None
    height: float | None = None
    groups: Any = None

    @classmethod
    def from_linkage(cls, merges: Any, *, labels: Any = None, height: float | None = None, ax: Any = None) -> Self:
        """Draw a linkage matrix; `height` is 0.7 of the highest if it is not given."""
        return cls(merges, labels, height).plot(ax=ax)

    @classmethod
    def from_estimator(cls, model: Any, *, labels: Any = None, ax: Any = None) -> Self:
        """Draw what an `AgglomerativeClustering` with `compute_distances` has learned, its clusters in colours."""
        check_learned("DendrogramDisplay", model)
        if "distances_" not in model.__dict__:
            raise ValueError(
                "DendrogramDisplay: the model has no distances_; fit AgglomerativeClustering(compute_distances=True)"
            )
        last = len(model.distances_) - model.n_clusters_ + 1  # the first merge that is undone
        heights = np.sort(model.distances_)
        low = heights[last - 1] if last > 0 else 0.0
        high = heights[last] if last < len(heights) else 1.1 * heights[-1]
        sizes = np.zeros((len(heights), 1))
        merges = np.hstack([model.children_, model.distances_[:, None], sizes])
        return cls(merges, labels, float((low + high) / 2), model.labels_).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        from matplotlib.collections import LineCollection

        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        drawn = dendrogram(self.merges, self.labels)
        self.height_ = 0.7 * max(max(top) for top in drawn["dcoord"]) if self.height is None else self.height
        brackets = [np.column_stack(part) for part in zip(drawn["icoord"], drawn["dcoord"], strict=True)]
        self.lines_ = LineCollection(brackets, colors=self._colours(drawn), linewidths=1.4)
        self.ax_.add_collection(self.lines_)
        self.ax_.axhline(self.height_, color=GREY, linestyle="--", linewidth=1)
        count = len(drawn["leaves"])
        self.ax_.set(xlim=(0, 10 * count), ylim=(0, 1.05 * max(max(top) for top in drawn["dcoord"])), ylabel="distance")
        self._name_leaves([str(name) for name in drawn["ivl"]])
        return self

    def _name_leaves(self, names: list[str]) -> None:
        """Write the names below the leaves: upright where they do not fit side by side, none if too small."""
        space = points_of(self.ax_)[0] / len(names)
        upright = max(len(name) for name in names) * 0.65 * 7 > space
        size = min(7.0, space)
        shown = len(names) if size >= 4 else 0
        points = 5 + 10 * np.arange(shown)
        self.ax_.set_xticks(points, literal_texts(names[:shown]), rotation=90 * upright, fontsize=size)

    def _colours(self, drawn: dict[str, Any]) -> list[str]:
        """Of every bracket: that of its cluster, or grey where it merges several."""
        table = np.asarray(self.merges, dtype=np.float64)
        groups = cut_linkage(table, height=self.height_) if self.groups is None else np.asarray(self.groups)
        group = _groups_of_merges(table, groups)
        numbers = {number: k for k, number in enumerate(dict.fromkeys(groups[drawn["leaves"]].tolist()))}
        return [f"C{numbers[group[merge]] % 10}" if group[merge] >= 0 else GREY for merge in drawn["merges"]]


def _groups_of_merges(table: Array, groups: Array) -> list[int]:
    """The cluster that contains all rows of each merge; -1 if they are in several."""
    found: list[int] = groups.tolist()
    for left, right in table[:, :2].astype(int).tolist():
        found.append(found[left] if found[left] == found[right] else -1)
    return found[len(groups) :]
