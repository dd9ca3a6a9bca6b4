"""Products of consecutive numbers, of which predictive probabilities are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array

TINY_ARGUMENT = 1e-20  # below it Gamma(x) is 1 / x to all digits, which may overflow
LARGE = 16.0  # from here on the series of Stirling has all digits


def log_rising(base: Any, count: Any) -> Array:
    """log of base (base + 1) ... (base + count - 1), which is that of Gamma(base + count) / Gamma(base).

    Large bases go by the series of Stirling, term by term: the difference of two logarithms of Gamma would be rounding.

    >>> float(log_rising(3.0, 2)), float(log_rising(1e150, 1) / np.log(1e150))
    (2.4849066497880004, 1.0)
    """
    from scipy.special import gammaln

    low, steps = np.broadcast_arrays(np.asarray(base, dtype=np.float64), np.asarray(count, dtype=np.float64))
    safe = np.maximum(low, LARGE)
    far = steps * np.log(safe) + (safe + steps - 0.5) * np.log1p(steps / safe) - steps
    far = far + _correction(safe + steps) - _correction(safe)
    near = np.minimum(low, LARGE)
    first = np.where(near < TINY_ARGUMENT, -np.log(near), gammaln(np.maximum(near, TINY_ARGUMENT)))
    return np.asarray(np.where(low >= LARGE, far, np.where(steps == 0, 0.0, gammaln(near + steps) - first)))


def _correction(x: Array) -> Array:
    """What Stirling's formula lacks."""
    square = (1 / x) ** 2
    return np.asarray((1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x)
