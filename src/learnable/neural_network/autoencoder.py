"""Autoencoder."""

from __future__ import annotations

from ..core import estimator
from ._autoencoder_base import AutoencoderBase


@estimator
class Autoencoder(AutoencoderBase):
    """Autoencoder: an encoder makes a short code of each row, and a decoder makes the row again of the code.

    minimise over all weights    sum_i s_i loss(x_i, D(E(x_i))) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    The loss is half the squared error, summed over columns, or the cross-entropy. `transform` encodes, and
    `inverse_transform` decodes. With linear layers the codes span the subspace of the first principal components; with
    hidden layers they follow curved surfaces. Scale the columns first. [Hinton and Salakhutdinov, 2006]

    >>> import numpy as np
    >>> t = np.linspace(-1, 1, 200)
    >>> X = np.column_stack([t, t**2])
    >>> model = Autoencoder(1, max_iter=60, learning_rate_init=0.01, random_state=0).fit(X)
    >>> model.transform(X).shape, bool(model.reconstruction_error(X).mean() < 0.01)
    ((200, 1), True)
    """

    title = "autoencoder"
    reference = "Hinton and Salakhutdinov, Reducing the dimensionality of data with neural networks, Science 313, 2006"
