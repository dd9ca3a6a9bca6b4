"""Where an image changes: along edges in one direction, at corners in all."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked
from ...core.errors import ParameterError
from ._pixels import grey, in_range_units


@checked()
def sobel_edges(image: Rows) -> tuple[Array, Array]:
    """Sobel edge detection: strength and direction (radians) of the edge at each pixel.

    g = (image * S', image * S) / 8,   S = [1 2 1]' [-1 0 1],   strength = |g|,   direction = atan2(g_down, g_across)

    A gradient of one grey value per pixel has strength 1; the direction points uphill. [Sobel, 1968]

    >>> strength, direction = sobel_edges([[0, 0, 4, 4]] * 3)
    >>> strength[1].tolist(), direction[1, 1].item()
    ([0.0, 2.0, 2.0, 0.0], 0.0)
    """
    from scipy import ndimage

    pixels = grey(image, "sobel_edges")
    down, across = (ndimage.sobel(pixels, axis=axis, mode="nearest") / 8 for axis in (0, 1))
    return np.hypot(down, across), np.arctan2(down, across)


@checked()
def harris_corners(
    image: Rows, *, sigma: float = 1.0, k: float = 0.05, threshold: float = 0.01, min_distance: int = 2
) -> tuple[Array, Array]:
    """Harris corner detection: corners as rows of (row, column), strongest first, and the response at every pixel.

    R = det M - k (trace M)^2,   M = Gaussian mean (sigma) of g g',   g the gradient

    Grey values are scaled to lie between 0 and 1 first, so the response does not depend on their unit.
    A corner is the largest response within min_distance pixels, above threshold times the largest of all.
    [Harris and Stephens, 1988]

    >>> image = np.zeros((12, 12)); image[4:, 5:] = 1
    >>> harris_corners(image)[0].tolist()
    [[4, 5]]
    """
    from scipy import ndimage

    if sigma <= 0 or not 0 <= k <= 0.25 or min_distance < 1:
        raise ParameterError(
            f"harris_corners: sigma must be above 0, k between 0 and 1/4, min_distance 1 or more; got {sigma}, {k}, "
            f"{min_distance}"
        )
    (pixels,) = in_range_units(grey(image, "harris_corners"))
    down, across = (ndimage.sobel(pixels, axis=axis, mode="nearest") / 8 for axis in (0, 1))
    a, b, c = (ndimage.gaussian_filter(part, sigma) for part in (down * down, down * across, across * across))
    response = a * c - b * b - k * (a + c) ** 2
    highest = ndimage.maximum_filter(response, size=2 * min_distance + 1, mode="nearest")
    rows, columns = np.nonzero((response == highest) & (response > threshold * max(response.max(), 0)))
    order = np.argsort(-response[rows, columns], kind="stable")
    return np.column_stack([rows, columns])[order], response
