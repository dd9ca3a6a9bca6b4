"""Documents as counts of words, their topics, the variational bound, and passes over the documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core import Array, DataError, Matrix
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.runtime.random import generator
from ...engines import matrix_products
from ...engines.iterate import Progress, State

MAX_TOKENS = 2**31 - 1


class TopicPriors(NamedTuple):
    """Dirichlet priors of the topics of a document and of the words of a topic."""

    documents: float
    words: float


@dataclass(frozen=True)
class Corpus:
    """Counts of words by document, sparse."""

    start: Array
    index: Array
    count: Array
    columns: int

    @classmethod
    def of(cls, owner: str, X: Matrix) -> Corpus:
        """The counts of a table, which must not be negative."""
        from scipy.sparse import csr_array

        sparse = matrix_products.is_sparse(X)
        values = X.data if sparse else X
        if values.size and float(values.min()) < 0:
            raise DataError(
                f"{owner}: Negative values in data passed to X: {float(values.min()):g}; counts of words are at least 0"
            )
        if values.size and float(values.max()) > 1e100:
            raise DataError(f"{owner}: X has an entry of {float(values.max()):g}; counts of words are at most 1e100")
        table = csr_array(X)
        table.eliminate_zeros() if not sparse else None
        return cls(
            np.asarray(table.indptr, dtype=np.int64), np.asarray(table.indices, dtype=np.int32),
            np.asarray(table.data, dtype=np.float64), int(X.shape[1]),
        )  # fmt: skip

    @property
    def rows(self) -> int:
        """The number of documents."""
        return len(self.start) - 1

    @cached_property
    def words(self) -> float:
        """The number of words in all documents."""
        return float(self.count.sum())

    def part(self, begin: int, end: int) -> Corpus:
        """Some consecutive documents."""
        entries = slice(self.start[begin], self.start[end])
        start = np.ascontiguousarray(self.start[begin : end + 1] - self.start[begin])
        return Corpus(start, self.index[entries], self.count[entries], self.columns)

    def statistics(self, ratio: Array, weights: Array) -> Array:
        """For each word the sum over documents of ratio times the weights of the topics: (words, topics)."""
        from scipy.sparse import csr_array

        table = csr_array((ratio, self.index, self.start.astype(np.int32)), shape=(self.rows, self.columns))
        found: Array = kernels.rmatvec(table, weights)
        return found


def expectation(parameters: Array) -> Array:
    """E log p for p ~ Dirichlet(parameters), row by row."""
    from scipy.special import digamma

    return np.asarray(digamma(parameters) - digamma(parameters.sum(axis=1, keepdims=True)))


def exp_expectation(parameters: Array) -> Array:
    """exp(E log p) for p ~ Dirichlet(parameters), row by row."""
    return np.exp(expectation(parameters))


def document_topics(
    corpus: Corpus, words: Array, prior: float, search: tuple[float, int], start: Array
) -> tuple[Array, Array, Array]:
    """Dirichlet parameters of the topics of each document, exp(E log) of them, and count / norm of each entry."""
    gamma, weights, ratio = start.copy(), np.empty_like(start), np.empty(len(corpus.count))
    kernels.topic_posteriors(
        corpus.start, corpus.index, corpus.count, words, prior, search[0], search[1], gamma, weights, ratio
    )
    return gamma, weights, ratio


def bound(corpus: Corpus, gamma: Array, components: Array, priors: TopicPriors, ratio: float = 1.0) -> float:
    """The variational lower bound of the log-likelihood; documents stand for `ratio` documents each."""
    of_documents, of_words = expectation(gamma), expectation(components)
    product = np.empty(len(corpus.count))
    W, H = np.exp(of_documents), np.ascontiguousarray(np.exp(of_words).T)
    kernels.entry_products(corpus.start, corpus.index, W, H, product)
    value = float(corpus.count @ np.log(np.maximum(product, 1e-300)))
    value += _divergence(priors.documents, gamma, of_documents)
    return value * ratio + _divergence(priors.words, components, of_words)


def _divergence(prior: float, parameters: Array, expected: Array) -> float:
    """Minus the Kullback-Leibler divergence of Dirichlet distributions from their prior."""
    from scipy.special import gammaln

    count = parameters.shape[1]
    value = ((prior - parameters) * expected).sum() + (gammaln(parameters) - gammaln(prior)).sum()
    return float(value + (gammaln(prior * count) - gammaln(parameters.sum(axis=1))).sum())


@dataclass(frozen=True)
class VariationalPasses:
    """Passes of variational Bayes over all documents at once (size 0), or in mini-batches."""

    corpus: Corpus
    priors: TopicPriors
    first: Array
    draws: np.random.RandomState
    size: int
    rate: tuple[float, float]
    search: tuple[float, int]
    tolerance: float
    every: int
    total: float = 0.0
    batches: int = 0

    def start(self) -> State:
        """The initial topics."""
        generator_state = self.draws.get_state(legacy=False)["state"]
        return {
            "topics": self.first, "batches": self.batches, "key": generator_state["key"],
            "position": int(generator_state["pos"]), "objective": np.inf, "change": 1e300, "pass": 0,
        }  # fmt: skip

    def components(self, state: State) -> Array:
        """Dirichlet parameters of the words of each topic."""
        return np.asarray(state["topics"])

    def step(self, state: State) -> State:
        """One pass."""
        topics, done = state["topics"], int(state["batches"])
        draws = np.random.RandomState()
        draws.set_state(("MT19937", state["key"], state["position"], 0, 0.0))
        size = self.size or self.corpus.rows
        value = 0.0
        for begin in range(0, self.corpus.rows, size):
            give_way()
            part = self.corpus.part(begin, min(begin + size, self.corpus.rows))
            start = draws.gamma(100.0, 0.01, (part.rows, len(topics)))
            words = np.ascontiguousarray(exp_expectation(topics).T)
            gamma, weights, ratio = document_topics(part, words, self.priors.documents, self.search, start)
            counts = (part.statistics(ratio, weights) * words).T
            topics = self._updated(topics, counts, part.rows, done)
            value += bound(part, gamma, topics, self.priors)
            done += 1
        after = draws.get_state(legacy=False)["state"]
        perplexity = -value / max(self.corpus.words, 1e-300)
        tested = (int(state["pass"]) + 1) % self.every == 0
        before = state["objective"]
        change = (
            abs(np.exp(min(perplexity, 700)) - np.exp(min(before, 700))) if tested and np.isfinite(before) else 1e300
        )
        return {
            "topics": topics, "batches": done, "key": after["key"], "position": int(after["pos"]),
            "objective": perplexity, "change": float(min(change, 1e300)), "pass": int(state["pass"]) + 1,
        }  # fmt: skip

    def _updated(self, topics: Array, counts: Array, rows: int, done: int) -> Array:
        if not self.size:
            return self.priors.words + counts
        weight = (self.rate[1] + done + 1) ** -self.rate[0]
        ratio = (self.total or self.corpus.rows) / rows
        return np.asarray((1 - weight) * topics + weight * (self.priors.words + ratio * counts))

    def progress(self, state: State) -> Progress:
        """The perplexity, as a logarithm, and its change."""
        return Progress(float(state["objective"]), float(state["change"]), self.tolerance)


@dataclass(frozen=True)
class GibbsPasses:
    """Passes of collapsed Gibbs sampling; counts of the second half are averaged."""

    corpus: Corpus
    priors: TopicPriors
    count: int
    seed: int
    passes: int

    @cached_property
    def tokens(self) -> tuple[Array, Array]:
        """Document and word of each token."""
        whole = np.round(self.corpus.count)
        if (whole != self.corpus.count).any() or self.corpus.words > MAX_TOKENS:
            raise DataError(
                "LatentDirichletAllocation: learning_method='gibbs' draws every word, so X must hold whole counts, at "
                f"most {MAX_TOKENS} altogether"
            )
        repeats = whole.astype(np.int64)
        rows = np.repeat(np.arange(self.corpus.rows, dtype=np.int32), np.diff(self.corpus.start))
        return np.repeat(rows, repeats), np.repeat(self.corpus.index, repeats)

    def start(self) -> State:
        """A random topic for each token."""
        topic = generator(self.seed, 0).integers(0, self.count, len(self.tokens[0])).astype(np.int32)
        return {
            "topic": topic,
            "sum": np.zeros((self.corpus.columns, self.count)),
            "kept": 0,
            "batches": 0,
            "objective": 0.0,
        }

    def components(self, state: State) -> Array:
        """The mean counts of each topic, and the prior."""
        return np.asarray(state["sum"].T / max(int(state["kept"]), 1) + self.priors.words)

    def step(self, state: State) -> State:
        """A pass over all tokens."""
        give_way()
        document, word = self.tokens
        topic = state["topic"].copy()
        by_document = _counts(document, topic, self.corpus.rows, self.count)
        by_word = _counts(word, topic, self.corpus.columns, self.count)
        total = by_word.sum(axis=0)
        done = int(state["batches"])
        seed = int(generator(self.seed, 1, done).integers(2**63))
        kernels.gibbs_topics(
            document, word, self.priors.documents, self.priors.words, seed, topic, by_document, by_word, total
        )
        late = done >= self.passes // 2
        theta = by_document + self.priors.documents
        theta /= theta.sum(axis=1, keepdims=True)
        phi = (by_word + self.priors.words) / (total + self.priors.words * len(by_word))
        product = np.empty(len(self.corpus.count))
        kernels.entry_products(self.corpus.start, self.corpus.index, theta, np.ascontiguousarray(phi), product)
        value = -float(self.corpus.count @ np.log(np.maximum(product, 1e-300))) / max(self.corpus.words, 1e-300)
        return {
            "topic": topic, "sum": state["sum"] + by_word * late, "kept": int(state["kept"]) + late,
            "batches": done + 1, "objective": value,
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """Minus the mean log-likelihood of a word; sampling ends with the passes."""
        return Progress(float(state["objective"]), 1.0, -1.0)


def _counts(one: Array, topic: Array, rows: int, count: int) -> Array:
    found = np.bincount(one.astype(np.int64) * count + topic, minlength=rows * count)
    return found.reshape(rows, count).astype(np.float64)
