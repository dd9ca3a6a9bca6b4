"""Random Fourier features of the skewed chi-squared kernel."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Trace, Traits, Transformer, estimator, learned, param
from ..core.runtime.random import stream
from ..engines.passes import FitsFirstBlock
from ._random_fourier import waves


@estimator
class SkewedChi2Sampler(FitsFirstBlock, Transformer):
    """Skewed chi-squared kernel approximation by random Fourier features of logarithms.

    k(x, z) = prod_j 2 sqrt(x_j + c) sqrt(z_j + c) / (x_j + z_j + 2 c),    c the skewedness

    z_k(x) = sqrt(2 / m) cos(log(x + c)'w_k + b_k) with w_k drawn from the hyperbolic secant. [Li et al., 2010]

    >>> Z = SkewedChi2Sampler(n_components=5000, random_state=0).fit_transform([[0.0], [3.0]])
    >>> (Z @ Z.T).round(1)
    array([[1. , 0.8],
           [0.8, 1. ]])
    """

    skewedness: float = param(1.0, "shift added to every entry; entries must be above its negative")
    n_components: int = param(
        100, "number of random Fourier components", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    random_state: RandomState = param(None, "seed of the draws")
    random_weights_: Array = learned("frequency vector of each component", shape="features components")
    random_offset_: Array = learned("phase of each component", shape="components")

    traits = Traits(stochastic=True)
    title = "skewed chi-squared kernel approximation"
    reference = "Li, Ionescu and Sminchisescu, Random Fourier approximations for skewed multiplicative kernels, 2010"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._refuse_small(data.X if data.weight is None else data.X[data.weight > 0])
        draws = stream(self.random_state)
        shares = draws.uniform(size=(data.p, self.n_components))
        self.random_weights_ = (np.log(np.tan(np.pi / 2.0 * shares)) / np.pi).astype(data.X.dtype)
        self.random_offset_ = draws.uniform(0, 2 * np.pi, size=self.n_components).astype(data.X.dtype)

    def _transform(self, X: Matrix) -> Array:
        self._refuse_small(X)
        return waves(np.log(X + X.dtype.type(self.skewedness)), self.random_weights_, self.random_offset_)

    def _refuse_small(self, X: Matrix) -> None:
        if (X + X.dtype.type(self.skewedness) <= 0).any():
            raise DataError(
                "SkewedChi2Sampler: X holds numbers of -skewedness or less, which have no logarithm; give a larger "
                "skewedness"
            )

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"skewedchi2sampler{k}" for k in range(self.random_offset_.size)]
