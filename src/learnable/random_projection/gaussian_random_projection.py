"""Random projection on directions with normal entries."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix, estimator
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ._random_projection_base import RandomProjection


@estimator
class GaussianRandomProjection(RandomProjection):
    """Gaussian random projection: columns combined with normal weights, which nearly keeps all distances.

    z = R x,    R_kj drawn from N(0, 1 / n_components);    E |z|^2 = |x|^2

    The directions do not depend on the rows. A seed draws the same directions as in scikit-learn.
    [Johnson and Lindenstrauss, 1984]

    >>> GaussianRandomProjection(2, random_state=0).fit_transform([[1.0, 0.0, 0.0]]).round(3).tolist()
    [[1.247, 1.585]]
    """

    title = "Gaussian random projection"

    def _directions(self, columns: int) -> Array:
        draws = stream(self.random_state)
        return draws.normal(loc=0.0, scale=1.0 / np.sqrt(self.n_components_), size=(self.n_components_, columns))

    def _transform(self, X: Matrix) -> Array:
        directions = np.ascontiguousarray(self.components_.T, dtype=np.float64)
        return np.asarray(kernels.matvec(X, directions)).astype(X.dtype, copy=False)
