"""Maps of rows: embeddings in the plane, coloured by class or value, with thumbnails of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import ChecksSparse
from ..parts.literal_text import literal_text
from ..parts.palette import class_colour
from ._style import BLUE, axes_or_new, check_learned, plain, points_of

MANY_CLASSES = 12  # distinct numbers from which y is drawn as a value
THUMBNAIL = 24.0  # side of an image on the map, in points


@dataclass
class EmbeddingDisplay(ChecksSparse):
    """Rows at their coordinates in an embedding, coloured by `y`, with the faithfulness of the map in the title.

    Labels of classes stand at the medians of their rows; many distinct numbers are values on a colour scale. `images`,
    one for each row, are drawn as thumbnails where they do not overlap.
    """

    points: Array
    y: Array | None = None
    images: Array | None = None
    note: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any = None, *, images: Any = None, faithful: bool = True, ax: Any = None
    ) -> Self:
        """Draw the `embedding_` of a fitted model; `faithful` states its trustworthiness with an interval."""
        check_learned("EmbeddingDisplay", estimator, "embedding_")
        note = _note(estimator.faithfulness()) if faithful and hasattr(estimator, "faithfulness") else ""
        return cls._of(estimator.embedding_, y, images, note).plot(ax=ax)

    @classmethod
    def from_embedding(cls, X_embedded: Any, y: Any = None, *, images: Any = None, ax: Any = None) -> Self:
        """Draw given coordinates, of which the first two count."""
        return cls._of(FeatureValidator("EmbeddingDisplay").matrix(X_embedded)[0], y, images, "").plot(ax=ax)

    @classmethod
    def _of(cls, points: Array, y: Any, images: Any, note: str) -> Self:
        points = np.asarray(points, dtype=np.float64)[:, :2]
        if points.shape[1] == 1:
            points = np.column_stack([points, np.zeros(len(points))])
        y, images = (None if given is None else np.asarray(given) for given in (y, images))
        if y is not None and y.shape != (len(points),):
            raise DataError(
                f"EmbeddingDisplay: y must hold a value for each of {len(points)} rows; its shape is {y.shape}"
            )
        if images is not None and (images.ndim not in (3, 4) or len(images) != len(points)):
            raise DataError(
                f"EmbeddingDisplay: images must hold an image for each of {len(points)} rows; their shape is "
                f"{images.shape}"
            )
        return cls(points, y, images, note)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw onto `ax`, or a new figure."""
        self.ax_ = plain(axes_or_new(ax, (5.6, 4.8)))
        self.figure_ = self.ax_.figure
        size = float(np.clip(4000 / max(len(self.points), 1), 1, 12))
        if self.y is None:
            self.ax_.scatter(*self.points.T, s=size, color=BLUE, alpha=0.7, linewidths=0)
        elif self.y.dtype.kind == "f" and len(np.unique(self.y)) > MANY_CLASSES:
            drawn = self.ax_.scatter(*self.points.T, s=size, c=self.y, cmap="viridis", alpha=0.8, linewidths=0)
            self.figure_.colorbar(drawn, ax=self.ax_, shrink=0.8)
        else:
            self._draw_classes(size)
        self.thumbnails_ = self._draw_images() if self.images is not None else np.empty(0, dtype=np.int64)
        self.ax_.set(xticks=[], yticks=[], aspect="equal", adjustable="datalim")
        if self.note:
            self.ax_.set_title(self.note, fontsize="small")
        return self

    def _draw_classes(self, size: float) -> None:
        from matplotlib.patheffects import withStroke

        labels, codes = np.unique(self.y if self.y is not None else [], return_inverse=True)
        for code, label in enumerate(labels):
            inside = self.points[codes == code]
            self.ax_.scatter(*inside.T, s=size, color=class_colour(code), alpha=0.7, linewidths=0)
            text = self.ax_.annotate(
                literal_text(str(label)), np.median(inside, axis=0), color=class_colour(code), weight="bold",
                ha="center", va="center",
            )  # fmt: skip
            text.set_path_effects([withStroke(linewidth=3, foreground="white")])

    def _draw_images(self) -> Array:
        """Thumbnails from the first row on, each where it does not overlap those drawn before; their rows."""
        from matplotlib.offsetbox import AnnotationBbox, OffsetImage

        low, high = self.points.min(axis=0), self.points.max(axis=0)
        scale = points_of(self.ax_) / np.where(high > low, high - low, 1.0)
        at = (self.points - low) * scale.min()
        images = np.asarray(self.images)
        chosen: list[int] = []
        for row, point in enumerate(at):
            if all(np.abs(at[chosen] - point).max(axis=1) > THUMBNAIL) if chosen else True:
                chosen.append(row)
        for row in chosen:
            picture = OffsetImage(images[row], zoom=THUMBNAIL / max(images.shape[1:3]), cmap="gray_r")
            self.ax_.add_artist(AnnotationBbox(picture, self.points[row], frameon=False, pad=0))
        return np.array(chosen, dtype=np.int64)


def _note(report: Any) -> str:
    low, high = report.trustworthiness_interval
    return f"trustworthiness {report.trustworthiness:.3f} ({low:.3f} to {high:.3f}), continuity {report.continuity:.3f}"
