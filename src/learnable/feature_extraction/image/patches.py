"""Patches of an image, and the image of patches."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked, limits
from ...core.errors import DataError, ParameterError
from ...core.runtime.random import RandomState, stream
from ._pixels import pixels_of


def patch_count(positions: int, max_patches: float | None) -> int:
    """The number of patches to extract: a number, a fraction, or all."""
    if not max_patches:
        return positions
    if isinstance(max_patches, Integral):
        return min(int(max_patches), positions)
    if 0 < max_patches < 1:
        return int(max_patches * positions)
    raise ParameterError(f"max_patches must be a whole number or a fraction between 0 and 1; got {max_patches!r}")


@checked(patch_size=limits(at_least=1), max_patches=limits(at_least=0))
def extract_patches_2d(
    image: Rows, patch_size: tuple[int, int], *, max_patches: float | None = None, random_state: RandomState = None
) -> Array:
    """Patches of an image, one for each place or a random sample, as an array of patches by height by width.

    patch[k] = image[i : i + height, j : j + width]   for the k-th place (i, j), row by row

    max_patches is a number or a fraction of the positions; they are drawn with replacement. Colours are a last axis.

    >>> extract_patches_2d(np.arange(9).reshape(3, 3), (2, 2))[0]
    array([[0, 1],
           [3, 4]])
    """
    pixels = np.asarray(image)
    height, width = patch_size
    if height > pixels.shape[0] or width > pixels.shape[1]:
        side = "Height" if height > pixels.shape[0] else "Width"
        raise DataError(
            f"extract_patches_2d: a patch of {tuple(patch_size)} does not fit into an image of {pixels.shape[:2]}; "
            f"lower its {side.lower()}"
        )
    views = np.lib.stride_tricks.sliding_window_view(pixels, (height, width), axis=(0, 1))
    if pixels.ndim == 3:
        views = np.moveaxis(views, 2, -1)
    down, across = views.shape[:2]
    if not max_patches:
        patches = views.reshape(-1, *views.shape[2:])
    else:
        count, draws = patch_count(down * across, max_patches), stream(random_state)
        rows = draws.randint(down, size=count)
        patches = views[rows, draws.randint(across, size=count)]
    return patches[..., 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else patches


@checked()
def reconstruct_from_patches_2d(patches: Rows, image_size: tuple[int, ...]) -> Array:
    """The image whose patches these are: where they overlap, their mean.

    image[i, j] = mean of the patches that cover (i, j)

    >>> image = np.arange(12.0).reshape(3, 4)
    >>> bool((reconstruct_from_patches_2d(extract_patches_2d(image, (2, 2)), (3, 4)) == image).all())
    True
    """
    pieces = pixels_of(patches, "reconstruct_from_patches_2d")
    if pieces.ndim not in (3, 4):
        raise DataError(
            f"reconstruct_from_patches_2d: patches must be patches by height by width (by colours); got {pieces.shape}"
        )
    height, width = pieces.shape[1:3]
    down, across = image_size[0] - height + 1, image_size[1] - width + 1
    if len(pieces) < down * across:
        raise DataError(
            f"reconstruct_from_patches_2d: an image of {tuple(image_size)} has {down * across} patches of "
            f"{height} by {width}; got {len(pieces)}"
        )
    placed = pieces[: down * across].reshape(down, across, *pieces.shape[1:])
    total, count = np.zeros(image_size), np.zeros(tuple(image_size[:2]))
    for i in range(height):
        for j in range(width):
            total[i : i + down, j : j + across] += placed[:, :, i, j]
            count[i : i + down, j : j + across] += 1
    return total / count.reshape(*count.shape, *([1] * (total.ndim - 2)))
