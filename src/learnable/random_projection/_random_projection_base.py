"""Base class of random projections: the number of components, products, the inverse."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Invertible,
    Matrix,
    RandomState,
    Trace,
    Traits,
    UnweightedTransformer,
    declaring,
    learned,
    param,
)
from ..core.errors import warn
from ..core.validate.sparse_input import as_dense
from ..engines.algebra.interruptible_lapack import interruptibly
from .johnson_lindenstrauss import johnson_lindenstrauss_min_dim


@declaring
class RandomProjection(UnweightedTransformer, Invertible):
    """Base class of projections on random directions."""

    n_components: int | Literal["auto"] = param(
        "auto", "number of components; auto: by the Johnson-Lindenstrauss lemma", at_least=1, kw_only=False
    )
    eps: float = param(0.1, "largest relative error of squared distances, for n_components='auto'", above=0, below=1)
    compute_inverse_components: bool = param(False, "whether to learn the inverse transform now, or at each use")
    random_state: RandomState = param(None, "seed of the directions")

    components_: Matrix = learned("random directions, one per row", shape="components features", matrix=True)
    n_components_: int = learned("number of components", counts="components")
    inverse_components_: Array = learned("pseudo-inverse of the directions", shape="features components", optional=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    reference = "Johnson and Lindenstrauss, 1984; Achlioptas, Database-friendly random projections, 2003"

    def _fit(self, data: Data, trace: Trace) -> None:
        count = self.n_components
        owner = type(self).__name__
        if count == "auto":
            count = int(johnson_lindenstrauss_min_dim(n_samples=data.n, eps=self.eps))
            if count <= 0:
                raise DataError(
                    f"{owner}: eps={self.eps:g} and n_samples={data.n} lead to a target dimension of {count} which is "
                    "invalid; give n_components"
                )
            if count > data.p:
                raise DataError(
                    f"{owner}: eps={self.eps:g} and n_samples={data.n} lead to a target dimension of {count} which is "
                    f"larger than the original space with n_features={data.p}; raise eps or give n_components"
                )
        elif count > data.p:
            warn(
                f"{owner}: the number of components is higher than the number of features: n_features < n_components "
                f"({data.p} < {count}): the dimension will not be reduced",
                UserWarning,
            )
        self.n_components_ = int(count)
        self.components_ = self._directions(data.p)
        if data.X.dtype == np.float32:
            self.components_ = self.components_.astype(np.float32)
        if self.compute_inverse_components:
            self.inverse_components_ = self._inverse_directions()

    @abstractmethod
    def _directions(self, columns: int) -> Matrix:
        """Random directions, one a row."""

    def _inverse_directions(self) -> Array:
        directions = as_dense(self.components_)
        return np.asarray(interruptibly(np.linalg.pinv, directions)).astype(directions.dtype, copy=False)

    def _inverse(self, X: Matrix) -> Any:
        inverse = self.inverse_components_ if self.compute_inverse_components else self._inverse_directions()
        return np.asarray(X @ inverse.T)

    def inverse_transform(self, X: Any) -> Any:
        """The rows of least length whose projections are those of `X`."""
        return super().inverse_transform(as_dense(X) if hasattr(X, "tocsr") else X)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(self.n_components_)]
