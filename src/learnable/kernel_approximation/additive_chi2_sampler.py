"""The additive chi-squared kernel, sampled at regular frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, Transformer, estimator, param
from ..core.validate.columns import check_names_fit
from ..engines.passes import FitsFirstBlock

INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}


@estimator
class AdditiveChi2Sampler(FitsFirstBlock, Transformer):
    """Additive chi-squared kernel approximation: explicit features of histograms by sampling the kernel's spectrum.

    k(x, z) = sum_j 2 x_j z_j / (x_j + z_j)

    Its Fourier transform sampled at regular steps: for each column the root of x, and cosines and sines of multiples of
    log x. Nothing is learned. [Vedaldi and Zisserman, 2012]

    >>> Z = AdditiveChi2Sampler(sample_steps=3).fit_transform([[1.0], [4.0]])
    >>> (Z @ Z.T).round(1)
    array([[1. , 1.6],
           [1.6, 3.8]])
    """

    sample_steps: int = param(2, "number of frequencies, zero among them", at_least=1)
    sample_interval: float | None = param(None, "step of the frequencies; known for up to three of them", at_least=0)

    traits = Traits(sparse=True, storage="csr", positive_columns=True, stateless=True)
    title = "additive chi-squared kernel approximation"
    reference = "Vedaldi and Zisserman, Efficient additive kernels via explicit feature maps, PAMI 2012"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._step()
        _refuse_negative(data.X)

    def _transform(self, X: Matrix) -> Matrix:
        _refuse_negative(X)
        if isinstance(X, np.ndarray):
            return np.hstack(self._sampled(X))
        from scipy.sparse import csr_array, hstack

        parts = [csr_array((values, X.indices, X.indptr), shape=X.shape) for values in self._sampled(X.data)]
        return hstack(parts, format="csr")

    def _sampled(self, values: Array) -> list[Array]:
        """The root of every entry, and its cosine and sine at every further frequency; zeros stay."""
        step = self._step()
        there = values > 0
        logs = np.where(there, np.log(np.where(there, values, 1)), 0) * step
        found = [np.sqrt(values * step)]
        for j in range(1, self.sample_steps):
            size = np.sqrt(2 * values * step / np.cosh(np.pi * j * step))
            found += [size * np.cos(j * logs), size * np.sin(j * logs)]
        return [np.asarray(part, dtype=values.dtype) for part in found]

    def _step(self) -> float:
        if self.sample_interval is not None:
            return self.sample_interval
        if self.sample_steps not in INTERVALS:
            raise ParameterError(
                "AdditiveChi2Sampler: If sample_steps is not in [1, 2, 3], you need to provide sample_interval"
            )
        return INTERVALS[self.sample_steps]

    def _names_out(self, names: list[str]) -> list[str]:
        check_names_fit(type(self).__name__, (2 * self.sample_steps - 1) * len(names))
        kinds = ["sqrt", *(f"{wave}{j}" for j in range(1, self.sample_steps) for wave in ("cos", "sin"))]
        return [f"additivechi2sampler_{name}_{kind}" for kind in kinds for name in names]


def _refuse_negative(X: Any) -> None:
    values = X if isinstance(X, np.ndarray) else X.data
    if (values < 0).any():
        raise DataError("Negative values in data passed to AdditiveChi2Sampler: its kernel needs X >= 0")
