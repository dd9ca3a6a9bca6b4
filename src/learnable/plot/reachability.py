"""Reachability plot of OPTICS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ._style import GREY, axes_or_new, check_learned, plain


@dataclass
class ReachabilityDisplay:
    """Reachability plot of OPTICS: the reachability distance of each row in the cluster ordering; valleys are clusters.

    >>> ReachabilityDisplay([2.0, 1.0], [0, 1], [0, 0]).reachability
    [2.0, 1.0]
    """

    reachability: Array | list[float]
    ordering: Array | list[int]
    labels: Array | list[int]

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None) -> Self:
        """Draw what an `OPTICS` has learned."""
        check_learned("ReachabilityDisplay", model, "reachability_")
        return cls(model.reachability_, model.ordering_, model.labels_).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; infinite reachability distances are drawn at full height."""
        self.ax_ = plain(axes_or_new(ax, (7.0, 3.0)))
        self.figure_ = self.ax_.figure
        order = np.asarray(self.ordering)
        heights, labels = np.asarray(self.reachability, dtype=np.float64)[order], np.asarray(self.labels)[order]
        top = 1.1 * heights[np.isfinite(heights)].max(initial=0.0) or 1.0
        colours = [GREY if label < 0 else f"C{label % 10}" for label in labels.tolist()]
        self.bars_ = self.ax_.bar(np.arange(len(order)), np.minimum(heights, top), width=1.0, color=colours)
        self.ax_.set(xlabel="rows, in the order of OPTICS", ylabel="reachability distance", ylim=(0, top))
        return self
