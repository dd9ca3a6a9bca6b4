"""Classical multidimensional scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    Trace,
    Traits,
    estimator,
    generator,
    learned,
    param,
)
from ..core.errors import warn
from ..core.scaling import unit_of
from ..engines.algebra.eigen import CentredSquares, Operator, RowProducts, leading_eigenpairs
from ..neighbors._metrics import SAYS, is_metric
from ._embedding_base import Embedding, check_square, distances_between, own_coordinates

ZERO_EIGENVALUE = 1e-12  # relative eigenvalue that is rounding


@estimator
class ClassicalMDS(Embedding):
    """Classical multidimensional scaling (MDS): coordinates whose inner products match those implied by the distances.

    B = -1/2 H (D o D) H = Y Y',    H = I - 11'/n;    Y = U Lambda^(1/2) of the largest eigenvalues of B

    Recovers Euclidean distances exactly in as many dimensions as they have, up to rotation; then it is PCA of the
    centred rows. Negative eigenvalues, which other distances have, are dropped. B is never formed. New rows are
    placed by Gower's formula, y = 1/2 Lambda^(-1/2) U' (m - d o d) with the column means m of D o D.
    [Torgerson, 1952; Gower, 1968]

    >>> ClassicalMDS(n_components=1).fit([[0.0], [3.0], [9.0]]).embedding_.round(6).tolist()
    [[-4.0], [-1.0], [5.0]]
    """

    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False, tune=(2, 3, 5))
    metric: Any = param("euclidean", "distance metric, or precomputed", accepts=is_metric, says=SAYS)
    metric_params: dict[str, Any] | None = param(None, "options of the metric")

    eigenvalues_: Array = learned("largest eigenvalues of B", shape="components")
    eigenvectors_: Array = learned("their eigenvectors, one per column", shape="rows components")
    square_means_: Array = learned("mean of the squared distances of each training row", shape="rows")
    X_fit_: Array = learned("training rows, or their dissimilarities", shape="rows features")
    unit_: float = learned("power of two that distances are multiplied with")

    traits = Traits(compares_by="metric")
    title = "classical multidimensional scaling"
    reference = "Torgerson, Multidimensional scaling: I. Theory and method, 1952"

    @property
    def dissimilarity_matrix_(self) -> Array:
        """The dissimilarities of the training rows, computed when they are read."""
        return self.X_fit_ if self.pairwise else distances_between(self.X_fit_, self.X_fit_, self.metric, self._options)

    @property
    def _options(self) -> dict[str, Any]:
        return self.metric_params or {}

    def _fit(self, data: Data, trace: Trace) -> None:
        self.X_fit_ = check_square("ClassicalMDS", data.X) if self.pairwise else data.X
        operator, self.unit_, self.square_means_ = self._products()
        count = min(self.n_components, data.n)
        found = leading_eigenpairs(operator, count, generator(0), 1e-10)
        largest = float(found.values.max(initial=0.0))
        values = np.where(found.values > ZERO_EIGENVALUE * largest, found.values, 0.0)
        if (found.values < -ZERO_EIGENVALUE * largest).any():
            warn(
                f"ClassicalMDS: only {int((values > 0).sum())} of {count} eigenvalues are positive: the distances are "
                "not Euclidean, and the other coordinates are 0",
                UserWarning,
            )
        self.eigenvalues_, self.eigenvectors_ = values * operator.scale / self.unit_**2, found.vectors
        self.embedding_ = (found.vectors * np.sqrt(self.eigenvalues_)).astype(data.X.dtype)
        trace.record(-float(values.sum()))
        trace.stopped = "exact"
        trace.certify(
            "residual", found.residual, 1e-9, "|B u - l u| of each eigenvector beside the trace of B is at most this"
        )

    def _products(self) -> tuple[Operator, float, Array]:
        """B over its trace, the power of two of its distances, and the means of the squared distances."""
        rows = self.X_fit_
        unit = unit_of(rows)
        scaled = rows.astype(np.float64) * unit
        if self.metric == "euclidean" and not self._options:
            centred = scaled - scaled.mean(axis=0)
            lengths = np.einsum("ij,ij->i", centred, centred)
            return RowProducts(centred, float(lengths.sum()) or 1.0), unit, lengths + lengths.mean()
        distances = scaled if self.pairwise else distances_between(rows, rows, self.metric, self._options)
        unit = unit if self.pairwise else unit_of(distances)
        squares = (distances if self.pairwise else distances * unit) ** 2
        return CentredSquares(squares, float(squares.mean()) * len(squares) / 2 or 1.0), unit, squares.mean(axis=0)

    def _place(self, X: Matrix) -> Array:
        distances = distances_between(X, self.X_fit_, self.metric, self._options)
        values = self.eigenvalues_ * self.unit_**2
        factor = np.divide(0.5, np.sqrt(values), where=values > 0, out=np.zeros(len(values)))
        placed = ((self.square_means_ - (distances * self.unit_) ** 2) @ self.eigenvectors_) * factor / self.unit_
        nearest = distances.argmin(axis=1)
        return own_coordinates(placed, distances[np.arange(len(X)), nearest], nearest, self.embedding_)

    def _training_rows(self) -> Matrix:
        return self.X_fit_
