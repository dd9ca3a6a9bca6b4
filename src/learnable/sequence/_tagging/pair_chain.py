"""Chains of pairs of labels: transitions whose scores depend on the token, and on the label before the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core import Array
from ...engines.chain import Posterior
from ...engines.sparse_chain import SparseChain


class LabelPairs(NamedTuple):
    """The pairs of adjacent labels that are possible, and the states of a chain of them.

    State y below `classes` is label y of a first token; state `classes` + p is pair p, of labels before[p] and
    after[p]. State s follows the states `previous[first[s]:first[s + 1]]`.
    """

    classes: int
    before: Array
    after: Array
    first: Array
    previous: Array

    @classmethod
    def of(cls, classes: int, pairs: Array) -> LabelPairs:
        """For a mask of the pairs that are possible."""
        before, after = (axis.astype(np.int64) for axis in np.nonzero(pairs))
        ends = np.concatenate([np.arange(classes), after])
        followed = [np.flatnonzero(ends == label) for label in range(classes)]
        previous = [np.empty(0, dtype=np.int64)] * classes + [followed[label] for label in before.tolist()]
        first = np.concatenate([[0], np.cumsum([len(states) for states in previous])])
        return cls(classes, before, after, first, np.concatenate(previous))

    @property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return len(self.before)

    @property
    def label(self) -> Array:
        """The label of each state."""
        return np.concatenate([np.arange(self.classes), self.after])

    def by_label(self, posterior: Array) -> Array:
        """Probabilities of labels for those of states."""
        indicator = np.zeros((self.n_pairs, self.classes))
        indicator[np.arange(self.n_pairs), self.after] = 1.0
        return np.asarray(posterior[:, : self.classes] + posterior[:, self.classes :] @ indicator)

    def states(self, labels: Array, begin: Array) -> Array:
        """The states of tokens with these labels, where `begin` marks first tokens."""
        index = np.full((self.classes, self.classes), -1, dtype=np.int64)
        index[self.before, self.after] = np.arange(self.n_pairs)
        pair = index[np.roll(labels, 1), labels]
        return np.where(begin, labels, self.classes + pair)

    def transitions(self, states: Array, begin: Array) -> Array:
        """The transitions between the states of adjacent tokens."""
        inside = np.flatnonzero(~begin)
        total = self.classes + self.n_pairs
        keys = np.repeat(np.arange(total), np.diff(self.first)) * total + self.previous
        return np.searchsorted(keys, states[inside] * total + states[inside - 1])


@dataclass(frozen=True)
class LabelPairChain:
    """A chain of labels whose transitions have a score at each token, and a score for each triple of labels.

    `score` has a row per token and a column per pair, `triple` an entry per transition of `pairs`.
    """

    pairs: LabelPairs
    start: Array
    transition: Array
    node: Array
    score: Array
    triple: Array
    lengths: Array

    @property
    def states(self) -> SparseChain:
        """The chain of pairs."""
        pairs = self.pairs
        moved = self.score + self.node[:, pairs.after] + self.transition[pairs.before, pairs.after]
        start = np.concatenate([self.start, np.full(pairs.n_pairs, -np.inf)])
        return SparseChain.of(
            start, pairs.first, pairs.previous, self.triple, np.hstack([self.node, moved]), self.lengths
        )

    def forward_backward(self) -> Posterior:
        """Log likelihoods, probabilities of the labels, and expected numbers of the transitions between pairs."""
        found = self.states.forward_backward()
        return found._replace(states=self.pairs.by_label(found.states))

    def filter(self) -> tuple[Array, Array]:
        """Log likelihoods of the sentences, and the probabilities of the labels given the tokens so far."""
        log_likelihood, filtered = self.states.filter()
        return log_likelihood, self.pairs.by_label(filtered)

    def viterbi(self) -> tuple[Array, Array]:
        """The most probable labels, and their log scores."""
        path, score = self.states.viterbi()
        return self.pairs.label[path], score

    def k_best(self, count: int) -> tuple[Array, Array]:
        """The `count` best labellings, a column each, and their scores; -1 where there are fewer."""
        paths, scores = self.states.k_best(count)
        return np.where(paths < 0, -1, self.pairs.label[paths]), scores

    def edge_marginals(self) -> Array:
        """The probability of each pair of labels at each token and the one before; zero at first tokens."""
        found, K = self.states.forward_backward().states, self.pairs.classes
        whole = np.zeros((len(found), K, K))
        whole[:, self.pairs.before, self.pairs.after] = found[:, K:]
        return whole
