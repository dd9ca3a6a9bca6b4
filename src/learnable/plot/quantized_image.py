"""Colour quantisation of an image, beside the image itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..cluster import QuantizedImage, quantize_image
from ..core import Array
from ..core.validate.sparse_input import ChecksSparse
from ._style import GREY


@dataclass
class QuantizedImageDisplay(ChecksSparse):
    """Colour quantisation: an image, and versions with fewer and fewer colours."""

    image: Array
    quantized: list[QuantizedImage]

    @classmethod
    def from_image(cls, image: Any, n_colors: tuple[int, ...] = (64, 16, 4), *, random_state: Any = None) -> Self:
        """Draw `image` with the given numbers of colours, one picture each."""
        shown = np.asarray(image)
        return cls(shown, [quantize_image(shown, count, random_state=random_state) for count in n_colors]).plot()

    def plot(self, *, axes: Any = None) -> Self:
        """Draw onto `axes`, one for the image and one for each number of colours, or a new figure."""
        from matplotlib import pyplot

        count = 1 + len(self.quantized)
        if axes is None:
            axes = pyplot.subplots(1, count, figsize=(2.8 * count, 2.9), layout="constrained")[1]
        self.axes_ = np.ravel(axes)
        self.figure_ = self.axes_[0].figure
        titles = ["all colours"] + [
            f"{len(q.palette)} colours, {q.compression:.1f} times smaller" for q in self.quantized
        ]
        for ax, shown, title in zip(self.axes_, [self.image, *(q.image for q in self.quantized)], titles, strict=True):
            ax.imshow(shown, cmap="gray" if shown.ndim == 2 else None)
            ax.set_title(title, fontsize=9, color=GREY)
            ax.set_axis_off()
        return self
