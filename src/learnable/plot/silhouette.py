"""Silhouette plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core.validate.sparse_input import ChecksSparse
from ..metrics import silhouette_samples
from ..parts.literal_text import literal_texts
from ._style import GREY, axes_or_new, plain


@dataclass
class SilhouetteDisplay(ChecksSparse):
    """Silhouette plot: the silhouette coefficient of every row as a bar, cluster by cluster.

    >>> SilhouetteDisplay([0.5, 0.7], [0, 1]).silhouettes
    [0.5, 0.7]
    """

    silhouettes: Any
    labels: Any

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """The clusters that `estimator` finds for the rows of `X`, or found in its fit."""
        labels = estimator.predict(X) if hasattr(estimator, "predict") else estimator.labels_
        return cls.from_labels(X, labels, **options)

    @classmethod
    def from_labels(cls, X: Any, labels: Any, *, metric: Any = "euclidean", **options: Any) -> Self:
        """Measure the rows of `X` in the clusters given by `labels` and draw."""
        return cls(silhouette_samples(X, labels, metric=metric), np.asarray(labels)).plot(**options)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax))
        self.figure_ = self.ax_.figure
        values, labels = np.asarray(self.silhouettes), np.asarray(self.labels)
        clusters = np.unique(labels)
        gap, top, points = max(1, len(values) // 50), 0, []
        for number, cluster in enumerate(clusters):
            blade = np.sort(values[labels == cluster])[::-1]
            rows = np.arange(top, top + len(blade))
            self.ax_.barh(rows, blade, height=1.0, color=f"C{number % 10}", edgecolor="none")
            points.append(top + len(blade) / 2)
            top += len(blade) + gap
        mean = float(values.mean())
        self.mean_line_ = self.ax_.axvline(mean, color=GREY, linestyle="--", linewidth=1, label=f"mean {mean:.3f}")
        self.ax_.set(xlabel="silhouette", ylabel="cluster", yticks=points, yticklabels=literal_texts(clusters))
        self.ax_.invert_yaxis()
        self.ax_.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
        return self
