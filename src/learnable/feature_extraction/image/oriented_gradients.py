"""Histograms of oriented gradients."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked
from ...core.errors import DataError, ParameterError
from ._pixels import gradients, grey, in_range_units


@checked()
def hog_features(
    image: Rows, *, orientations: int = 9, cell: int = 8, block: int = 2, signed: bool = False, clip: float = 0.2
) -> Array:
    """Histogram of oriented gradients (HOG): gradient directions in cells, normalised over overlapping blocks.

    h[cell, o] = sum of |g| over pixels of the cell, shared between the two nearest directions;   block / |block|

    Blocks are normalised, clipped at clip and normalised again, then strung together: for an image of R by C cells,
    (R - block + 1)(C - block + 1) block^2 orientations numbers. signed distinguishes a direction from its opposite.
    [Dalal and Triggs, 2005]

    >>> hog_features(np.eye(32)).shape
    (324,)
    """
    if orientations < 1 or cell < 1 or block < 1 or clip <= 0:
        raise ParameterError("hog_features: orientations, cell and block must be 1 or more, and clip above 0")
    (pixels,) = in_range_units(grey(image, "hog_features"))
    rows, columns = (size // cell for size in pixels.shape)
    if rows < block or columns < block:
        raise DataError(
            f"hog_features: an image of {pixels.shape} pixels has {rows} by {columns} cells of {cell} pixels; a block "
            f"needs {block} by {block}: use smaller cells"
        )
    histogram = _histograms(pixels[: rows * cell, : columns * cell], orientations, cell, signed)
    blocks = np.lib.stride_tricks.sliding_window_view(histogram, (block, block), axis=(0, 1))
    flat = np.moveaxis(blocks, 2, -1).reshape(-1, block * block * orientations)
    clipped = np.minimum(_unit(flat), clip)
    return _unit(clipped).ravel()


def _histograms(pixels: Array, orientations: int, cell: int, signed: bool) -> Array:
    """Cells by cells by orientations."""
    down, across = gradients(pixels)
    strength, turn = np.hypot(down, across), 2 * np.pi if signed else np.pi
    place = np.arctan2(down, across) % turn / turn * orientations - 0.5
    low = np.floor(place).astype(int)
    share = place - low
    shape = (pixels.shape[0] // cell, cell, pixels.shape[1] // cell, cell)
    histogram = np.zeros((shape[0], shape[2], orientations))
    for direction in range(orientations):
        near = strength * (
            (low % orientations == direction) * (1 - share) + ((low + 1) % orientations == direction) * share
        )
        histogram[:, :, direction] = near.reshape(shape).sum(axis=(1, 3))
    return histogram


def _unit(rows: Array) -> Array:
    """Rows of length 1; a row of zeros stays."""
    length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return rows / np.where(length > 0, length, 1)
