"""Part-of-speech tagging by a hidden Markov model."""

from __future__ import annotations

import reprlib
from typing import Any, NamedTuple, Self

import numpy as np

from ..core import Array, DataError, ParameterError, Traits, estimator, learned, param
from ..core.declare import params as declared
from ..core.files.learned_limits import is_text_array
from ..engines.chain import offsets
from ._sequence_input import sequence_weights
from ._tagging.sentences import check_sentences, label_codes, read_labels
from ._tagging.suffix_model import SuffixModel, suffix_counts
from ._tagging.tagger_base import Tagger


@estimator
class HMMTagger(Tagger):
    """Hidden Markov model tagger: words emitted by tags, with a suffix model for unknown words.

    maximise over tags    log P(y_1) + sum_t log P(y_t | y_t-1) + log P(x_t | y_t) + log P(end | y_n)

    All probabilities are relative frequencies. Those of transitions are mixed with the frequencies of single tags, by
    the weights of deleted interpolation; those of an unknown word come from its longest known suffix, mixed with
    shorter ones, for capitalised words, numbers and others apart. Counting is all that the fit does. [Brants, 2000]

    >>> X = [["the", "dog", "barks"], ["the", "dogs", "bark"], ["dogs", "bark"]]
    >>> y = [["DET", "NOUN", "VERB"], ["DET", "NOUN", "VERB"], ["NOUN", "VERB"]]
    >>> HMMTagger().fit(X, y).predict([["the", "dog", "bark"]])
    [['DET', 'NOUN', 'VERB']]
    """

    suffix_length: int = param(5, "length of the longest suffix of unknown words", at_least=0)
    rare: int = param(10, "number of occurrences up to which words teach the suffix model", at_least=1)
    smoothing: float = param(0.5, "weight of the suffix model, in occurrences of a known word", above=0)
    startprob_: Array = learned("probability of each tag at the first word", shape="classes")
    transmat_: Array = learned("transition probabilities, from the row's tag to the column's", shape="classes classes")
    endprob_: Array = learned("probability that a sentence ends after each tag", shape="classes")
    classprob_: Array = learned("probability of each tag", shape="classes")
    interpolation_: Array = learned("weights of single tags and of pairs of tags in transmat_")
    words_: Any = learned("known words, as an array of texts")
    emission_counts_: Array = learned("number of occurrences of each word with each tag", shape="words classes")
    suffixes_: Any = learned("suffixes of rare words, as an array of texts")
    suffix_counts_: Array = learned("number of rare words with each suffix and tag", shape="suffixes classes")

    title = "hidden Markov model tagger"
    reference = "Brants, TnT: a statistical part-of-speech tagger, 2000"
    traits = Traits(categorical=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count the words and tags of sentences, which are lists of words and lists of tags."""
        declared.check(self)
        owner = type(self).__name__
        sentences = self._read_tokens(X, None)
        found = read_labels(owner, y, sentences)
        if any(label is None for label in found):
            raise ParameterError(f"{owner}: every tag must be known; CRF sums over tags of None")
        weight = sequence_weights(owner, sample_weight, len(sentences.lengths))
        words = [word for sentence in X for word in sentence]
        if not words:
            raise DataError(f"{owner}: X has no words")
        with self._fitting(weight) as trace:
            classes = sorted(set(found))
            codes = label_codes(found, classes)
            self.classes_ = np.array([*classes, ""], dtype=object)[:-1]
            self._count_words(words, codes, np.repeat(weight, sentences.lengths))
            self._count_transitions(codes, sentences.lengths, weight)
            self.n_features_in_ = len(self.words_)
            trace.exact(
                "probabilities are relative frequencies, which maximise the likelihood where they are not mixed"
            )
        return self

    def _unsound(self) -> str:
        for known, counts in ((self.words_, self.emission_counts_), (self.suffixes_, self.suffix_counts_)):
            if not is_text_array(known) or len(known) != len(counts):
                return "words_ and suffixes_ must be lists of texts, with counts for each"
        return ""

    def _count_words(self, words: list[str], codes: Array, weights: Array) -> None:
        known = sorted(set(words))
        row = {word: place for place, word in enumerate(known)}
        place = np.array([row[word] for word in words])
        counts = np.zeros((len(known), len(self.classes_)))
        np.add.at(counts, (place, codes), weights)
        kept = counts.sum(axis=1) > 0
        self.words_ = np.array([*known, ""], dtype=object)[:-1][kept]
        self.emission_counts_ = counts[kept]
        total = counts.sum(axis=0)
        self.classprob_ = total / total.sum()
        names, self.suffix_counts_ = suffix_counts(
            self.words_.tolist(), self.emission_counts_, self.rare, self.suffix_length
        )
        self.suffixes_ = np.array([*names, ""], dtype=object)[:-1]

    def _count_transitions(self, codes: Array, lengths: Array, weight: Array) -> None:
        K, filled = len(self.classes_), lengths[lengths > 0]
        weights, begin = np.repeat(weight[lengths > 0], filled), offsets(filled)
        first, last = np.zeros(len(codes), dtype=bool), np.zeros(len(codes), dtype=bool)
        first[begin[:-1]], last[begin[1:] - 1] = True, True
        going_on = np.flatnonzero(~last)
        pairs = np.zeros((K, K))
        np.add.at(pairs, (codes[going_on], codes[going_on + 1]), weights[going_on])
        ends = np.bincount(codes[last], weights[last], K)
        starts = np.bincount(codes[first], weights[first], K)
        whole = pairs.sum(axis=1) + ends
        one, two = self.interpolation_ = deleted_interpolation(pairs, self.classprob_, whole.sum())
        self.startprob_ = one * self.classprob_ + two * starts / starts.sum()
        self.endprob_ = one * (ends.sum() + 1) / (whole.sum() + 2) + two * ends / np.maximum(whole, 1e-300)
        rows = pairs.sum(axis=1, keepdims=True)
        conditional = np.where(rows > 0, pairs / np.where(rows > 0, rows, 1.0), self.classprob_)
        self.transmat_ = one * self.classprob_ + two * conditional

    def _read_tokens(self, X: Any, lengths: Any) -> Words:
        """The words of sentences."""
        owner = type(self).__name__
        if lengths is not None:
            raise DataError(f"{owner}: lengths are for sparse matrices; a list of sentences has lengths of its own")
        check_sentences(owner, X)
        for s, sentence in enumerate(X):
            if isinstance(sentence, str) or any(not isinstance(word, str) for word in sentence):
                raise DataError(
                    f"{owner}: sentence {s} of X must be a list of words, which are texts; got "
                    f"{reprlib.repr(sentence):.60}"
                )
        return Words([word for sentence in X for word in sentence], np.array([len(s) for s in X], dtype=np.int64))

    def _potentials(self, tokens: Words) -> tuple[Array, Array, Array]:
        going_on = np.log1p(-self.endprob_)[:, None]
        node = np.log(self._tag_probabilities(tokens.words)) - np.log(self.classprob_)
        last = np.cumsum(tokens.lengths[tokens.lengths > 0]) - 1
        node[last] += np.log(self.endprob_)
        return np.log(self.startprob_), np.log(self.transmat_) + going_on, node

    def _tag_probabilities(self, words: list[str]) -> Array:
        """P(tag | word), which divided by P(tag) is proportional to P(word | tag)."""
        suffixes = SuffixModel(self.suffixes_.tolist(), self.suffix_counts_, self.classprob_, self.suffix_length)
        row = {word: place for place, word in enumerate(self.words_.tolist())}
        distinct = {word: code for code, word in enumerate(dict.fromkeys(words))}
        found = np.empty((len(distinct), len(self.classes_)))
        for word, code in distinct.items():
            counts = self._counts(word, row)
            found[code] = (counts + self.smoothing * suffixes.probabilities(word)) / (counts.sum() + self.smoothing)
        return found[[distinct[word] for word in words]]

    def _counts(self, word: str, row: dict[str, int]) -> Array:
        """How often a known word has each tag; an unknown one counts as one occurrence of it in small letters."""
        if word in row:
            return np.asarray(self.emission_counts_[row[word]])
        small = row.get(word.lower())
        if small is None:
            return np.zeros(len(self.classes_))
        counts = self.emission_counts_[small]
        return np.asarray(counts / counts.sum())


class Words(NamedTuple):
    """The words of all sentences one after the other, and the lengths of the sentences."""

    words: list[str]
    lengths: Array


def deleted_interpolation(pairs: Array, classprob: Array, total: float) -> Array:
    """Weights of single tags and of pairs: each pair votes, by its count, for what predicts it better without itself.

    One vote more for each keeps both weights above zero.

    >>> deleted_interpolation(np.array([[0.0, 8.0], [0.0, 0.0]]), np.array([0.5, 0.5]), 12.0).tolist()
    [0.1, 0.9]
    """
    rows = pairs.sum(axis=1, keepdims=True)
    alone = np.maximum(classprob * total - 1, 0) / max(total - 1, 1)
    conditional = np.where(rows > 1, (pairs - 1) / np.maximum(rows - 1, 1e-300), 0.0)
    better = conditional > alone
    votes = np.array([pairs[~better].sum(), pairs[better].sum()]) + 1
    return np.asarray(votes / votes.sum())
