"""Neural network classifier of sequences."""

from __future__ import annotations

from typing import Any, Self

from ..core import estimator
from ._sequence_network import SequenceNetwork
from .network_classifier import NetworkClassifier


@estimator
class SequenceClassifier(SequenceNetwork, NetworkClassifier):
    """Recurrent neural network classifier of sequences: texts, lists of symbols or numbers, of different lengths.

    minimise over all weights    sum_i s_i log_loss(y_i, p(x_i)) / sum_i s_i  +  alpha |W|^2 / 2  +  l1 |W|_1

    `X` is a list of texts (sequences of characters), of lists of texts such as words, of lists of numbers, or of tables
    with a row for each step; or one table whose rows are sequences, where NaN is a step that is missing. Symbols are
    embedded; layers skip what is missing. [Hochreiter and Schmidhuber, 1997; Cho et al., 2014]

    >>> X, y = ["abab", "ab", "ababab", "baba", "ba", "bababa"] * 5, ["a", "a", "a", "b", "b", "b"] * 5
    >>> model = SequenceClassifier(embedding=4, learning_rate_init=0.02, random_state=0).fit(X, y)
    >>> model.predict(["abababab", "babababa"]).tolist()
    ['a', 'b']
    """

    title = "recurrent neural network classifier"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Learn from sequences `X` and their classes `y`; `X_val` with `y_val` are the validation set, if given."""
        with self._reading(X):
            return super().fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over the sequences given; the first call needs all `classes` and has all symbols."""
        if "n_channels_" in self.__dict__:
            return super().partial_fit(X, y, sample_weight, classes)
        with self._reading(X):
            return super().partial_fit(X, y, sample_weight, classes)
