"""Images at the door: grey, of finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError


def grey(image: Any, owner: str, axes: int = 2) -> Array:
    """The image, or stack of images if `axes` is 3, as finite numbers; anything else is an error that says so."""
    array = np.asarray(image, dtype=np.float64)
    if array.ndim != axes:
        what = "an image of rows and columns" if axes == 2 else "a stack of images"
        raise DataError(
            f"{owner}: {what} is needed ({axes} axes); got {array.ndim} axes. Average colours to grey first"
        )
    if not array.size or not np.isfinite(array).all():
        raise DataError(f"{owner}: the image must have pixels, all of them finite numbers")
    return array


def gradients(image: Array) -> tuple[Array, Array]:
    """Central differences down and across; at the border half of that, as the pixel beyond equals the last one."""
    padded = np.pad(image, 1, mode="edge")
    return (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2, (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
