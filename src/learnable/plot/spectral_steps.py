"""The steps of spectral clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..cluster._spectral_steps import smallest_eigenvalues
from ..core import Array
from ._style import BLUE, GREY, check_learned, plain


@dataclass
class SpectralStepsDisplay:
    """Steps of spectral clustering: the graph, the smallest eigenvalues, the spectral embedding, and the clusters.

    >>> SpectralStepsDisplay([[0.0, 0.0]], [[0.0]], [0.0], [[1.0]], [0]).eigenvalues
    [0.0]
    """

    rows: Any
    affinity: Any
    eigenvalues: Array | list[float]
    embedding: Any
    labels: Array | list[int]

    @classmethod
    def from_estimator(cls, model: Any, *, eigenvalues: int = 8) -> Self:
        """Draw what a `SpectralClustering` of rows with at least two columns has learned, and its first eigenvalues."""
        check_learned("SpectralStepsDisplay", model, "affinity_matrix_", "embedding_")
        values = smallest_eigenvalues(model.affinity_matrix_, min(eigenvalues, len(model.labels_)))
        return cls(model.rows_, model.affinity_matrix_, values, model.embedding_, model.labels_).plot()

    def plot(self, *, axes: Any = None) -> Self:
        """Draw onto four `axes`, or a new figure."""
        from matplotlib import pyplot

        if axes is None:
            axes = pyplot.subplots(1, 4, figsize=(12, 3), layout="constrained")[1]
        self.axes_ = [plain(ax) for ax in np.ravel(axes)]
        self.figure_ = self.axes_[0].figure
        rows, points = np.asarray(self.rows)[:, :2], np.asarray(self.embedding)
        colours = [f"C{label % 10}" for label in np.asarray(self.labels).tolist()]
        self._draw_graph(self.axes_[0], rows)
        self.axes_[1].plot(np.arange(1, len(self.eigenvalues) + 1), self.eigenvalues, "o-", color=BLUE)
        self.axes_[1].set(title="smallest eigenvalues", xlabel="number")
        across = points[:, [1, 2]] if points.shape[1] > 2 else points[:, [0, -1]]
        self.axes_[2].scatter(*across.T, c=colours, s=10)
        self.axes_[2].set(title="spectral embedding", xticks=[], yticks=[])
        self.axes_[3].scatter(*rows.T, c=colours, s=10)
        self.axes_[3].set(title="clusters", xticks=[], yticks=[])
        return self

    def _draw_graph(self, ax: Any, rows: Array) -> None:
        """Edges, darker for larger weights; negligible ones are left out."""
        from matplotlib.collections import LineCollection

        W = self.affinity.toarray() if hasattr(self.affinity, "toarray") else np.asarray(self.affinity)
        share = np.triu(W, 1) / max(float(np.triu(W, 1).max(initial=0.0)), 1e-300)
        left, right = np.nonzero(share > 0.05)
        alphas = np.clip(share[left, right], 0.1, 0.8)
        ends = np.stack([rows[left], rows[right]], axis=1)
        self.edges_ = ax.add_collection(LineCollection(list(ends), colors=GREY, alpha=alphas, linewidths=0.6))
        ax.scatter(*rows.T, color=BLUE, s=6)
        ax.set(title="similar rows", xticks=[], yticks=[])
