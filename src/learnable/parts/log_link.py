"""The log link, safe at both ends: no overflow, no logarithm of zero."""

from __future__ import annotations

import numpy as np

from ..core import Array

NEVER = -1e30
"""Stands for log(0): finite, so that 0 * NEVER is 0, and far below any real logarithm."""


def exponential(z: Array) -> Array:
    """exp(z), held at its value ten below the largest exponent of the type (z = 699.8 in double precision).

    A model whose score passes that point gets a huge finite mean instead of infinity, so its loss and gradient are
    huge and finite as well, and a line search turns back by itself.

    >>> exponential(np.array([0.0, 1e150])) > np.array([0.5, 1e303])
    array([ True,  True])
    """
    held: Array = np.exp(np.minimum(z, largest_exponent(z)))
    return held


def largest_exponent(z: Array) -> float:
    """Where `exponential` is held, for numbers of the type of `z`."""
    return float(np.log(np.finfo(z.dtype).max)) - 10


def logarithm(y: Array) -> Array:
    """log(y) where y > 0, and NEVER elsewhere.

    >>> logarithm(np.array([1.0, 0.0])).tolist()
    [0.0, -1e+30]
    """
    positive = y > 0
    logs: Array = np.where(positive, np.log(np.where(positive, y, 1)), NEVER)
    return logs
