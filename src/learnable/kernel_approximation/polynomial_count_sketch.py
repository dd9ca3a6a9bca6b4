"""Polynomial kernels by sketches of all products of columns."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Trace, Traits, Transformer, estimator, learned, param
from ..core.runtime.random import stream
from ..core.validate.columns import numbered_names
from ..engines.passes import FitsFirstBlock

ROWS_AT_ONCE = 4096


@estimator
class PolynomialCountSketch(FitsFirstBlock, Transformer):
    """Polynomial kernel approximation by tensor sketch, for (gamma x'z + coef0)^degree.

    z(x) = F^-1(prod_d F(S_d x)),    S_d sums columns with random signs into random components, F the Fourier transform

    The product of transforms is the transform of the sketch of all products of columns, which are never formed.
    [Pham and Pagh, 2013]

    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> Z = PolynomialCountSketch(n_components=500, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T / (X @ X.T) ** 2 - 1).max() < 0.2)
    True
    """

    gamma: float = param(1.0, "kernel coefficient gamma", at_least=0)
    degree: int = param(2, "degree of the kernel", at_least=1)
    coef0: float = param(0.0, "independent term of the kernel", at_least=0)
    n_components: int = param(100, "number of random columns", at_least=1, tune=(50, 100, 200, 400), simpler="smaller")
    random_state: RandomState = param(None, "seed of the draws")
    indexHash_: Array = learned("hashed index of each column, for each factor", shape="degree columns")
    bitHash_: Array = learned("sign of each column, for each factor", shape="degree columns")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "polynomial kernel approximation"
    reference = "Pham and Pagh, Fast and scalable polynomial kernels via explicit feature maps, KDD 2013"

    def _unsound(self) -> str:
        """Every column, and the constant if there is one, is added somewhere with a sign."""
        indices, signs, columns = self.indexHash_, self.bitHash_, self.n_features_in_ + (self.coef0 != 0)
        if indices.dtype.kind not in "iu" or indices.shape != (self.degree, columns) or signs.shape != indices.shape:
            return f"indexHash_ and bitHash_ must have {self.degree} rows of {columns} whole numbers"
        if (indices < 0).any() or (indices >= self.n_components).any():
            return "indexHash_ names a component that is not there"
        return ""

    def _fit(self, data: Data, trace: Trace) -> None:
        draws = stream(self.random_state)
        shape = (self.degree, data.p + (self.coef0 != 0))
        self.indexHash_ = draws.randint(0, high=self.n_components, size=shape)
        self.bitHash_ = draws.choice(a=[-1, 1], size=shape)
        self._refuse_large(data.X)

    def _refuse_large(self, X: Matrix) -> None:
        """Say before anything is transformed that products of columns would leave the range of numbers."""
        values = X if isinstance(X, np.ndarray) else X.data
        largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
        size = self.degree * (
            np.log10(max(largest, 1.0)) + np.log10(X.shape[1] * max(self.gamma, 1.0) + self.coef0 + 1)
        )
        if size > np.log10(float(np.finfo(X.dtype).max)) - 3:
            raise DataError(
                f"PolynomialCountSketch: products of {self.degree} columns as large as {largest:.3g} leave the range "
                "of numbers; scale the columns first"
            )

    def _transform(self, X: Matrix) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [self._sketched(X[top : top + ROWS_AT_ONCE]) for top in range(0, X.shape[0], ROWS_AT_ONCE)]
            found = np.concatenate(parts).astype(X.dtype, copy=False)
        if not np.isfinite(found).all():
            raise DataError(
                "PolynomialCountSketch: products of the columns leave the range of numbers; scale the columns first"
            )
        return found

    def _sketched(self, X: Matrix) -> Array:
        spectrum = np.ones((X.shape[0], self.n_components // 2 + 1), dtype=np.complex128)
        for indices, signs in zip(self.indexHash_, self.bitHash_, strict=True):
            spectrum *= np.fft.rfft(self._factor(X, indices, signs), axis=1)
        return np.fft.irfft(spectrum, n=self.n_components, axis=1)

    def _factor(self, X: Matrix, indices: Array, signs: Array) -> Array:
        """One sketch: every column added, with its sign, to its place."""
        from scipy.sparse import csr_array

        columns = X.shape[1]
        shares = signs[:columns] * np.sqrt(self.gamma)
        mixing = csr_array((shares, (indices[:columns], np.arange(columns))), shape=(self.n_components, columns))
        mixed = mixing @ X.T
        found = np.ascontiguousarray((mixed.toarray() if hasattr(mixed, "toarray") else mixed).T, dtype=np.float64)
        if self.coef0 != 0:
            found[:, indices[columns]] += signs[columns] * np.sqrt(self.coef0)
        return found

    def _names_out(self, names: list[str]) -> list[str]:
        return numbered_names(type(self).__name__, self.n_components, "polynomialcountsketch")
