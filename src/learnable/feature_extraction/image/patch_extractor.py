"""Patches of many images."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...core import Array, Estimator, RandomState, Traits, estimator, param
from ...core.declare import params
from ...core.errors import DataError, ParameterError
from ...core.runtime.random import stream
from ._pixels import pixels_of
from .patches import extract_patches_2d


@estimator
class PatchExtractor(Estimator):
    """Extraction of image patches from a stack of images.

    patches = [image[i : i + height, j : j + width] for each image and place (i, j)]

    Nothing is learned. patch_size is a tenth of the image unless given; max_patches is a number or a share for each
    image, drawn at random.

    >>> images = np.zeros((3, 8, 8))
    >>> PatchExtractor(patch_size=(4, 4)).transform(images).shape
    (75, 4, 4)
    """

    title = "image patches"

    patch_size: tuple[int, int] | None = param(None, "height and width of a patch")
    max_patches: float | int | None = param(None, "maximum number, or fraction, of the patches of each image", above=0)
    random_state: RandomState = param(None, "seed of the draws")

    traits = Traits(takes="images", task="transformation", weights=False, stochastic=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        params.check(self)
        with self._fitting() as trace:
            trace.exact("patches are cut out, nothing is estimated")
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """The patches of the images; `y` is ignored."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> Array:
        """The patches of the images."""
        images = pixels_of(X, "PatchExtractor")
        if images.ndim not in (3, 4) or not images.size:
            raise DataError(
                f"PatchExtractor: images by height by width (by colours) are needed; got shape {images.shape}"
            )
        size = self.patch_size or (images.shape[1] // 10, images.shape[2] // 10)
        if len(size) != 2:
            raise ParameterError(f"PatchExtractor: patch_size is (height, width); got {self.patch_size}")
        draws = stream(self.random_state)
        return np.concatenate(
            [extract_patches_2d(image, size, max_patches=self.max_patches, random_state=draws) for image in images]
        )

    def __sklearn_is_fitted__(self) -> bool:
        return True
