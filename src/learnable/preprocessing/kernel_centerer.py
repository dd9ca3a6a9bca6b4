"""Kernel matrices as if the rows behind them had been centred."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, Transformer, estimator, learned


@estimator
class KernelCenterer(Transformer):
    """Kernel centring: centre a kernel matrix in feature space without computing the features.

    K' = H K H,    H = I - 1 1'/n;    for new rows K_new is shifted by the means of the training kernel

    Equal to the kernel of the features minus their mean; with weights, their weighted mean.

    >>> KernelCenterer().fit_transform([[1.0, 0.0], [0.0, 1.0]])
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    title = "kernel centring"
    traits = Traits(takes="kernel")

    K_fit_rows_: Array = learned("mean of each column of the training kernel", shape="features")
    K_fit_all_: float = learned("mean of the training kernel")
    shares_: Array | None = learned(
        "weight of each training row in the means, None if equal", shape="features", optional=True
    )

    def fit(self, K: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn the means of the training kernel."""
        return super().fit(K, y, sample_weight)

    def transform(self, K: Any, copy: bool = True) -> Any:
        """The centred kernel of new and training rows; `copy` is accepted for compatibility."""
        return super().transform(K)

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.n != data.p:
            raise DataError(
                f"KernelCenterer: a kernel matrix has as many rows as columns; this one has {data.n} and {data.p}"
            )
        self.shares_ = None if data.weight is None else data.weight / data.weight.sum()
        self.K_fit_rows_ = self._means(data.X.T)
        self.K_fit_all_ = float(np.average(self.K_fit_rows_, weights=self.shares_))

    def _means(self, K: Array) -> Array:
        """The mean of each row of `K` over the training rows."""
        found = K.mean(axis=1) if self.shares_ is None else K @ self.shares_
        return np.asarray(found, dtype=K.dtype)

    def _transform(self, K: Matrix) -> Matrix:
        centred = K - self.K_fit_rows_ - self._means(K)[:, None] + self.K_fit_all_
        return np.asarray(centred).astype(K.dtype, copy=False)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"kernelcenterer{j}" for j in range(len(names))]
