"""Incremental principal component analysis."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, Data, Incremental, ParameterError, Trace, Traits, estimator, learned, param
from ..engines.algebra.singular_vectors import column_spectrum
from ..engines.equivalent_rows import column_moments
from ..engines.passes import TrainingRows
from ..engines.sufficient_statistics import Moments
from ._gaussian_model import GaussianModel
from ._projection_base import LinearProjection


@estimator
class IncrementalPCA(Incremental, GaussianModel, LinearProjection):
    """Incremental principal component analysis (PCA) of rows that arrive in batches.

    maximise over V, V'V = I    trace V' S V,    S = sum_i s_i (x_i - m)(x_i - m)' / (sum_i s_i - 1)

    Accumulates the means and cross products of the columns: the components are exactly those of `PCA` on all rows so
    far, at p^2 memory and p^3 time per batch.

    >>> model = IncrementalPCA(n_components=1)
    >>> _ = model.partial_fit([[1.0, 1.0], [2.0, 2.1]]).partial_fit([[3.0, 2.9], [4.0, 4.0]])
    >>> model.components_.round(2)
    array([[0.71, 0.7 ]])
    """

    n_components: int | None = param(
        None, "number of components; None: all", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    whiten: bool = param(False, "whether scores are divided by their standard deviations")
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    batch_size: int | None = param(None, "accepted for compatibility; fit reads its rows in one pass", at_least=1)
    explained_variance_: Array = learned("variance along each component", shape="components")
    explained_variance_ratio_: Array = learned("fraction of the total variance", shape="components")
    singular_values_: Array = learned("singular value of each component", shape="components")
    mean_: Array = learned("mean of each column", shape="features")
    var_: Array = learned("variance of each column, over the number of rows", shape="features")
    noise_variance_: float = learned("noise variance: mean variance of the discarded components")
    n_components_: int = learned("number of components", counts="components")
    n_samples_seen_: int | float = learned("number of rows, or sum of their weights", least=0)
    batch_size_: int = learned("batch size, as in scikit-learn")
    products_: Array = learned("centred cross products of the columns", shape="features features")

    traits = Traits(sparse=True, storage="csr")
    title = "incremental principal component analysis"
    reference = "Ross, Lim, Lin and Yang, Incremental learning for robust visual tracking, 2008"

    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True, sample_weight: Any = None) -> Self:  # type: ignore[override]  # scikit-learn has an argument more
        """Update with a batch of rows; the result equals one fit on all rows."""
        return super().partial_fit(X, y, sample_weight)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        self._check_count(rows.first)
        self._keep(rows.total(column_moments), rows.first.X.dtype)

    def _check_count(self, data: Data) -> None:
        if self.n_components is not None and self.n_components > data.p:
            raise ParameterError(
                f"IncrementalPCA: n_components={self.n_components} is larger than the number of columns, {data.p}"
            )

    def _fit_more(self, data: Data) -> None:
        self._check_count(data)
        summed = Moments.of(data.X, np.zeros((data.n, 1)), data.weight)
        if "products_" in self.__dict__:
            summed = self._previous_moments() + summed
        self._keep(summed, data.X.dtype)

    def _keep(self, summed: Moments, dtype: Any) -> None:
        """Store the moments of all rows, and their components."""
        total = int(summed.weight) if summed.weight == int(summed.weight) else summed.weight
        self.n_samples_seen_, self.mean_, self.products_ = total, summed.mean_x, summed.gram
        self.var_ = np.diag(summed.gram) / summed.weight
        self.batch_size_ = self.batch_size or 5 * len(summed.mean_x)
        self._decompose(dtype)

    def _previous_moments(self) -> Moments:
        nothing = np.zeros(1)
        cross = np.zeros((len(self.mean_), 1))
        return Moments(float(self.n_samples_seen_), self.mean_, nothing, self.products_, cross, nothing)

    def _decompose(self, dtype: Any) -> None:
        p, total = len(self.mean_), self.n_samples_seen_
        least = max(min(int(np.ceil(total)), p), 1)
        count = min(self.n_components or least, least)
        found = column_spectrum(self.products_, count)
        left = total - 1 if total > 1 else 1.0
        variance, whole = found.values**2 / left, found.square / left
        self.n_components_ = count
        self.components_ = found.vectors.astype(dtype)
        self.explained_variance_ = variance.astype(dtype)
        self.explained_variance_ratio_ = (variance / (whole or 1.0)).astype(dtype)
        self.singular_values_ = found.values.astype(dtype)
        rest = max(whole - float(variance.sum()), 0.0)
        self.noise_variance_ = rest / (least - count) if count < least else 0.0

    def _mean(self) -> Array:
        return self.mean_

    def _scale(self) -> Array | None:
        deviation = np.sqrt(self.explained_variance_)
        return np.maximum(deviation, np.finfo(deviation.dtype).eps) if self.whiten else None
