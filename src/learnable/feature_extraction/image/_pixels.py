"""Validation of images: greyscale, finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.scaling import power_of_two


def grey(image: Any, owner: str, axes: int = 2) -> Array:
    """The image, or stack of images if `axes` is 3, as finite numbers; anything else is an error that says so."""
    array = pixels_of(image, owner)
    if array.ndim != axes:
        what = "an image of rows and columns" if axes == 2 else "a stack of images"
        raise DataError(f"{owner}: {what} is needed ({axes} axes); got {array.ndim} axes. {_advice(array.ndim, axes)}")
    if not array.size or not np.isfinite(array).all():
        raise DataError(f"{owner}: the image must have pixels, all of them finite numbers")
    return array


def pixels_of(image: Any, owner: str) -> Array:
    """Whatever holds pixels, as an array of numbers."""
    try:
        return np.asarray(image, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: an image is an array of numbers; got {image!r:.60}") from None


def in_range_units(*images: Array) -> list[Array]:
    """Images with grey values from 0 to 1 over all of them, so that squares of differences are neither huge nor tiny.

    >>> [image.tolist() for image in in_range_units(np.array([[1e200, 5e200]]), np.array([[3e200, 3e200]]))]
    [[[0.0, 1.0]], [[0.5, 0.5]]]
    """
    largest = max(float(np.abs(image).max()) for image in images)
    near_one = [image * power_of_two(largest) for image in images]  # else the range itself may be infinite
    lowest = min(float(image.min()) for image in near_one)
    extent = max(float(image.max()) for image in near_one) - lowest or 1.0
    return [(image - lowest) / extent for image in near_one]


def _advice(axes: int, needed: int) -> str:
    if axes == needed + 1:
        return "Average colours to grey first, with image.mean(axis=-1)"
    if axes == needed - 1 and needed == 3:
        return "Put a single image into a list, [image]; rows of pixels become images by X.reshape(-1, height, width)"
    return "A row of pixels becomes an image by reshape(height, width)"


def gradients(image: Array) -> tuple[Array, Array]:
    """Central differences down and across; at the border half of that, as the pixel beyond equals the last one."""
    padded = np.pad(image, 1, mode="edge")
    return (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2, (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
