"""The number of random directions that nearly keep all distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import ParameterError
from ..core.declare.checked_functions import checked


@checked()
def johnson_lindenstrauss_min_dim(n_samples: Any, *, eps: Any = 0.1) -> Any:
    """Johnson-Lindenstrauss bound: the number of random projections that keep all squared distances up to 1 +- eps.

    k >= 4 log(n) / (eps^2 / 2 - eps^3 / 3)

    By the Johnson-Lindenstrauss lemma, with a probability of at least 1 / n; it does not depend on the columns. Arrays
    give arrays. [Dasgupta and Gupta, 2003]

    >>> int(johnson_lindenstrauss_min_dim(1_000_000, eps=0.5))
    663
    """
    error, rows = np.asarray(eps, dtype=np.float64), np.asarray(n_samples, dtype=np.float64)
    if (error <= 0).any() or (error >= 1).any():
        raise ParameterError(
            f"johnson_lindenstrauss_min_dim: The JL bound is defined for eps in ]0, 1[, got {eps!r:.60}; give a "
            "relative error between 0 and 1"
        )
    if (rows <= 0).any():
        raise ParameterError(
            f"johnson_lindenstrauss_min_dim: The JL bound is defined for n_samples greater than zero, got "
            f"{n_samples!r:.60}; give a number of rows"
        )
    return (4 * np.log(rows) / (error**2 / 2 - error**3 / 3)).astype(np.int64)
