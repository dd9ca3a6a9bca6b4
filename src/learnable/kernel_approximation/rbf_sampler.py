"""Random Fourier features of the Gaussian kernel."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, Traits, Transformer, estimator, learned, param
from ..core.runtime.random import stream
from ..engines.passes import FitsFirstBlock
from ..parts.kernels import scale_of
from ._random_fourier import waves


@estimator
class RBFSampler(FitsFirstBlock, Transformer):
    """Random Fourier features that approximate the Gaussian kernel exp(-gamma |x - z|^2).

    z_k(x) = sqrt(2 / m) cos(x'w_k + b_k),    w_k normal with variance 2 gamma,  b_k uniform on a circle

    The error falls with the root of the number of waves. [Rahimi and Recht, 2007]

    >>> import numpy as np
    >>> Z = RBFSampler(gamma=0.5, n_components=20_000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> (Z @ Z.T).round(1)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    gamma: float | Literal["scale"] = param(
        1.0, 'kernel coefficient gamma; "scale": 1 / (n_features * X.var())', at_least=0, tune=(0.01, 0.1, 1.0)
    )
    n_components: int = param(
        100, "number of random Fourier components", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    random_state: RandomState = param(None, "seed of the draws")
    random_weights_: Array = learned("frequency vector of each component", shape="features components")
    random_offset_: Array = learned("phase of each component", shape="components")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "random Fourier features"
    reference = "Rahimi and Recht, Random features for large-scale kernel machines, NIPS 2007"

    def _fit(self, data: Data, trace: Trace) -> None:
        draws = stream(self.random_state)
        rate = scale_of(data.X, self.gamma, data.weight)
        weights = np.sqrt(2.0 * rate) * draws.normal(size=(data.p, self.n_components))
        self.random_weights_ = weights.astype(data.X.dtype)
        self.random_offset_ = draws.uniform(0, 2 * np.pi, size=self.n_components).astype(data.X.dtype)

    def _transform(self, X: Matrix) -> Array:
        return waves(X, self.random_weights_, self.random_offset_)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"rbfsampler{k}" for k in range(self.random_offset_.size)]
