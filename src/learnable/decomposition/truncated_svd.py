"""The largest singular values of a table, dense or sparse, not centred."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, ParameterError, RandomState, Trace, estimator, generator, learned, param, seed_of
from ..engines import matrix_products
from ..engines.algebra.spectrum import ROUGH, CentredRows, Spectrum, column_spectrum, row_spectrum, sketched_spectrum
from ._projection_base import Directions

SQUARE = 2000  # columns, or rows of a dense table, of which all products are formed
FINE = 1e-10  # residual to which directions are found one by one


@estimator
class TruncatedSVD(Directions):
    """The directions in which the rows are longest: the best approximation of a table by one of small rank.

    minimise over Y, V, V'V = I    |X - Y V'|^2    with k columns each: Y = X V, and V holds right singular vectors

    Rows are not centred, so a sparse table stays sparse; of counts of words this is latent semantic analysis. Few
    columns, or few dense rows, by all their products; else by random directions and their images. [Eckart, Young, 1936]

    >>> X = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.1]]
    >>> TruncatedSVD(n_components=1).fit(X).singular_values_.round(3)
    array([5.349])
    """

    n_components: int = param(
        2, "number of components", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    algorithm: Literal["arpack", "randomized"] = param(
        "randomized", '"arpack" for components to high precision, "randomized" for as many passes as asked for'
    )
    n_iter: int = param(5, "least number of passes over the data of the randomized algorithm", at_least=0)
    n_oversamples: int = param(10, "further random directions", at_least=1)
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = param(
        "auto", "accepted for compatibility; directions are always kept at right angles"
    )
    random_state: RandomState = param(None, "seed of the random directions")
    tol: float = param(0.0, "residual of directions of arpack; 0 is the best that can be had", at_least=0)
    explained_variance_: Array = learned("variance of the scores", shape="components")
    explained_variance_ratio_: Array = learned("its share of the variance of all columns", shape="components")
    singular_values_: Array = learned("length of the scores", shape="components")

    sparse = True
    storage = "csr"
    detects_non_finite = True
    stochastic = True
    reference = "Eckart and Young, The approximation of one matrix by another of lower rank, 1936"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        limit = data.p - (self.algorithm == "arpack" and data.p > 1)
        if self.n_components > limit:
            raise ParameterError(
                f"TruncatedSVD: n_components({self.n_components}) must be <= n_features({data.p})"
                f"{', strictly less for arpack' if limit < data.p else ''}; ask for fewer components"
            )
        rows = CentredRows.of(X, weight, centre=False, summed=data.p <= SQUARE)
        found = self._spectrum(rows)
        self._keep(found, rows, rows.column_means(), float(data.total_weight))
        trace.record(max(found.square - float(found.values @ found.values), 0.0))
        trace.stopped = "exact"
        trace.certify(
            "residual", found.residual, max(self._tolerance(), 1e-9),
            "each component is an exact singular vector of a table whose products differ by this share",
        )  # fmt: skip

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
        return ROUGH if self.algorithm == "randomized" else max(self.tol, FINE)

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
