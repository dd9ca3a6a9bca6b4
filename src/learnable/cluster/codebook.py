"""Vector quantisation of rows by a codebook, and colour quantisation of images."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError, RandomState
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..engines.kmeans import nearest_centres
from .kmeans import KMeans


class Codebook(NamedTuple):
    """Codebook of a vector quantisation: `encode` gives the index of the nearest codeword, `decode` the codeword."""

    rows: Array
    distortion: float  # mean squared distance of the training rows to their codewords

    def encode(self, X: Any) -> Array:
        """The index of the nearest codeword of each row."""
        matrix = np.asarray(FeatureValidator("Codebook").matrix(X)[0])
        if matrix.shape[1] != self.rows.shape[1]:
            raise DataError(f"Codebook: the codewords have {self.rows.shape[1]} columns; X has {matrix.shape[1]}")
        return nearest_centres(matrix, self.rows)

    def decode(self, codes: Any) -> Array:
        """The codewords of codes."""
        numbers = np.asarray(codes)
        if numbers.size and (numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= len(self.rows)):
            raise DataError(f"Codebook: codes must be integers from 0 to {len(self.rows) - 1}; got {codes!r:.60}")
        return np.asarray(self.rows[numbers.astype(np.int64)])

    def compression(self, rows: int, bits: int = 64) -> float:
        """Compression ratio: memory of `rows` rows of numbers of `bits` bits over that of codes and codebook."""
        count, p = self.rows.shape
        return float(rows * p * bits / (rows * max(int(np.ceil(np.log2(count))), 1) + count * p * bits))


class QuantizedImage(NamedTuple):
    """A quantised image, its palette, the colour index of each pixel, the distortion and the compression ratio."""

    image: Array
    palette: Array
    codes: Array
    distortion: float
    compression: float


@checked(n_codes=limits(at_least=1), max_iter=limits(at_least=1))
def vector_quantize(X: Rows, n_codes: int, *, random_state: RandomState = None, max_iter: int = 300) -> Codebook:
    """Vector quantisation: a codebook of `n_codes` codewords found by k-means.

    >>> book = vector_quantize([[0.0], [1.0], [9.0], [10.0]], 2, random_state=0)
    >>> book.decode(book.encode([[0.2], [9.9]])).tolist(), book.distortion
    ([[0.5], [9.5]], 0.25)
    """
    model = KMeans(n_codes, random_state=random_state, max_iter=max_iter).fit(X)
    return Codebook(model.cluster_centers_, model.inertia_ / len(model.labels_))


@checked(n_colors=limits(at_least=1), position=limits(at_least=0))
def quantize_image(
    image: Rows, n_colors: int = 16, *, position: float = 0.0, random_state: RandomState = None
) -> QuantizedImage:
    """Colour quantisation of an image: at most `n_colors` colours, found by k-means on its pixels.

    `image` is (height, width) or (height, width, channels). With `position` above 0 the coordinates of a pixel, as
    a fraction of the larger side times `position` times the range of the colours, are features too, so that colours
    become regions.

    >>> stripes = np.repeat([[0, 10, 200, 210]], 3, axis=0)
    >>> quantize_image(stripes, 2, random_state=0).image[0].tolist()
    [5, 5, 205, 205]
    """
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or pixels.dtype.kind not in "fiub" or 0 in pixels.shape:
        raise DataError(f"quantize_image: image must be (height, width[, channels]) numbers; it has {pixels.shape}")
    height, width = pixels.shape[:2]
    colours = pixels.reshape(height * width, -1).astype(np.float64)
    model = KMeans(min(n_colors, height * width), random_state=random_state).fit(
        _with_coordinates(colours, height, width, position)
    )
    codes, channels = model.labels_, colours.shape[1]
    palette = model.cluster_centers_[:, :channels]
    shown = palette[codes].reshape(pixels.shape)
    shown = np.round(shown).astype(pixels.dtype) if pixels.dtype.kind in "iub" else shown.astype(pixels.dtype)
    distortion = float(((palette[codes] - colours) ** 2).sum(axis=1).mean())
    bits = 8 * pixels.dtype.itemsize
    compression = Codebook(palette, distortion).compression(height * width, bits)
    return QuantizedImage(shown, palette, codes.reshape(height, width), distortion, compression)


def _with_coordinates(colours: Array, height: int, width: int, position: float) -> Array:
    """Colours, and the scaled pixel coordinates if `position` is above 0."""
    if position == 0:
        return colours
    scale = position * (np.ptp(colours) or 1.0) / max(height, width)
    down, across = np.indices((height, width)).reshape(2, -1)
    return np.column_stack([colours, scale * down, scale * across])
