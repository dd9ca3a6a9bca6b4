"""Plots of Shapley values: size and sign of the effects of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ..inspection import shap_values
from ..parts.literal_text import literal_text, literal_texts
from ._style import BLUE, GREY, RED, axes_or_new, plain

GAP = 0.38  # how far a swarm reaches up and down, of the place of a column


@dataclass
class ShapDisplay(ChecksSparse):
    """SHAP summary plot: a beeswarm for each column, a dot per row, or bars of mean absolute values.

    The most important column is on top.

    Dots are blue where the entry of the column is small and red where it is large.
    """

    values: Array
    data: Array
    names: list[str]
    kind: Literal["beeswarm", "bar"] = "beeswarm"
    xlabel: str = "Shapley value: moves the prediction by"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, kind: Literal["beeswarm", "bar"] = "beeswarm", output: int = -1,
        max_features: int | None = 20, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Explain the rows of `X` by a fitted tree or sum of trees, and draw; `output` chooses among several."""
        if kind not in ("beeswarm", "bar"):
            raise ValueError(f"ShapDisplay: kind must be 'beeswarm' or 'bar'; got {kind!r}")
        found = shap_values(estimator, X)
        values, label = found.values, "Shapley value: moves the prediction by"
        if values.ndim == 3:
            values, label = (
                values[:, :, output],
                f"Shapley value: moves the prediction for {literal_text(found.outputs[output])} by",
            )
        return cls(values, found.data, found.names, kind, label).plot(max_features, ax=ax)

    def plot(self, max_features: int | None = 20, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure; only the first `max_features`."""
        size = np.abs(self.values).mean(axis=0)
        order = np.argsort(-size, kind="stable")[:max_features]
        self.ax_ = plain(axes_or_new(ax, (6.4, 1.0 + 0.36 * len(order))))
        self.figure_ = self.ax_.figure
        points = np.arange(len(order))
        if self.kind == "bar":
            self.ax_.barh(points, size[order], height=0.62, color=BLUE, alpha=0.85)
            self.ax_.set_xlabel("mean size of the Shapley value")
        else:
            self._swarms(order)
            self.ax_.set_xlabel(self.xlabel)
        self.ax_.axvline(0, color=GREY, linewidth=0.8, zorder=0)
        self.ax_.set_yticks(points, literal_texts([self.names[j] for j in order]))
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_ylim(len(order) - 0.4, -0.6)
        return self

    def _swarms(self, order: Array) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        shades = LinearSegmentedColormap.from_list("entries", [BLUE, "#b9a7c4", RED])
        reach = float(np.ptp(self.values)) or 1.0
        for place, j in enumerate(order):
            up = swarm(self.values[:, j] / reach)
            colours = shades(_standing(self.data[:, j]))
            self.ax_.scatter(self.values[:, j], place + GAP * up, c=colours, s=9, linewidths=0, alpha=0.85, zorder=2)
        bar = self.figure_.colorbar(_scale(shades), ax=self.ax_, aspect=30, pad=0.02, ticks=[0, 1])
        bar.set_ticklabels(["low", "high"])
        bar.set_label("entry of the column", labelpad=-12)
        bar.outline.set_visible(False)


def swarm(values: Array, bins: int = 120) -> Array:
    """Offsets between -1 and 1 that keep dots of nearly the same value apart: the more there are, the further out."""
    bucket = np.round(values * bins).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    _, first, count = np.unique(bucket[order], return_index=True, return_counts=True)
    within = np.arange(len(values)) - np.repeat(first, count)
    steps = np.ceil(within / 2) * np.where(within % 2 == 0, 1, -1)
    up = np.empty(len(values))
    up[order] = steps
    return np.asarray(up / max(np.abs(up).max(), 6.0))


def _standing(entries: Array) -> Array:
    """Entries scaled from the 5th to the 95th percentile to between 0 and 1; a half if they are missing."""
    known = entries[~np.isnan(entries)]
    if len(known) == 0:
        return np.full(len(entries), 0.5)
    low, high = np.quantile(known, [0.05, 0.95])
    share = (entries - low) / (high - low) if high > low else np.full(len(entries), 0.5)
    return np.asarray(np.clip(np.where(np.isnan(entries), 0.5, share), 0, 1))


def _scale(shades: Any) -> Any:
    from matplotlib.cm import ScalarMappable

    return ScalarMappable(cmap=shades)
