"""Principal component analysis."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
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
from ..core.numeric import EPSILON
from ..engines import matrix_products
from ..engines.algebra.singular_vectors import (
    CentredRows,
    Spectrum,
    column_spectrum,
    row_spectrum,
    sketched_spectrum,
    whole_spectrum,
)
from ..engines.equivalent_rows import EquivalentRows, column_moments
from ..engines.exact_learning import LearnsExactly
from ..engines.exact_summary import ExactSummary
from ..engines.passes import TrainingRows, exact_sums
from ..engines.sufficient_statistics import Moments
from ._gaussian_model import GaussianModel
from ._n_components import likeliest_dimension
from ._projection_base import LinearProjection

MAX_FULL_SVD = 500  # rows and columns up to which the full SVD is cheap
SQUARE = 2000  # columns, or rows, up to which the Gram matrix is formed instead of random projections
FINE, FINEST = 1e-10, 1e-12  # residual of the iterative eigensolver, and where it is requested by name

Solver = Literal["auto", "full", "covariance_eigh", "arpack", "randomized"]


def _is_count(value: Any) -> bool:
    if value is None or value == "mle":
        return True
    return int(value) >= 0 if isinstance(value, Integral) else 0 < value < 1


@estimator
class PCA(LearnsExactly, GaussianModel, LinearProjection):
    """Principal component analysis (PCA): orthogonal directions of maximum variance.

    maximise over V, V'V = I    trace V' S V,    S = sum_i s_i (x_i - m)(x_i - m)' / (sum_i s_i - ddof)

    The same V minimises the squared error of the reconstruction m + VV'(x - m), which is (sum s - ddof) times the
    discarded variances. Computed by eigenvectors of S for many rows, of the Gram matrix of the rows for many columns,
    by the singular value decomposition of X - m, or by randomised projections if both are many. [Pearson, 1901;
    Hotelling, 1933]

    >>> X = [[1.0, 1.0], [2.0, 2.1], [3.0, 2.9], [4.0, 4.0]]
    >>> PCA(n_components=1).fit(X).components_.round(2)
    array([[0.71, 0.7 ]])
    """

    n_components: int | float | Literal["mle"] | None = param(
        None, 'number of components, fraction of explained variance, "mle" (Minka), None: all',
        kw_only=False, accepts=_is_count, says='an integer from 0, a fraction between 0 and 1, "mle" or None',
        tune=(2, 5, 10, 20), simpler="smaller"
    )  # fmt: skip
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    whiten: bool = param(False, "whether scores are divided by their standard deviations")
    svd_solver: Solver = param("auto", "solver; auto: chosen by the shape")
    tol: float = param(0.0, "tolerance of the iterative solver (arpack)", at_least=0)
    iterated_power: int | Literal["auto"] = param(
        "auto", "minimum number of power iterations of the randomized solver", at_least=0
    )
    n_oversamples: int = param(10, "number of additional random directions", at_least=1)
    power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = param(
        "auto", "accepted for compatibility; directions are always orthogonalised"
    )
    random_state: RandomState = param(None, "seed of the random directions")
    ddof: int = param(1, "delta degrees of freedom of the variance: 1, or 0 for maximum likelihood", between=(0, 1))
    explained_variance_: Array = learned("variance along each component", shape="components")
    explained_variance_ratio_: Array = learned("fraction of the total variance", shape="components")
    singular_values_: Array = learned("singular value of each component", shape="components")
    mean_: Array = learned("mean of each column", shape="features")
    n_components_: int = learned("number of components", counts="components")
    n_samples_: int | float = learned("number of rows, or sum of their weights")
    noise_variance_: float = learned("noise variance: mean variance of the discarded components")

    traits = Traits(sparse=True, storage="csr", detects_non_finite=True)
    title = "principal component analysis"
    summary_kind = "moments"
    reference = "Pearson, On lines and planes of closest fit to systems of points in space, 1901"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        solver, count = self._plan(X)
        rows = CentredRows.of(X, weight, summed=solver == "covariance_eigh")
        found = self._spectrum(rows, solver, count)
        total = data.total_weight
        left = total - self.ddof if total > self.ddof else 1.0
        self._keep(found, rows, left, total)
        trace.record(max(found.square - float((found.values[: self.n_components_] ** 2).sum()), 0.0))
        trace.stopped = "exact"
        trace.certify(
            "residual", found.residual, max(self._tolerance(solver), 1e-9),
            "each component is an exact eigenvector of a covariance with this relative difference",
        )  # fmt: skip

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if exact_sums():
            self._fit_summary(self._exact_summary(rows), trace)
        else:
            self._fit_moments(rows.total(column_moments), rows.first, trace)

    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        self._fit_moments(summary.statistics.moments(), summary.like(), trace)

    def _fit_moments(self, moments: Moments, like: Data, trace: Trace) -> None:
        """Fit to the moments of the columns; `like` are some of the rows or none, for names and types."""
        found = EquivalentRows.of(moments)
        self._fit(found.column_data(like), trace)
        self.mean_ = (self.mean_ + found.shift).astype(self.mean_.dtype)

    def _plan(self, X: Matrix) -> tuple[Solver, int]:
        """The solver, and the maximum number of components."""
        n, p = X.shape
        least, sparse, requested = min(n, p), matrix_products.is_sparse(X), self._requested
        if sparse and self.svd_solver in ("full", "randomized"):
            raise TypeError(
                f"PCA: svd_solver={self.svd_solver!r} would make the sparse matrix dense; use 'arpack' or "
                "'covariance_eigh', or TruncatedSVD"
            )
        solver = self.svd_solver if self.svd_solver != "auto" else self._choice(n, p, sparse)
        one_by_one = solver in ("arpack", "randomized")
        if self.n_components == "mle" and n < p:
            raise ParameterError("PCA: n_components='mle' needs as many rows as columns; give an integer")
        if one_by_one and requested is None and self.n_components is not None:
            raise ParameterError(
                f"PCA: n_components={self.n_components!r} needs another svd_solver than {solver!r}; give an integer"
            )
        bounds = (int(one_by_one), least - (solver == "arpack"))
        if requested is not None and not bounds[0] <= requested <= bounds[1]:
            strictly = ", strictly less than it," if solver == "arpack" else ""
            raise ParameterError(
                f"PCA: n_components={requested} must be between {bounds[0]} and min(n_samples, n_features)={least}"
                f"{strictly} with svd_solver={solver!r}"
            )
        return solver, max(bounds[1], 1) if requested is None else requested

    @property
    def _requested(self) -> int | None:
        """The requested number of components; None if the variances decide it."""
        return int(self.n_components) if isinstance(self.n_components, Integral) else None

    def _choice(self, n: int, p: int, sparse: bool) -> Solver:
        """The solver for this shape: scikit-learn's, but exact wherever products of columns or rows are cheap."""
        few = self._requested is not None and 1 <= self._requested < 0.8 * min(n, p)
        if sparse:
            return "arpack" if p > SQUARE and few else "covariance_eigh"
        if (p <= 1000 and n >= 10 * p) or (few and n >= p and p <= SQUARE and max(n, p) > MAX_FULL_SVD):
            return "covariance_eigh"
        return "randomized" if few and max(n, p) > MAX_FULL_SVD else "full"

    def _spectrum(self, rows: CentredRows, solver: Solver, count: int) -> Spectrum:
        n, p = rows.shape
        if rows.summed is not None:
            return column_spectrum(rows.summed, min(n, p) if self._requested is None else max(count, 1))
        if solver == "full":
            return whole_spectrum(rows)
        if self.svd_solver == "auto" and n <= SQUARE and not matrix_products.is_sparse(rows.X):
            return row_spectrum(rows, count)
        passes = self.iterated_power if self.iterated_power != "auto" else 7 if count < 0.1 * min(n, p) else 4
        passes = 0 if solver == "arpack" else passes
        draws = generator(seed_of(self.random_state))
        return sketched_spectrum(rows, count, self.n_oversamples, passes, draws, self._tolerance(solver))

    def _tolerance(self, solver: Solver) -> float:
        least = FINEST if self.svd_solver == "arpack" else FINE
        return {"arpack": max(self.tol, least), "randomized": 1e-2}.get(solver, 0.0)

    def _keep(self, found: Spectrum, rows: CentredRows, left: float, total: float) -> None:
        """Store the requested components, in the units of the data."""
        dtype, least = rows.X.dtype, min(rows.shape)
        lengths = found.values / rows.unit
        variances, all_variance = lengths**2 / left, found.square / rows.unit / rows.unit / left
        count = self._count(variances, all_variance, total)
        rest = max(all_variance - float(variances[:count].sum()), 0.0)
        rest = rest if rest > 4 * EPSILON * all_variance else 0.0
        self.n_components_, self.n_samples_ = count, total
        self.mean_ = (rows.mean / rows.unit).astype(dtype)
        self.components_ = found.vectors[:count].astype(dtype)
        self.explained_variance_ = variances[:count].astype(dtype)
        self.explained_variance_ratio_ = (variances[:count] / (all_variance or 1.0)).astype(dtype)
        self.singular_values_ = lengths[:count].astype(dtype)
        self.noise_variance_ = rest / (least - count) if count < least else 0.0

    def _count(self, variances: Array, all_variance: float, total: float) -> int:
        if self.n_components == "mle":
            return likeliest_dimension(variances, total)
        if self.n_components is None or self._requested is not None:
            return len(variances) if self._requested is None else self._requested
        explained = np.cumsum(variances / (all_variance or 1.0))  # the sums of explained_variance_ratio_, to the bit
        return min(int(np.searchsorted(explained, float(self.n_components), side="right")) + 1, len(variances))

    def _mean(self) -> Array:
        return self.mean_

    def _scale(self) -> Array | None:
        if not self.whiten:
            return None
        deviation = np.sqrt(self.explained_variance_)
        return np.asarray(np.maximum(deviation, np.finfo(deviation.dtype).eps))
