"""What moved between two images."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked
from ...core.errors import DataError, ParameterError
from ._pixels import gradients, grey, in_range_units


@checked()
def optical_flow(
    before: Rows, after: Rows, *, sigma: float = 3.0, levels: int = 3, iterations: int = 5
) -> tuple[Array, Array]:
    """Optical flow between two images by the Lucas-Kanade method: displacement of each pixel, down and across.

    v = argmin over v of   sum over the window (after(x + v) - before(x))^2,   windows Gaussian of width sigma

    Solved for small steps, `iterations` times, from coarse images to fine ones (levels halvings) so that motions of
    several pixels are found. Where the window has no texture the flow is 0. [Lucas and Kanade, 1981]

    >>> image = np.fromfunction(lambda i, j: np.sin(i / 3) + np.cos(j / 4), (40, 40))
    >>> down, across = optical_flow(image, np.roll(image, 2, axis=1))
    >>> round(float(np.median(across)), 1), bool(abs(np.median(down)) < 0.05)
    (2.0, True)
    """
    from scipy import ndimage

    if sigma <= 0 or levels < 1 or iterations < 1:
        raise ParameterError("optical_flow: sigma must be above 0, levels and iterations 1 or more")
    first, second = grey(before, "optical_flow"), grey(after, "optical_flow")
    if first.shape != second.shape:
        raise DataError(f"optical_flow: the images differ in size: {first.shape} and {second.shape}")
    first, second = in_range_units(first, second)
    flow = np.zeros((2, *first.shape))
    for level in range(levels - 1, -1, -1):
        factor = 2**level
        size = tuple(min(length, max(2, length // factor)) for length in first.shape)
        small = [
            _resized(ndimage.gaussian_filter(image, factor / 2 if level else 0), size) for image in (first, second)
        ]
        scale = np.array([new / old for new, old in zip(size, flow.shape[1:], strict=True)])
        flow = np.stack([_resized(part, size) * change for part, change in zip(flow, scale, strict=True)])
        for _ in range(iterations):
            flow = flow + _step(small[0], small[1], flow, sigma)
    return flow[0], flow[1]


def _resized(image: Array, size: tuple[int, ...]) -> Array:
    from scipy import ndimage

    if image.shape == size:
        return image
    factors = [new / old for new, old in zip(size, image.shape, strict=True)]
    resized: Array = ndimage.zoom(image, factors, order=1, mode="nearest", grid_mode=True)
    return resized


def _step(before: Array, after: Array, flow: Array, sigma: float) -> Array:
    """The best small change of the flow at each pixel: two equations of the window, solved where it has texture."""
    from scipy import ndimage

    grid = np.indices(before.shape)
    moved = ndimage.map_coordinates(after, grid + flow, order=1, mode="nearest")
    down, across = gradients(moved)
    change = moved - before
    inside = ((grid + flow >= 0) & (grid + flow <= np.array(before.shape)[:, None, None] - 1)).all(axis=0)
    a, b, c, p, q = (
        ndimage.gaussian_filter(part * inside, sigma)
        for part in (down * down, down * across, across * across, down * change, across * change)
    )
    regular = 1e-3 * float((a + c).max()) or 1.0
    a, c = a + regular, c + regular
    determinant = a * c - b * b
    best: Array = np.clip(np.stack([b * q - c * p, b * p - a * q]) / determinant, -1, 1)
    return best
