"""Sparse autoencoder."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ..engines.networks.code_layers import SparseCode
from ..parts.layers import Dense, Layer
from ._autoencoder_base import AutoencoderBase


@estimator
class SparseAutoencoder(AutoencoderBase):
    """Sparse autoencoder: codes may be longer than rows, and few of their entries are active for a row.

    minimise over all weights    mean loss(x_i, D(h_i))  +  sparsity * penalty(h),    h_i = E(x_i)

    The penalty is the mean |h_i|_1 of ReLU codes, or, of logistic codes, the Kullback-Leibler divergence of each
    entry's mean activation in a batch from `target`. [Ng, 2011; Lee, Ekanadham and Ng, 2008]

    >>> import numpy as np
    >>> X = np.abs(np.random.default_rng(0).normal(size=(200, 4)))
    >>> model = SparseAutoencoder(8, sparsity=0.1, max_iter=80, random_state=0).fit(X)
    >>> bool((model.transform(X) == 0).mean() > 0.3)
    True
    """

    code: int = param(64, "number of entries of a code", kw_only=False, at_least=1, tune=(16, 64, 256))
    encoder: tuple[Layer, ...] | list[Layer] = param((), "layers before the code", kw_only=False)
    penalty: Literal["l1", "divergence"] = param("l1", "penalty of the code")
    sparsity: float = param(0.01, "strength of the penalty", at_least=0, tune=(1e-3, 1e-2, 0.1))
    target: float = param(0.05, "mean activation that the divergence is from", above=0, below=1)

    title = "sparse autoencoder"
    reference = "Lee, Ekanadham and Ng, Sparse deep belief net model for visual area V2, NIPS 2007"

    def _code_layers(self) -> list[Layer]:
        active = Dense(self.code, "relu" if self.penalty == "l1" else "logistic")
        return [active, SparseCode(self.penalty, float(self.sparsity), float(self.target))]
