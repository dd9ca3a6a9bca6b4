"""The objective of a conditional random field over pairs of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array
from .features import Features, by_attribute
from .objective import TrainingSet
from .pair_chain import LabelPairChain, LabelPairs
from .sentences import Tokens

TOKENS_AT_ONCE = 16384


class PairFeatures:
    """Features of pairs of labels: with edge attributes, which `pattern` (attributes, pairs) marks, and of triples."""

    def __init__(self, pairs: LabelPairs, pattern: Array, triples: Array) -> None:
        self.pairs, self.pattern, self.triples = pairs, pattern, triples

    @property
    def size(self) -> int:
        """The number of weights."""
        return int(self.pattern.sum()) + len(self.triples)

    def unpack(self, weight: Array) -> tuple[Array, Array]:
        """Weights of edge attributes, a row each, and of triples."""
        edges = np.zeros(self.pattern.shape)
        edges[self.pattern] = weight[: len(weight) - len(self.triples)]
        return edges, np.where(self.triples, weight[len(weight) - len(self.triples) :], 0.0)

    def pack(self, edges: Array, triples: Array) -> Array:
        """The inverse of `unpack`; other entries are dropped."""
        return np.concatenate([edges[self.pattern], np.where(self.triples, triples, 0.0)])


class PairObjective:
    """c2 |w|^2 minus the log likelihood of the labels; w: state features, transitions, edge features, triples."""

    def __init__(
        self, data: TrainingSet, features: Features, extra: PairFeatures, edges: Any, c2: float, order: int
    ) -> None:
        self.data, self.features, self.extra, self.edges, self.c2 = data, features, extra, edges, c2
        self.columns, self.order = by_attribute(data.tokens, len(features.offset) - 1), order
        self.known, self.token_weights = data.labels >= 0, np.repeat(data.weight, data.tokens.lengths)
        self.chunks = sentence_chunks(data.tokens.lengths)

    def __call__(self, weight: Array) -> tuple[float, Array]:
        """The value and the gradient at these weights."""
        features, pairs, K = self.features, self.extra.pairs, self.features.classes
        node = features.scores(self.data.tokens, weight[: features.size])
        transition = weight[features.size : features.size + K * K].reshape(K, K)
        edge_weights, triples = self.extra.unpack(weight[features.size + K * K :])
        residual, moved = np.empty(node.shape), np.zeros(pairs.n_pairs)
        edge_sums, triple_sums, loss = np.zeros(edge_weights.shape), np.zeros(len(pairs.previous)), 0.0
        triple_weights = triples if self.order == 2 else np.zeros(len(pairs.previous))
        for sentences, tokens in self.chunks:
            lengths, weights = self.data.tokens.lengths[sentences], self.data.weight[sentences]
            chain = LabelPairChain(
                pairs, np.zeros(K), transition, node[tokens], self.edges[tokens] @ edge_weights, triple_weights, lengths
            )
            for sign, states in ((1.0, chain.states), (-1.0, self._clamped(chain, tokens))):
                found = states.forward_backward(weights)
                loss += sign * float(weights @ found.log_likelihood)
                heavy = found.states * self.token_weights[tokens, None]
                if sign > 0:
                    difference = heavy
                else:
                    difference -= heavy
                triple_sums += sign * found.transitions
            residual[tokens] = pairs.by_label(difference)
            moved += difference[:, K:].sum(axis=0)
            edge_sums += self.edges[tokens].T @ difference[:, K:]
        by_state = features.sum_by_attribute(self.columns, residual)
        by_pair = np.zeros((K, K))
        by_pair[pairs.before, pairs.after] = moved
        by_pair = np.where(features.transitions, by_pair, 0.0)
        extra = self.extra.pack(edge_sums, triple_sums[: len(self.extra.triples)])
        gradient = np.concatenate([by_state, by_pair.ravel(), extra])
        return loss + self.c2 * float(weight @ weight), gradient + 2 * self.c2 * weight

    def _clamped(self, chain: LabelPairChain, tokens: slice) -> Any:
        """The chain in which known labels forbid all others."""
        labels = self.data.labels[tokens]
        others = (labels >= 0)[:, None] & (np.arange(chain.node.shape[1]) != labels[:, None])
        bound = LabelPairChain(
            chain.pairs, chain.start, chain.transition, np.where(others, -np.inf, chain.node), chain.score,
            chain.triple, chain.lengths,
        )  # fmt: skip
        return bound.states


def sentence_chunks(lengths: Array) -> list[tuple[slice, slice]]:
    """Consecutive sentences of at least TOKENS_AT_ONCE tokens together: their indices, and those of their tokens."""
    ends, found, sentence, token = np.cumsum(lengths), [], 0, 0
    while sentence < len(lengths):
        last = min(int(np.searchsorted(ends, token + TOKENS_AT_ONCE)) + 1, len(lengths))
        found.append((slice(sentence, last), slice(token, int(ends[last - 1]))))
        sentence, token = last, int(ends[last - 1])
    return found


def selected(tokens: Tokens, code: Array) -> Tokens:
    """Tokens with attributes under their new codes, without those whose code is -1."""
    new = code[tokens.attribute] if len(code) else tokens.attribute
    kept = new >= 0
    start = np.concatenate([[0], np.cumsum(kept)])[tokens.start].astype(np.int64)
    value = None if tokens.value is None else tokens.value[kept]
    return Tokens(start, new[kept].astype(np.int32), value, tokens.lengths)


def edge_matrix(tokens: Tokens, attributes: int) -> Any:
    """The edge attributes of tokens as a sparse matrix, without those of first tokens, which have no edge."""
    from scipy.sparse import csr_array

    value = np.ones(len(tokens.attribute)) if tokens.value is None else tokens.value.copy()
    rows = np.repeat(np.arange(len(tokens.start) - 1), np.diff(tokens.start))
    filled = tokens.lengths[tokens.lengths > 0]
    begin = np.zeros(len(tokens.start) - 1, dtype=bool)
    begin[np.cumsum(filled) - filled] = True
    value[begin[rows]] = 0.0
    matrix = csr_array((value, tokens.attribute, tokens.start), shape=(len(tokens.start) - 1, attributes))
    matrix.sum_duplicates()
    return matrix


def possible_pairs(transitions: Array) -> Array:
    """The pairs that occur, and all pairs with a first label that is always the last: longer sentences need them.

    >>> possible_pairs(np.array([[False, True], [False, False]])).tolist()
    [[False, True], [True, True]]
    """
    return np.asarray(transitions | ~transitions.any(axis=1, keepdims=True))


def find_pair_features(data: TrainingSet, features: Features, edges: Any, order: int, every: bool) -> PairFeatures:
    """The features of pairs that occur; with `every`, or where labels are unknown, those of all pairs."""
    K, known = features.classes, bool((data.labels >= 0).all())
    pairs = LabelPairs.of(K, np.ones((K, K)) if every or not known else possible_pairs(features.transitions))
    count = len(pairs.previous) if order == 2 else 0
    if every or not known:
        return PairFeatures(pairs, np.ones((edges.shape[1], pairs.n_pairs), dtype=bool), np.ones(count, dtype=bool))
    begin = np.zeros(len(data.labels), dtype=bool)
    begin[np.cumsum(data.tokens.lengths) - data.tokens.lengths] = True
    states = pairs.states(data.labels.astype(np.int64), begin)
    indicator = np.zeros((len(states), pairs.n_pairs), dtype=np.float32)
    inside = np.flatnonzero(~begin)
    indicator[inside, states[inside] - K] = 1
    triples = np.bincount(pairs.transitions(states, begin), minlength=len(pairs.previous)) > 0
    return PairFeatures(pairs, np.asarray(abs(edges).T @ indicator > 0), triples[:count])
