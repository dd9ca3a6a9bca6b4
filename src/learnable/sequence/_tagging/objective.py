"""The negative log likelihood of a conditional random field, and its gradient by forward-backward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core import Array
from ...engines.chain import Chain
from .features import Features, by_attribute, label_pairs
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
        self.data, self.features, self.c2 = data, features, c2
        self.columns = by_attribute(data.tokens, len(features.offset) - 1)
        self.known = data.labels >= 0
        self.whole = bool(self.known.all())
        before, after = label_pairs(data.labels, data.tokens.lengths)
        inside = data.tokens.lengths - 1
        pair_weights = np.repeat(data.weight, np.maximum(inside, 0))
        if self.whole:
            pairs = before * features.classes + after
            self.observed = np.bincount(pairs, pair_weights, features.classes**2).reshape(
                features.classes, features.classes
            )
        self.token_weights = np.repeat(data.weight, data.tokens.lengths)
        self.unit_weights = bool((data.weight == 1).all())

    def __call__(self, weight: Array) -> tuple[float, Array]:
        """The value and the gradient at these weights."""
        features, tokens = self.features, self.data.tokens
        node = features.scores(tokens, weight[: features.size])
        transition = weight[features.size :].reshape(features.classes, features.classes)
        chain = Chain.of(np.zeros(features.classes), transition, node, tokens.lengths)
        free = chain.forward_backward(self.data.weight)
        residual, moved = free.states, free.transitions
        if self.whole:
            value = self._observed_score(node, transition)
            residual[np.arange(len(residual)), self.data.labels] -= 1
            moved = moved - self.observed
        else:
            others = self.known[:, None] & (np.arange(features.classes) != self.data.labels[:, None])
            clamped = Chain.of(chain.start, transition, np.where(others, -np.inf, node), tokens.lengths)
            bound = clamped.forward_backward(self.data.weight)
            value = float(self.data.weight @ bound.log_likelihood)
            residual -= bound.states
            moved = moved - bound.transitions
        if not self.unit_weights:
            residual *= self.token_weights[:, None]
        gradient = np.empty(len(weight))
        gradient[: features.size] = features.sum_by_attribute(self.columns, residual)
        gradient[features.size :] = np.where(features.transitions, moved, 0.0).ravel()
        loss = float(self.data.weight @ free.log_likelihood) - value
        if self.c2:
            gradient += 2 * self.c2 * weight
            loss += self.c2 * float(weight @ weight)
        return loss, gradient

    def _observed_score(self, node: Array, transition: Array) -> float:
        """The score of the labels, weighted by sentence."""
        scores = node[np.arange(len(node)), self.data.labels]
        return float(self.token_weights @ scores) + float((self.observed * transition).sum())
