"""What convolutions look for, and what they find in an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.sparse_input import ChecksSparse
from ._style import check_learned


@dataclass
class FilterDisplay(ChecksSparse):
    """Filters of a layer as images: a convolution's windows, or the weights of each unit of a dense layer."""

    images: Array

    @classmethod
    def from_estimator(
        cls, estimator: Any, layer: int = 0, *, shape: tuple[int, int] | None = None, figure: Any = None
    ) -> Self:
        """Draw the weights of a layer; `shape` is that of the images that a dense layer takes."""
        if hasattr(estimator, "coefs_"):
            weights = np.asarray(estimator.coefs_[layer])
        else:
            check_learned("FilterDisplay", estimator, "weights_")
            own = [one["weights"] for one in estimator.layer_weights(layer) if "weights" in one]
            if not own:
                raise DataError(f"FilterDisplay: layer {layer} has no weights")
            weights = own[0]
        if weights.ndim == 4:  # (rows, columns, channels, filters): the mean over channels
            return cls(np.moveaxis(weights.mean(axis=2), -1, 0)).plot(figure=figure)
        side = round(weights.shape[0] ** 0.5)
        height, width = (side, side) if shape is None else shape
        if height * width != weights.shape[0]:
            raise DataError(f"FilterDisplay: {weights.shape[0]} weights are not an image of {height} by {width}")
        return cls(weights.T.reshape(-1, height, width)).plot(figure=figure)

    def plot(self, *, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one: purple is positive, orange negative."""
        largest = float(np.abs(self.images).max()) or 1.0
        self.figure_, self.axes_ = image_grid(self.images, figure, cmap="PuOr_r", vmin=-largest, vmax=largest)
        return self


@dataclass
class FeatureMapDisplay(ChecksSparse):
    """Feature maps: an image, and what each filter of a layer makes of it."""

    image: Array
    maps: Array

    @classmethod
    def from_estimator(cls, estimator: Any, image: Any, layer: int = 0, *, figure: Any = None) -> Self:
        """Draw the values of a convolution or a pooling layer for one image."""
        check_learned("FeatureMapDisplay", estimator, "weights_")
        row = np.asarray(image, dtype=float).reshape(1, -1)
        values = estimator.activations(row, layer)
        if values.ndim != 4:
            raise DataError(
                f"FeatureMapDisplay: layer {layer} has no maps; its values have the shape {values.shape[1:]}"
            )
        height, width = estimator.input_shape[:2]
        return cls(row.reshape(height, width, -1).mean(axis=2), np.moveaxis(values[0], -1, 0)).plot(figure=figure)

    def plot(self, *, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one, the image first."""
        maps = [self.image, *self.maps]
        self.figure_, self.axes_ = image_grid(maps, figure, cmap="gray_r")
        self.axes_[0].set_title("image", fontsize=9)
        return self


@dataclass
class SaliencyDisplay(ChecksSparse):
    """Saliency map: how much the score of the predicted class changes with each pixel."""

    image: Array
    saliency: Array

    @classmethod
    def from_estimator(cls, estimator: Any, image: Any, *, figure: Any = None) -> Self:
        """Draw the absolute gradient of the largest score by the pixels of an image."""
        check_learned("SaliencyDisplay", estimator, "weights_")
        from ..neural_network import saliency

        row = np.asarray(image, dtype=float).reshape(1, -1)
        height, width = estimator.input_shape[:2]
        found = saliency(estimator, row)
        shape = (height, width, -1)
        return cls(row.reshape(shape).mean(axis=2), found.reshape(shape).max(axis=2)).plot(figure=figure)

    def plot(self, *, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one, the image and the map."""
        self.figure_, self.axes_ = image_grid([self.image, self.saliency], figure, cmap="gray_r")
        for ax, title in zip(self.axes_, ("image", "saliency"), strict=False):
            ax.set_title(title, fontsize=9)
        return self


def image_grid(images: Any, figure: Any, **style: Any) -> tuple[Any, Array]:
    """Images side by side, at most eight in a row."""
    from matplotlib import pyplot

    across = min(8, len(images))
    down = -(-len(images) // across)
    made = pyplot.figure(figsize=(1.2 * across, 1.3 * down), layout="constrained") if figure is None else figure
    axes = made.subplots(down, across, squeeze=False).ravel()
    for ax in axes:
        ax.axis("off")
    for ax, image in zip(axes, images, strict=False):
        ax.imshow(image, **style)
    return made, axes
