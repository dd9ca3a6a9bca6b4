"""Numbers cut into bins, and the bins of several columns crossed."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Transformer, estimator, learned, param
from ..core.validate.columns import check_names_fit
from .k_bins_discretizer import KBinsDiscretizer


@estimator
class FeatureCrosser(Transformer):
    """Feature crosses: indicators of bins and of combinations of bins of several features.

    z_(j,a) = [x_j in bin a],    z_(j,a)(k,b) = z_(j,a) z_(k,b),    and so on up to `degree` columns

    A linear model of these is constant on boxes, which one of the columns themselves cannot be. The number of columns
    is a sum of products of bins: few of them keep it small.

    >>> FeatureCrosser(n_bins=2, sparse_output=False).fit_transform([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    array([[1., 0., 1., 0., 1., 0., 0., 0.],
           [1., 0., 0., 1., 0., 1., 0., 0.],
           [0., 1., 1., 0., 0., 0., 1., 0.],
           [0., 1., 0., 1., 0., 0., 0., 1.]])
    """

    title = "feature crosses"

    n_bins: int = param(
        4, "number of bins of each column", kw_only=False, at_least=2, tune=(2, 4, 8), simpler="smaller"
    )
    strategy: Literal["uniform", "quantile", "kmeans", "log"] = param("quantile", "placement of the bins")
    degree: int = param(2, "maximum number of columns in a cross", at_least=1, tune=(1, 2, 3), simpler="smaller")
    include_bins: bool = param(True, "whether to keep the bins of single columns beside the crosses")
    sparse_output: bool = param(True, "whether the result is sparse")

    bins_: Any = learned("the fitted bins of the columns")

    def _fit(self, data: Data, trace: Trace) -> None:
        bins = KBinsDiscretizer(self.n_bins, encode="ordinal", strategy=self.strategy, subsample=None)
        self.bins_ = bins.fit(data.X, None, data.weight)

    def _crosses(self) -> list[tuple[int, ...]]:
        """The columns of each block of indicators."""
        least = 1 if self.include_bins or self.degree == 1 else 2
        widths = range(least, min(self.degree, self.n_features_in_) + 1)
        check_names_fit(type(self).__name__, sum(comb(self.n_features_in_, width) for width in widths))
        found = [chosen for width in widths for chosen in combinations(range(self.n_features_in_), width)]
        return found or [(j,) for j in range(self.n_features_in_)]

    def _transform(self, X: Matrix) -> Any:
        codes, counts = self.bins_._transform(X).astype(np.int64), self.bins_.n_bins_
        indices, end = [], 0
        for chosen in self._crosses():
            place = np.zeros(len(codes), dtype=np.int64)
            for j in chosen:
                place = place * counts[j] + codes[:, j]
            indices.append(place + end)
            end += int(np.prod(counts[list(chosen)]))
        return self._indicators(np.column_stack(indices), end, X.dtype)

    def _indicators(self, indices: Array, width: int, dtype: Any) -> Any:
        rows, blocks = indices.shape
        if not self.sparse_output:
            result = np.zeros((rows, width), dtype=dtype)
            np.put_along_axis(result, indices, 1, axis=1)
            return result
        from scipy.sparse import csr_array

        starts = np.arange(rows + 1) * blocks
        return csr_array((np.ones(rows * blocks, dtype=dtype), indices.ravel(), starts), shape=(rows, width))

    def _names_out(self, names: list[str]) -> list[str]:
        counts, found = self.bins_.n_bins_, []
        for chosen in self._crosses():
            for codes in np.ndindex(*(int(counts[j]) for j in chosen)):
                found.append(" ".join(f"{names[j]}_bin{code}" for j, code in zip(chosen, codes, strict=True)))
        return found
