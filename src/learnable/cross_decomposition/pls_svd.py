"""Partial least squares by one singular value decomposition."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Data, Trace, Traits, estimator, param
from ..core.declare import params
from ._projection_base import PairProjection


@estimator
class PLSSVD(PairProjection):
    """Partial least squares by singular value decomposition: pairs of directions with decreasing covariance.

    X'Y = U S V',    scores X U and Y V

    The first pair is that of PLSCanonical; the others are orthogonal, and nothing is removed from the tables.
    [Bookstein, 1994]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.5]], [[0.1, -0.2], [0.9, 1.1], [2.1, 2.0], [2.9, 3.1]]
    >>> PLSSVD(n_components=2).fit(X, Y).transform(X).shape
    (4, 2)
    """

    copy: bool = param(True, "accepted for compatibility; data are never changed")

    traits = Traits(task="transformation", uses_target="always")
    title = "partial least squares by singular value decomposition"
    reference = "Wegelin, A survey of partial least squares (PLS) methods, University of Washington, 2000"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find directions of `X` and the targets `y`; a weight of 3 counts a row as three copies."""
        params.check(self)
        matrix, names = self._enter_to_learn(X, sample_weight)
        rows = matrix.shape[0]
        target = self._validator.target(y, rows, np.float64, True)
        data = Data(matrix, target, self._validator.weights(sample_weight, rows), names)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, names)
            self._fit(data, trace)
        return self

    def transform(self, X: Any, y: Any = None) -> Any:
        """Scores of the rows of `X`, and with `y` those of their targets too."""
        return self._projected(X, y)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y).transform(X, y)`."""
        return self.fit(X, y, sample_weight).transform(X, y)

    def _fit(self, data: Data, trace: Trace) -> None:
        x, y, weight = self._centred(data, min(data.n, data.p, data.y.reshape(data.n, -1).shape[1]))
        U, _, V = np.linalg.svd(x.rows.T @ (weight[:, None] * y.rows), full_matrices=False)
        largest = U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])]
        signs = np.where(largest < 0, -1.0, 1.0)[: self.n_components]
        self.x_weights_ = (U[:, : self.n_components] * signs).astype(data.X.dtype)
        self.y_weights_ = (V[: self.n_components].T * signs).astype(data.X.dtype)
        trace.exact("singular vectors of the cross-covariance")
