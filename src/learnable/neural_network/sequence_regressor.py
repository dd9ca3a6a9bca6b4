"""Neural network regressor of sequences."""

from __future__ import annotations

from typing import Any, Self

from ..core import estimator
from ._sequence_network import SequenceNetwork
from .network_regressor import NetworkRegressor


@estimator
class SequenceRegressor(SequenceNetwork, NetworkRegressor):
    """Recurrent neural network regressor of sequences: of numbers, texts or lists of symbols, of different lengths.

    minimise over all weights    sum_i s_i loss(y_i, f(x_i)) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    `X` is as for `SequenceClassifier`, and the losses are those of `NetworkRegressor`. To forecast a series, let the
    rows be windows of it and the targets the values that follow. Scale numbers first. [Hochreiter and Schmidhuber,
    1997; Cho et al., 2014]

    >>> import numpy as np
    >>> series = np.sin(np.arange(200) / 3)
    >>> windows = np.lib.stride_tricks.sliding_window_view(series, 11)
    >>> model = SequenceRegressor(learning_rate_init=0.02, random_state=0).fit(windows[:150, :-1], windows[:150, -1])
    >>> bool(model.score(windows[150:, :-1], windows[150:, -1]) > 0.98)
    True
    """

    title = "recurrent neural network regressor"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from sequences `X` and targets `y`; `X_val` with `y_val` are the validation set, if given."""
        with self._reading(X):
            return super().fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the sequences given, continuing from the previous call; the first call has all symbols."""
        if "n_channels_" in self.__dict__:
            return super().partial_fit(X, y, sample_weight)
        with self._reading(X):
            return super().partial_fit(X, y, sample_weight)
