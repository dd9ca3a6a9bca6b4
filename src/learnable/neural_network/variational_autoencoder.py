"""Variational autoencoder."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator, param
from ..core.runtime.random import generator, requested_samples, seed_of
from ..engines.networks.code_layers import GaussianCode
from ..parts.layers import Dense, Layer
from ._autoencoder_base import AutoencoderBase


@estimator
class VariationalAutoencoder(AutoencoderBase):
    """Variational autoencoder: a generative model whose codes are normal, with an encoder that approximates them.

    maximise over all weights    mean E log p(x_i | h_i)  -  beta KL(q(h | x_i) || N(0, I)),    h_i ~ q(h | x_i)

    q is normal with the mean and the variances that the encoder gives, drawn as mean + sd * noise; p(x | h) is normal
    with unit variance, or Bernoulli. `transform` returns the means, and `sample` draws rows from the model. [Kingma and
    Welling, 2014; Higgins et al., 2017]

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 1)) * [3.0, -3.0]
    >>> model = VariationalAutoencoder(1, max_iter=60, random_state=0).fit(X)
    >>> bool(np.corrcoef(model.sample(500).T)[0, 1] < -0.9)
    True
    """

    beta: float = param(1.0, "weight of the divergence", at_least=0)

    title = "variational autoencoder"
    reference = "Kingma and Welling, Auto-encoding variational Bayes, ICLR 2014"

    def _code_layers(self) -> list[Layer]:
        return [Dense(2 * self.code), GaussianCode(self.code, float(self.beta))]

    def code_variances(self, X: Any) -> Array:
        """The variances of the codes of the rows of `X`."""
        rows, plan = self._read(X), self._plan(self.n_features_in_)
        return np.asarray(np.exp(self._values(plan, rows, self._depth(plan) - 1)[:, self.code :]))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Rows made of codes that are drawn from the standard normal: their means given the codes."""
        count = requested_samples(self, n_samples)
        seed = seed_of(self.random_state if random_state is None else random_state)
        return self._inverse(generator(seed, 1).standard_normal((count, self.code)))
