"""Denoising autoencoder."""

from __future__ import annotations

from typing import Literal

from ..core import ParameterError, estimator, param
from ..parts.layers import Dropout, GaussianNoise, Layer
from ._autoencoder_base import AutoencoderBase


@estimator
class DenoisingAutoencoder(AutoencoderBase):
    """Denoising autoencoder: reconstructs rows from corrupted copies, and so learns how columns depend on each other.

    minimise over all weights    sum_i s_i E loss(x_i, D(E(c(x_i)))) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    c is drawn again in every step: it sets a fraction of the entries to zero (and divides the others by one minus it),
    or adds normal noise. `reconstruct` removes noise from new rows. [Vincent et al., 2008]

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 1)) * np.ones(6)
    >>> noisy = X + np.random.default_rng(1).normal(size=X.shape)
    >>> model = DenoisingAutoencoder(1, noise="gaussian", noise_level=1.0, max_iter=40, random_state=0).fit(X)
    >>> bool(((model.reconstruct(noisy) - X) ** 2).mean() < 0.5)
    True
    """

    noise: Literal["masking", "gaussian"] = param("masking", "how rows are corrupted")
    noise_level: float = param(
        0.3, "fraction of entries that are masked, or standard deviation of the noise", at_least=0
    )

    title = "denoising autoencoder"
    reference = "Vincent, Larochelle, Bengio and Manzagol, Extracting and composing robust features, ICML 2008"

    def _before(self) -> list[Layer]:
        if self.noise == "gaussian":
            return [GaussianNoise(float(self.noise_level))]
        if not self.noise_level < 1:
            raise ParameterError(
                f"DenoisingAutoencoder: noise_level must be below 1 for masking noise; got {self.noise_level!r}"
            )
        return [Dropout(float(self.noise_level))]
