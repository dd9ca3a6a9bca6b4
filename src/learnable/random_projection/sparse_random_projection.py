"""Random projection on directions with few entries."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Matrix, ParameterError, estimator, generator, learned, param, seed_of
from ._random_projection_base import RandomProjection


def is_density(value: float | str) -> bool:
    """Whether it is a share of entries, or auto."""
    return value == "auto" if isinstance(value, str) else 0 < value <= 1


@estimator
class SparseRandomProjection(RandomProjection):
    """Sparse random projection: as good as the Gaussian one, with few entries to multiply.

    z = R x,    R_kj = +-sqrt(1 / (density n_components)) with probability density / 2 each, otherwise 0

    Sparse rows give sparse rows unless `dense_output`. [Achlioptas, 2003; Li, Hastie and Church, 2006]

    >>> bool(SparseRandomProjection(4, density=1.0, random_state=0).fit_transform(np.eye(4)).any())
    True
    """

    density: float | Literal["auto"] = param(
        "auto", "fraction of entries that are not 0; auto: 1 / sqrt(n_features)", accepts=is_density,
        says="auto, or above 0 and at most 1",
    )  # fmt: skip
    dense_output: bool = param(False, "whether the result of sparse input is dense")

    density_: float = learned("fraction of entries that are not 0")

    title = "sparse random projection"

    def _directions(self, columns: int) -> Matrix:
        from scipy.sparse import csr_matrix

        self.density_ = 1 / np.sqrt(columns) if self.density == "auto" else float(self.density)
        draws, count = generator(seed_of(self.random_state), 0), self.n_components_
        if count * columns * self.density_ > 2**31:
            raise ParameterError(
                f"SparseRandomProjection: {count} components of {columns} columns at density {self.density_:.3g} have "
                "too many entries; give a smaller n_components or density"
            )
        counts = draws.binomial(columns, self.density_, size=count)
        index = np.concatenate([np.sort(draws.choice(columns, size=size, replace=False)) for size in counts])
        sign = draws.integers(0, 2, size=len(index)) * 2.0 - 1.0
        start = np.append(0, np.cumsum(counts))
        value = sign * np.sqrt(1 / (self.density_ * count))
        return csr_matrix((value, index, start), shape=(count, columns))

    def _transform(self, X: Matrix) -> Matrix:
        product = X @ self.components_.T
        if not hasattr(product, "tocsr"):
            return np.asarray(product)
        found: Matrix = product.toarray() if self.dense_output else product.tocsr()
        return found
