"""Maximum-entropy Markov models."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, ParameterError, estimator, param
from ..core.runtime.native import kernels
from ..engines.chain import offsets
from ..engines.iterate import iterate
from ..engines.minimise.orthant_lbfgs import OrthantLBFGS
from ._tagging.features import Features, by_attribute
from ._tagging.linear_chain_tagger import LinearChainTagger
from ._tagging.objective import TrainingSet
from ._tagging.sentences import Tokens


@estimator
class MaximumEntropyMarkovModel(LinearChainTagger):
    """Maximum-entropy Markov model (MEMM): each label by a softmax regression on its token and the label before.

    p(y | x) = prod_t  exp( w[x_t, y_t] + w[y_t-1, y_t] ) / sum over labels k of exp( w[x_t, k] + w[y_t-1, k] )

    The likelihood needs no recursion, as every step is normalised by itself. That causes label bias: a label with few
    successors passes its whole probability on to them whatever the tokens are; `CRF` does not have it. The minimum of
    the negative log likelihood plus c2 |w|^2 is found by L-BFGS. [McCallum et al., 2000]

    >>> X = [[["the"], ["dog"], ["barks"]], [["dogs"], ["bark"]]]
    >>> y = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"]]
    >>> MaximumEntropyMarkovModel(c2=0.1).fit(X, y).predict([[["the"], ["dogs"], ["bark"]]])
    [['DET', 'NOUN', 'VERB']]
    """

    c2: float = param(1.0, "factor of the sum of squared weights", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    tol: float = param(1e-5, "norm of the gradient, relative to that of the weights, that ends the fit", at_least=0)
    all_possible_states: bool = param(False, "whether each attribute has a weight for every label")
    all_possible_transitions: bool = param(False, "whether transitions that do not occur have weights")

    title = "maximum-entropy Markov model"
    reference = "McCallum, Freitag and Pereira, Maximum entropy Markov models, 2000"

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Learn from sentences, lists of tokens that are dicts or lists of attributes, and lists of labels."""
        data, attributes, classes = self._learning_data(X, y, lengths, sample_weight)
        if (data.labels < 0).any():
            raise ParameterError("MaximumEntropyMarkovModel: every label must be known; CRF accepts None")
        with self._fit_scope(data) as trace:
            every = self.all_possible_states, self.all_possible_transitions
            features = self._find_features(data, len(attributes), len(classes), 0, *every)
            objective = StepwiseObjective(data, features, self.c2)
            first = np.zeros(features.size + len(classes) ** 2)
            method = OrthantLBFGS(objective, first, 0.0, 10, self.tol, 10, 1e-12, 30, 2 * self.c2)
            state = iterate(method, self.max_iter, trace)
            claim = "the norm of the gradient relative to that of the weights, or to 1 where these are smaller"
            trace.certify("gradient norm", method.relative_norm(state), self.tol, claim)
            self._keep_weights(features, state["x"], attributes, classes)
        return self

    def next_label_proba(self, xseq: Any, previous: str) -> Array:
        """The probability of each label at each token of a sentence, if the label before it is `previous`."""
        self._require_fit()
        tokens = self._read_tokens([xseq], None)
        _, transition, node = super()._potentials(tokens)
        scores = node + transition[self._known_codes([previous])[0]]
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _potentials(self, tokens: Tokens) -> tuple[Array, Array, Array]:
        """Log probabilities of a chain: what normalises a step depends on the label before, and is put there."""
        start, transition, node = super()._potentials(tokens)
        normaliser = _log_sums(node[:, None, :] + transition)
        begin = np.zeros(len(node), dtype=bool)
        begin[offsets(tokens.lengths[tokens.lengths > 0])[:-1]] = True
        found = node.copy()
        found[begin] -= _log_sums(node[begin])[:, None]
        going_on = ~begin
        going_on[:1] = False
        later = np.flatnonzero(going_on)
        found[later - 1] -= normaliser[later]
        return start, transition, found


class StepwiseObjective:
    """c2 |w|^2 minus the log probability of each label given its token and the label before; and the gradient."""

    def __init__(self, data: TrainingSet, features: Features, c2: float) -> None:
        self.data, self.features, self.c2 = data, features, c2
        self.columns = by_attribute(data.tokens, len(features.offset) - 1)
        self.token_weights = np.repeat(data.weight, data.tokens.lengths)
        previous = np.concatenate([[-1], data.labels[:-1]]) if len(data.labels) else data.labels
        previous[offsets(data.tokens.lengths)[:-1]] = -1
        self.previous = previous

    def __call__(self, weight: Array) -> tuple[float, Array]:
        """The value and the gradient at these weights."""
        features, labels, classes = self.features, self.data.labels, self.features.classes
        scores = features.scores(self.data.tokens, weight[: features.size])
        transition = weight[features.size :].reshape(classes, classes)
        after = self.previous >= 0
        scores[after] += transition[self.previous[after]]
        top = scores.max(axis=1, keepdims=True)
        residual = np.exp(scores - top)
        sums = residual.sum(axis=1, keepdims=True)
        residual /= sums
        rows = np.arange(len(labels))
        losses = (top + np.log(sums))[:, 0] - scores[rows, labels]
        residual[rows, labels] -= 1
        residual *= self.token_weights[:, None]
        by_state, moved = np.empty(features.size), np.zeros((classes, classes))
        kernels.sum_by_attribute(*self.columns, features.offset, features.label, residual, by_state)
        for label in range(classes):
            moved[label] = residual[self.previous == label].sum(axis=0)
        gradient = np.append(by_state, np.where(features.transitions, moved, 0.0).ravel())
        return float(self.token_weights @ losses) + self.c2 * float(weight @ weight), gradient + 2 * self.c2 * weight


def _log_sums(scores: Array) -> Array:
    """log sum exp along the last axis."""
    top = scores.max(axis=-1, keepdims=True)
    return np.asarray((top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))[..., 0])
