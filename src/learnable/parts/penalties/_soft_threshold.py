"""Soft thresholding, the proximal map of the absolute value."""

from __future__ import annotations

import numpy as np

from ...core import Array


def soft_threshold(v: Array, threshold: float | Array) -> Array:
    """Move v towards zero by `threshold`, and stop there: sign(v) max(|v| - threshold, 0).

    >>> soft_threshold(np.array([-3.0, 0.5, 2.0]), 1.0).tolist()
    [-2.0, 0.0, 1.0]
    """
    shrunk: Array = v - np.clip(v, -threshold, threshold)
    return shrunk
