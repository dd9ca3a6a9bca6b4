"""Points of an image that are found again after turning, scaling and lighting, and what they look like."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked, limits
from ._pixels import gradients, grey, in_range_units

PER_OCTAVE, FIRST_SIGMA = 3, 1.6
BORDER = 5


@checked(contrast=limits(at_least=0), edge_ratio=limits(at_least=1), max_keypoints=limits(at_least=0))
def sift_keypoints(
    image: Rows, *, contrast: float = 0.02, edge_ratio: float = 10.0, max_keypoints: int | None = None
) -> tuple[Array, Array]:
    """SIFT keypoints as rows of (row, column, scale, angle), strongest first, and their descriptors of 128 numbers.

    keypoint = extremum over place and scale of   D(x, s) = (G(2^(1/3) s) - G(s)) * image   (G a Gaussian)

    Weak ones (below contrast times the range of the image) and those on straight edges (curvatures of a ratio above
    edge_ratio) are dropped. The angle is that of the strongest gradients around; a descriptor holds 4 by 4 histograms
    of 8 directions relative to it, of length 1. Simplified: extrema are taken at whole pixels, with one angle each.
    [Lowe, 2004]

    >>> i, j = np.indices((48, 48))
    >>> points, descriptors = sift_keypoints(np.exp(-((i - 20) ** 2 + (j - 26) ** 2) / 32))
    >>> points[0, :2].round().tolist(), descriptors.shape[1]
    ([20.0, 26.0], 128)
    """
    from scipy import ndimage

    (pixels,) = in_range_units(grey(image, "sift_keypoints"))
    found, step = [], 1
    ratio = 2 ** (1 / PER_OCTAVE)
    sigmas = FIRST_SIGMA * ratio ** np.arange(PER_OCTAVE + 3)
    while min(pixels.shape) > 4 * BORDER:
        scales = np.stack([ndimage.gaussian_filter(pixels, sigma) for sigma in sigmas])
        for strength, level, row, column in _extrema(np.diff(scales, axis=0), contrast, edge_ratio):
            angle, descriptor = _described(scales[level], row, column, sigmas[level])
            found.append((strength, row * step, column * step, sigmas[level] * step, angle, descriptor))
        pixels, step = scales[PER_OCTAVE][::2, ::2], 2 * step
    found.sort(key=lambda point: -point[0])
    found = found[:max_keypoints]
    points = np.array([point[1:5] for point in found]).reshape(-1, 4)
    return points, np.array([point[5] for point in found]).reshape(-1, 128)


def _extrema(D: Array, contrast: float, edge_ratio: float) -> list[tuple[float, int, int, int]]:
    """(strength, level, row, column) of the extrema of `D` over place and scale."""
    from scipy import ndimage

    high, low = ndimage.maximum_filter(D, 3), ndimage.minimum_filter(D, 3)
    extreme = ((high == D) | (low == D)) & (np.abs(D) > contrast)
    extreme[[0, -1]] = False
    extreme[:, :BORDER] = extreme[:, -BORDER:] = False
    extreme[:, :, :BORDER] = extreme[:, :, -BORDER:] = False
    found = []
    for level, i, j in np.argwhere(extreme).tolist():
        around = D[level, i - 1 : i + 2, j - 1 : j + 2]
        down = around[0, 1] + around[2, 1] - 2 * around[1, 1]
        across = around[1, 0] + around[1, 2] - 2 * around[1, 1]
        mixed = (around[2, 2] + around[0, 0] - around[0, 2] - around[2, 0]) / 4
        trace, determinant = down + across, down * across - mixed**2
        if determinant > 0 and trace**2 * edge_ratio < (edge_ratio + 1) ** 2 * determinant:
            found.append((abs(float(D[level, i, j])), level, i, j))
    return found


def _described(smooth: Array, row: int, column: int, sigma: float) -> tuple[float, Array]:
    """The main direction around a point, and the histograms of directions relative to it."""
    radius = int(np.ceil(6 * sigma)) + 2
    top, left = max(row - radius, 0), max(column - radius, 0)
    window = smooth[top : row + radius + 1, left : column + radius + 1]
    down, across = gradients(window)
    i, j = np.indices(window.shape)
    i, j = i - (row - top), j - (column - left)
    strength, direction = np.hypot(down, across), np.arctan2(down, across)
    near = strength * np.exp(-(i**2 + j**2) / (2 * (1.5 * sigma) ** 2))
    bins = np.floor(direction / (2 * np.pi) * 36).astype(int) % 36
    angle = (np.bincount(bins.ravel(), near.ravel(), 36).argmax() + 0.5) * 2 * np.pi / 36
    turned_i = (i * np.cos(angle) - j * np.sin(angle)) / (3 * sigma)
    turned_j = (i * np.sin(angle) + j * np.cos(angle)) / (3 * sigma)
    weight = strength * np.exp(-(turned_i**2 + turned_j**2) / 8)
    return angle, _histograms(turned_i, turned_j, (direction - angle) % (2 * np.pi), weight)


def _histograms(i: Array, j: Array, direction: Array, weight: Array) -> Array:
    """4 by 4 cells by 8 directions, each pixel shared among its neighbours; clipped at 0.2 and of length 1."""
    place = np.stack([i + 1.5, j + 1.5, direction / (2 * np.pi) * 8])
    low = np.floor(place).astype(int)
    part = place - low
    histogram = np.zeros((4, 4, 8))
    for corner in np.ndindex(2, 2, 2):
        side = np.array(corner)[:, None, None]
        a, b, c = low + side
        share = np.where(side, part, 1 - part).prod(axis=0) * weight
        inside = (a >= 0) & (a < 4) & (b >= 0) & (b < 4)
        np.add.at(histogram, (a[inside], b[inside], c[inside] % 8), share[inside])
    flat = histogram.ravel() / (np.linalg.norm(histogram) or 1.0)
    flat = np.minimum(flat, 0.2)
    return flat / (np.linalg.norm(flat) or 1.0)
