"""The negative log likelihood of a conditional random field, and its gradient by forward-backward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core import Array
from ...core.runtime.native import kernels
from .features import Features
from .sentences import Tokens


class TrainingSet(NamedTuple):
    """Tokens, their labels (-1: unknown), and a weight for each sentence."""

    tokens: Tokens
    labels: Array
    weight: Array


class CRFObjective:
    """c2 |w|^2 minus the log likelihood of the labels, summed over sentences.

    Its gradient is 2 c2 w plus the expected minus the observed features; where labels are unknown, the observed
    ones are expectations over all labellings that agree with the known labels.
    """

    def __init__(self, data: TrainingSet, features: Features, c2: float) -> None:
        self.features, self.c2 = features, c2
        tokens = data.tokens
        self.likelihood = kernels.ChainObjective(
            tokens.start, tokens.attribute, tokens.value, features.offset, features.label, features.classes,
            tokens.offset, np.ascontiguousarray(data.labels, dtype=np.int32), data.weight,
        )  # fmt: skip

    def __call__(self, weight: Array) -> tuple[float, Array]:
        """The value and the gradient at these weights."""
        gradient = np.empty(len(weight))
        loss = self.likelihood.evaluate(np.ascontiguousarray(weight), gradient)
        gradient[self.features.size :] *= self.features.transitions.ravel()
        if self.c2:
            gradient += 2 * self.c2 * weight
            loss += self.c2 * float(weight @ weight)
        return loss, gradient
