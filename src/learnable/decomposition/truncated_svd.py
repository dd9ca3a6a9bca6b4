"""Truncated singular value decomposition."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..engines import matrix_products
from ..engines.algebra.singular_vectors import (
    SKETCH_TOLERANCE,
    CentredRows,
    Spectrum,
    column_spectrum,
    row_spectrum,
    sketched_spectrum,
)
from ..engines.equivalent_rows import EquivalentRows, column_moments
from ..engines.passes import TrainingRows
from ._projection_base import LinearProjection

SQUARE = 2000  # columns, or rows of a dense table, up to which the Gram matrix is formed
FINE = 1e-10  # residual of the iterative solver


@estimator
class TruncatedSVD(LinearProjection):
    """Truncated singular value decomposition (SVD): the best low-rank approximation of a table, without centring.

    minimise over Y, V, V'V = I    |X - Y V'|^2    with k columns each: Y = X V, and V holds right singular vectors

    Rows are not centred, so a sparse table stays sparse; of word counts this is latent semantic analysis. Computed
    by the Gram matrix for few columns or few dense rows, otherwise by randomised projections. [Eckart, Young, 1936]

    >>> X = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.1]]
    >>> TruncatedSVD(n_components=1).fit(X).singular_values_.round(3)
    array([5.349])
    """

    n_components: int = param(
        2, "number of components", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    algorithm: Literal["arpack", "randomized"] = param(
        "randomized", '"arpack": high precision; "randomized": n_iter power iterations'
    )
    n_iter: int = param(5, "minimum number of power iterations of the randomized algorithm", at_least=0)
    n_oversamples: int = param(10, "number of additional random directions", at_least=1)
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = param(
        "auto", "accepted for compatibility; directions are always orthogonalised"
    )
    random_state: RandomState = param(None, "seed of the random directions")
    tol: float = param(
        0.0, "tolerance of the residual; 0: machine precision for arpack, 1e-3 for randomized", at_least=0
    )
    explained_variance_: Array = learned("variance of the scores", shape="components")
    explained_variance_ratio_: Array = learned("fraction of the total variance", shape="components")
    singular_values_: Array = learned("singular values", shape="components")

    traits = Traits(sparse=True, storage="csr", detects_non_finite=True, stochastic=True)
    title = "truncated singular value decomposition"
    reference = "Eckart and Young, The approximation of one matrix by another of lower rank, 1936"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        limit = data.p - (self.algorithm == "arpack" and data.p > 1)
        if self.n_components > limit:
            raise ParameterError(
                f"TruncatedSVD: n_components({self.n_components}) must be <= n_features({data.p})"
                f"{', strictly less for arpack' if limit < data.p else ''}; reduce n_components"
            )
        rows = CentredRows.of(X, weight, centre=False, summed=data.p <= SQUARE)
        found = self._spectrum(rows)
        self._keep(found, rows, rows.column_means(), float(data.total_weight))
        trace.record(max(found.square - float(found.values @ found.values), 0.0))
        trace.stopped = "exact"
        trace.certify(
            "residual", found.residual, max(self._tolerance(), 1e-9),
            "each component is an exact singular vector of a table with this relative difference of the Gram matrix",
        )  # fmt: skip

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if rows.first.p > SQUARE:
            raise DataError(
                f"TruncatedSVD: {rows.first.p} columns are more than the {SQUARE} whose products a scan adds up; hash "
                "them into fewer, or fit it to a sample"
            )
        found = EquivalentRows.of_groups({0: rows.total(column_moments)}, shifted=False)
        self._fit(found.column_data(rows.first), trace)

    def _spectrum(self, rows: CentredRows) -> Spectrum:
        count = self.n_components
        if rows.summed is not None:
            return column_spectrum(rows.summed, count)
        if count <= rows.shape[0] <= SQUARE and not matrix_products.is_sparse(rows.X):
            return row_spectrum(rows, count)
        passes = self.n_iter if self.algorithm == "randomized" else 0
        draws = generator(seed_of(self.random_state))
        return sketched_spectrum(rows, count, self.n_oversamples, passes, draws, self._tolerance())

    def _tolerance(self) -> float:
        return max(self.tol, SKETCH_TOLERANCE if self.algorithm == "randomized" else FINE)

    def _keep(self, found: Spectrum, rows: CentredRows, mean: Array, total: float) -> None:
        dtype = rows.X.dtype
        lengths = found.values / rows.unit
        mean = mean / rows.unit
        variance = lengths**2 / total - (found.vectors @ mean) ** 2
        whole = found.square / rows.unit / rows.unit / total - float(mean @ mean)
        self.components_ = found.vectors.astype(dtype)
        self.explained_variance_ = np.maximum(variance, 0.0).astype(dtype)
        self.explained_variance_ratio_ = (np.maximum(variance, 0.0) / (whole if whole > 0 else 1.0)).astype(dtype)
        self.singular_values_ = lengths.astype(dtype)
