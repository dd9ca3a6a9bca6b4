"""Random waves: cosines of random projections, whose inner products approximate a kernel."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix
from ..core.runtime.native import kernels


def waves(X: Matrix, weights: Array, offset: Array) -> Array:
    """sqrt(2 / m) cos(x'w_k + b_k) for each of the m columns of `weights`, in the precision of X."""
    found: Array = kernels.matvec(X, weights.astype(np.float64), offset.astype(np.float64))
    np.cos(found, out=found)
    found *= np.sqrt(2.0 / len(offset))
    return found.astype(X.dtype, copy=False)
