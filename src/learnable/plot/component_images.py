"""Principal components of images, as images (eigenfaces)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isqrt
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..parts.literal_text import literal_text
from ._style import check_learned


@dataclass
class ComponentImagesDisplay:
    """The mean image, if the model has one, and an image for each component: dark and bright have opposite signs."""

    images: Array
    names: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, shape: tuple[int, int] | None = None, *, columns: int = 5, figure: Any = None
    ) -> Self:
        """Draw `mean_` and `components_` of a fitted model as images of the given shape; None: square images."""
        check_learned("ComponentImagesDisplay", estimator, "components_")
        mean = getattr(estimator, "mean_", None)
        rows = estimator.components_ if mean is None else np.vstack([mean, estimator.components_])
        side = isqrt(rows.shape[1])
        height, width = (side, side) if shape is None else shape
        if height * width != rows.shape[1]:
            raise DataError(
                f"ComponentImagesDisplay: {rows.shape[1]} columns cannot be an image of {height} by {width}; pass its "
                "shape"
            )
        names = [str(k + 1) for k in range(len(estimator.components_))]
        return cls(rows.reshape(-1, height, width), ["mean"] * (mean is not None) + names).plot(
            columns=columns, figure=figure
        )

    def plot(self, *, columns: int = 5, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one, with the images side by side."""
        count = len(self.images)
        across = min(columns, count)
        down = ceil(count / across)
        if figure is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=(1.5 * across, 1.7 * down), layout="constrained")
        self.figure_, self.axes_ = figure, figure.subplots(down, across, squeeze=False)
        for ax in self.axes_.flat:
            ax.set_axis_off()
        for ax, image, name in zip(self.axes_.flat, self.images, self.names, strict=False):
            ax.imshow(image, cmap="gray")
            ax.set_title(literal_text(name), fontsize=9)
        return self
