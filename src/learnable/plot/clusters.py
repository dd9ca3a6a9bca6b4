"""Centroid-based clusterings: rows, centroids and their Voronoi cells, also during a fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ..parts.palette import class_colour
from ._fit_steps import draw_steps
from ._style import GREY, axes_or_new, check_learned, named_columns, plain


@dataclass
class ClusterDisplay(ChecksSparse):
    """Scatter plot of clusters in two columns, with the centroids and the cluster boundaries.

    Rows with memberships in several clusters are paler, the smaller the largest membership.
    """

    X: Array
    labels: Array
    centres: Array | None
    names: list[str]
    strength: Array | None = None
    regions: tuple[Array, Array, Array] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, regions: bool = True, grid_resolution: int = 200, ax: Any = None
    ) -> Self:
        """Draw a fitted clustering of two columns; `regions` predicts a grid (the Voronoi cells of k-means)."""
        return cls._of(estimator, X, grid_resolution if regions else 0).plot(ax=ax)

    @classmethod
    def over_steps(cls, estimator: Any, X: Any, steps: tuple[int, ...] = (1, 2, 4, 100)) -> list[Self]:
        """Side by side, the clusters after some steps of one run, up to the one that converged.

        `estimator` needs no fit. All pictures have the same seed, and of several initialisations (`n_init`) only one is
        followed.
        """
        return draw_steps(
            estimator,
            X,
            steps,
            lambda model, ax: cls._of(model, X, 150).plot(ax=ax),
            lambda model: f"squared distances {model.inertia_:.4g}",
        )

    @classmethod
    def _of(cls, estimator: Any, X: Any, resolution: int) -> Self:
        check_learned("ClusterDisplay", estimator)
        matrix, names = named_columns("ClusterDisplay", X, None)
        if matrix.shape[1] != 2:
            raise DataError(f"ClusterDisplay: the plot needs two columns, but X has {matrix.shape[1]}")
        shares = getattr(estimator, "memberships_", None)
        strength = None if shares is None else np.asarray(shares).max(axis=1)
        centres = getattr(estimator, "cluster_centers_", None)
        regions = _requested(estimator, matrix, resolution) if resolution else None
        return cls(matrix, estimator.predict(X), centres, names, strength, regions)

    def plot(self, *, ax: Any = None, legend: bool = False) -> Self:
        """Draw onto `ax`, or a new figure; a `legend` beside it numbers the clusters from 1 on."""
        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        if self.regions is not None:
            self._draw_regions(*self.regions)
        for cluster in np.unique(self.labels):
            inside = self.labels == cluster
            colour = GREY if cluster < 0 else class_colour(cluster)
            alpha = 0.7 if self.strength is None else np.clip(self.strength[inside], 0.05, 1)
            name = "noise" if cluster < 0 else f"cluster {cluster + 1}"
            self.ax_.scatter(*self.X[inside].T, s=8, color=colour, alpha=alpha, linewidths=0, label=name)
        if self.centres is not None:
            self.ax_.plot(*np.asarray(self.centres).T, "X", color="black", markersize=8, markeredgecolor="white")
        self.ax_.set(xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1]))
        if legend:
            beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
            self.ax_.legend(frameon=False, fontsize="small", markerscale=2.5, **beside)
        return self

    def _draw_regions(self, across: Array, up: Array, responses: Array) -> None:
        """Pale areas of the colours of their clusters, and the borders between them."""
        from matplotlib.colors import ListedColormap

        clusters = np.unique(responses)
        pale = ListedColormap([GREY if cluster < 0 else class_colour(cluster) for cluster in clusters])
        place = np.searchsorted(clusters, responses)
        self.ax_.pcolormesh(across, up, place, cmap=pale, alpha=0.12, vmin=0, vmax=max(len(clusters) - 1, 1))
        for k in range(len(clusters) - 1):
            self.ax_.contour(across, up, place > k, levels=[0.5], colors=[GREY], linewidths=0.6)


def _requested(estimator: Any, X: Array, resolution: int) -> tuple[Array, Array, Array]:
    """A grid over the rows and the cluster of each of its points."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.05 * np.where(high > low, high - low, 1.0)
    across, up = (np.linspace(a, b, resolution) for a, b in zip(low - margin, high + margin, strict=True))
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2).astype(X.dtype)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*feature names", UserWarning)
        return across, up, np.asarray(estimator.predict(grid)).reshape(resolution, resolution)
