"""SLIC superpixels."""

from __future__ import annotations

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.context import give_way


@checked(n_segments=limits(at_least=1), compactness=limits(above=0), max_num_iter=limits(at_least=1))
def slic(image: Rows, n_segments: int = 100, compactness: float = 10.0, max_num_iter: int = 10) -> Array:
    """SLIC superpixels: local k-means on colours and pixel coordinates; returns the segment of every pixel.

    minimise    |colour - colour of the centre|^2 + (compactness / step)^2 |position - position of the centre|^2

    Centres are initialised on a grid of about n_segments cells, `step` wide; a pixel is compared with centres up to one
    step away: the cost of a pass is the number of pixels, whatever the number of segments. Larger `compactness` gives
    squarer segments; about 0.1 suits colours from 0 to 1, about 10 those from 0 to 255. [Achanta et al., 2012]

    >>> image = np.zeros((6, 8))
    >>> image[:, 4:] = 100.0
    >>> slic(image, n_segments=2)[0].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    given = np.asarray(image)
    pixels = np.asarray(given, dtype=np.float64) if given.dtype.kind in "fiub" else np.empty(0)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape or not np.isfinite(pixels).all():
        raise DataError(f"slic: image must be (height, width[, channels]) finite numbers; its shape is {given.shape}")
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    step = max(1.0, float(np.sqrt(pixels.shape[0] * pixels.shape[1] / n_segments)))
    positions = np.moveaxis(np.indices(pixels.shape[:2]), 0, 2) * (compactness / step)
    table = np.concatenate([pixels, positions], axis=2)
    centres = _grid_centres(table, step)
    for _ in range(max_num_iter):
        give_way()
        labels = _nearest(table, centres, step, compactness / step)
        moved = _means(table, labels, centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(labels.shape))


def _grid_centres(table: Array, step: float) -> Array:
    """The pixels at the centres of the cells of a grid."""
    rows, columns = table.shape[:2]
    down, across = max(1, round(rows / step)), max(1, round(columns / step))
    middles = np.ix_(_middles(rows, down), _middles(columns, across))
    return np.asarray(table[middles].reshape(-1, table.shape[2]))


def _middles(length: int, count: int) -> Array:
    return np.asarray((np.arange(count) + 0.5) * length / count, dtype=np.int64)


def _nearest(table: Array, centres: Array, step: float, unit: float) -> Array:
    """The nearest centre of every pixel within a window; ties go to the first."""
    rows, columns = table.shape[:2]
    best, labels = np.full((rows, columns), np.inf), np.full((rows, columns), -1)
    reach = int(np.ceil(step)) + 1
    for k, centre in enumerate(centres):
        row, column = np.round(centre[-2:] / unit).astype(int)
        window = slice(max(0, row - reach), row + reach + 1), slice(max(0, column - reach), column + reach + 1)
        square = ((table[window] - centre) ** 2).sum(axis=2)
        nearer = square < best[window]
        best[window][nearer], labels[window][nearer] = square[nearer], k
    uncovered = labels == -1  # outside the windows of all centres
    if uncovered.any():
        apart = ((table[uncovered][:, None] - centres) ** 2).sum(axis=2)
        labels[uncovered] = apart.argmin(axis=1)
    return labels


def _means(table: Array, labels: Array, centres: Array) -> Array:
    """The mean of the pixels of every centre; an empty one is kept."""
    flat, count = labels.ravel(), len(centres)
    mass = np.bincount(flat, minlength=count)
    columns = table.reshape(-1, table.shape[2]).T
    sums = np.stack([np.bincount(flat, column, count) for column in columns], axis=1)
    return np.where(mass[:, None] > 0, sums / np.maximum(mass, 1)[:, None], centres)
