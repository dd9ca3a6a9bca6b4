"""Base class of linear projections on components."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Invertible, Matrix, declaring, learned
from ..core.runtime.native import kernels
from ..core.validate.sparse_input import as_dense


def score_names(model: Any, count: int) -> list[str]:
    """Names of the output columns: class name and number, as in scikit-learn."""
    return [f"{type(model).__name__.lower()}{k}" for k in range(count)]


def products(X: Matrix, directions: Array, mean: Array | None) -> Array:
    """(X - mean) D' in the precision of `X`."""
    if len(directions) == 0:
        return np.empty((X.shape[0], 0), dtype=X.dtype)
    components = directions.astype(np.float64, copy=False)
    offset = np.zeros(len(components)) if mean is None else -components @ mean.astype(np.float64, copy=False)
    found: Array = kernels.matvec(X, components.T, offset)
    return found.astype(X.dtype, copy=False)


@declaring
class LinearProjection(Invertible):
    """Base class of transformers that project rows on `components_`, and reconstruct rows from scores."""

    components_: Array = learned(
        "components: directions in the feature space, one per row", shape="components features"
    )

    def _mean(self) -> Array | None:
        """The mean that is subtracted from the rows."""
        return None

    def _scale(self) -> Array | None:
        """The scale that scores are divided by."""
        return None

    def _transform(self, X: Matrix) -> Array:
        scale = self._scale()
        directions = self.components_ if scale is None else self.components_ / scale[:, None]
        return products(X, directions, self._mean())

    def _inverse(self, X: Matrix) -> Array:
        scale, mean = self._scale(), self._mean()
        X = as_dense(X)
        found = (X if scale is None else X * scale) @ self.components_
        return np.asarray(found if mean is None else found + mean).astype(X.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.components_))
