"""Coefficients of a linear classifier of images, as images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil, isqrt
from typing import Any, Self

import numpy as np

from ..core import Array
from ..core.errors import DataError
from ..core.validate.sparse_input import ChecksSparse
from ..engines.sparse_coefficients import dense
from ..parts.literal_text import literal_text
from ._style import check_learned


@dataclass
class CoefficientImageDisplay(ChecksSparse):
    """Coefficients of each class as an image: ink on blue pixels is evidence for the class, on red pixels against it.

    >>> CoefficientImageDisplay(np.zeros((3, 2, 4)), ["a", "b", "c"]).images.shape
    (3, 2, 4)
    """

    images: Array
    names: list[str]

    @classmethod
    def from_estimator(
        cls, estimator: Any, shape: tuple[int, int] | None = None, *, columns: int = 5, figure: Any = None
    ) -> Self:
        """Draw the `coef_` of a fitted model as images of the given shape; None: square images."""
        check_learned("CoefficientImageDisplay", estimator, "coef_")
        coef = np.atleast_2d(dense(estimator.coef_))
        side = isqrt(coef.shape[1])
        height, width = (side, side) if shape is None else shape
        if height * width != coef.shape[1]:
            raise DataError(
                f"CoefficientImageDisplay: {coef.shape[1]} weights cannot be an image of {height} by {width}; pass "
                "its shape"
            )
        return cls(coef.reshape(-1, height, width), _names(estimator, len(coef))).plot(columns=columns, figure=figure)

    def plot(self, *, columns: int = 5, figure: Any = None) -> Self:
        """Draw onto `figure`, or a new one, with the images side by side on one colour scale."""
        count = len(self.images)
        across = min(columns, count)
        down = ceil(count / across)
        if figure is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=(1.7 * across + 0.8, 1.9 * down), layout="constrained")
        self.figure_, self.axes_ = figure, figure.subplots(down, across, squeeze=False)
        most = float(np.abs(self.images).max()) or 1.0
        for ax in self.axes_.flat[count:]:
            ax.set_axis_off()
        for ax, image, name in zip(self.axes_.flat, self.images, self.names, strict=False):
            shown = ax.imshow(image, cmap="RdBu", vmin=-most, vmax=most)
            ax.set(xticks=[], yticks=[], title=literal_text(name))
        figure.colorbar(shown, ax=self.axes_, label="weight", shrink=0.8)
        return self


def _names(estimator: Any, count: int) -> list[str]:
    """The class that each row of weights favours: a class, the second of two, the first of a pair, or a number."""
    classes = [str(label) for label in getattr(estimator, "classes_", [])]
    pairs = [f"{first}, not {second}" for first, second in combinations(classes, 2)]
    if len(classes) > 2 and len(pairs) == count and hasattr(estimator, "dual_coef_"):  # machines that vote
        return pairs
    return classes[-count:] if len(classes) >= count else [str(place) for place in range(count)]
