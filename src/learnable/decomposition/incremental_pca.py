"""Principal components of rows that come in parts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, Data, Incremental, ParameterError, estimator, learned, param
from ..engines.algebra.spectrum import column_spectrum
from ..engines.sufficient_statistics import Moments
from ._gaussian_model import GaussianModel
from ._projection_base import Directions


@estimator
class IncrementalPCA(Incremental, GaussianModel, Directions):
    """Principal components of rows that come in parts, and need not be in memory together.

    maximise over V, V'V = I    trace V' S V,    S = sum_i s_i (x_i - m)(x_i - m)' / (sum_i s_i - 1)

    Keeps mean and products of the columns, which add up: the components are those of `PCA` on all rows so far, not an
    approximation, at the cost of p^2 numbers of memory and p^3 steps for each part.

    >>> model = IncrementalPCA(n_components=1)
    >>> _ = model.partial_fit([[1.0, 1.0], [2.0, 2.1]]).partial_fit([[3.0, 2.9], [4.0, 4.0]])
    >>> model.components_.round(2)
    array([[0.71, 0.7 ]])
    """

    n_components: int | None = param(
        None, "number of components; None for all", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    whiten: bool = param(False, "whether scores are divided by their standard deviations")
    copy: bool = param(True, "accepted for compatibility; X is never changed")
    batch_size: int | None = param(None, "accepted for compatibility; fit reads its rows in one pass", at_least=1)
    explained_variance_: Array = learned("variance along each component", shape="components")
    explained_variance_ratio_: Array = learned("its share of the variance of all columns", shape="components")
    singular_values_: Array = learned("length of the scores of each component", shape="components")
    mean_: Array = learned("mean of each column", shape="features")
    var_: Array = learned("variance of each column, over the number of rows", shape="features")
    noise_variance_: float = learned("mean variance in the directions left out")
    n_components_: int = learned("number of components", counts="components")
    n_samples_seen_: int | float = learned("number of rows, with weights their sum")
    batch_size_: int = learned("rows of a part, as scikit-learn would choose them")
    products_: Array = learned("sums of products of the columns about their means", shape="features features")

    sparse = True
    storage = "csr"
    reference = "Ross, Lim, Lin and Yang, Incremental learning for robust visual tracking, 2008"

    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True, sample_weight: Any = None) -> Self:  # type: ignore[override]  # scikit-learn has an argument more
        """Take more rows into account; the result is that of one fit on all rows."""
        return super().partial_fit(X, y, sample_weight)

    def _fit_more(self, data: Data) -> None:
        if self.n_components is not None and self.n_components > data.p:
            raise ParameterError(
                f"IncrementalPCA: n_components={self.n_components} directions cannot be found in {data.p} columns"
            )
        summed = Moments.of(data.X, np.zeros((data.n, 1)), data.weight)
        if "products_" in self.__dict__:
            summed = self._so_far() + summed
        total = int(summed.weight) if summed.weight == int(summed.weight) else summed.weight
        self.n_samples_seen_, self.mean_, self.products_ = total, summed.mean_x, summed.gram
        self.var_ = np.diag(summed.gram) / summed.weight
        self.batch_size_ = self.batch_size or 5 * data.p
        self._decompose(data.X.dtype)

    def _so_far(self) -> Moments:
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
