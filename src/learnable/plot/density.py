"""Contours of a density estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..engines.columns.quantiles import quantiles
from ..parts.literal_text import literal_text
from ._style import BLUE, GREY, ORANGE, axes_or_new, check_learned, plain, with_names_of


@dataclass
class DensityDisplay(ChecksSparse):
    """Density contours in two columns, each of which contains a given fraction of the rows.

    Of a detector, the contour of its threshold is drawn too, and the rows beyond it in another colour.
    """

    X: Array
    across: Array
    up: Array
    log_density: Array
    levels: Array
    threshold: float | None
    odd: Array
    names: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, shares: tuple[float, ...] = (0.25, 0.5, 0.75, 0.95),
        grid_resolution: int = 150, ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw a fitted density of two columns: anything with `score_samples`, mixtures and detectors among them."""
        check_learned("DensityDisplay", estimator)
        matrix, given = FeatureValidator("DensityDisplay").matrix(X)
        if matrix.shape[1] != 2:
            raise DataError(f"DensityDisplay: the plot needs two columns, but X has {matrix.shape[1]}")
        if not hasattr(estimator, "score_samples"):
            raise ParameterError(f"DensityDisplay: a model with score_samples is needed; got {estimator!r:.60}")
        if not all(0 < share < 1 for share in shares):
            raise ParameterError(f"DensityDisplay: shares must lie between 0 and 1; got {shares!r}")
        low, high = matrix.min(axis=0), matrix.max(axis=0)
        room = 0.12 * np.where(high > low, high - low, 1.0)
        sides = [np.linspace(low[j] - room[j], high[j] + room[j], grid_resolution) for j in range(2)]
        across, up = np.meshgrid(*sides)
        points = np.column_stack([across.ravel(), up.ravel()]).astype(matrix.dtype)
        own = np.asarray(estimator.score_samples(X), dtype=np.float64)
        levels = np.unique(quantiles(own, 1 - np.array(shares), None))
        threshold = None if not hasattr(estimator, "offset_") else float(estimator.offset_)
        odd = np.zeros(len(own), dtype=bool) if threshold is None else own < threshold
        height = np.asarray(estimator.score_samples(with_names_of(X, given, points)), dtype=np.float64).reshape(
            across.shape
        )
        return cls(matrix, across, up, height, levels, threshold, odd, given or ["x0", "x1"]).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.2, 4.4)))
        self.figure_ = self.ax_.figure
        self.ax_.plot(*self.X[~self.odd].T, ".", color=GREY, markersize=3, alpha=0.7)
        height = np.maximum(self.log_density, self.log_density[np.isfinite(self.log_density)].min(initial=0.0) - 1)
        self._contour(height, self.levels, BLUE, 1.0)
        if self.threshold is not None:
            self._contour(height, np.array([self.threshold]), ORANGE, 1.8)
            self.ax_.plot(*self.X[self.odd].T, "o", color=ORANGE, markersize=5)
        self.ax_.set(xlabel=literal_text(self.names[0]), ylabel=literal_text(self.names[1]))
        return self

    def _contour(self, height: Array, levels: Array, colour: str, width: float) -> None:
        self.ax_.contour(
            self.across, self.up, height, levels=levels, colors=colour, linewidths=width, linestyles="solid"
        )
