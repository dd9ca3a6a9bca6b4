"""Scores of chunks: precision, recall and F1 as conlleval computes them, and the comparison of two taggers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState
from ..core.declare.checked_functions import checked, limits
from ..core.runtime.random import generator, seed_of
from ._tagging.tag_schemes import find_chunks

LEVEL = limits(above=0, below=1)


@dataclass(frozen=True)
class ChunkScore:
    """Precision, recall and F1 from the counts of chunks in the truth, in the prediction and in both."""

    correct: int
    predicted: int
    true: int

    @property
    def precision(self) -> float:
        """The fraction of predicted chunks that are correct; 0 if none is predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The fraction of true chunks that are predicted; 0 if there are none."""
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.correct / max(self.predicted + self.true, 1)


@dataclass(frozen=True)
class ChunkScores(ChunkScore):
    """Scores of all chunks and by type, the accuracy of single tags, and an interval for F1."""

    accuracy: float
    by_type: dict[str, ChunkScore]
    f1_interval: tuple[float, float]
    level: float

    def __str__(self) -> str:
        low, high = self.f1_interval
        lines = [
            f"accuracy {self.accuracy:.2%}, precision {self.precision:.2%}, recall {self.recall:.2%}, F1 {self.f1:.2%} "
            f"({self.level:.0%} interval {low:.2%} to {high:.2%})"
        ]
        for kind, score in self.by_type.items():
            lines.append(
                f"{kind:>12}: precision {score.precision:7.2%}, recall {score.recall:7.2%}, F1 {score.f1:7.2%}, "
                f"{score.true} chunks"
            )
        return "\n".join(lines)


@checked(level=LEVEL, n_resamples=limits(at_least=1))
def chunk_score(
    y_true: Sequence[Any],
    y_pred: Sequence[Any],
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> ChunkScores:
    """Precision, recall and F1 of chunks, as conlleval counts them: a chunk is correct if its tokens and type are.

    Tags are those of IOB1, IOB2, IOBES or BILOU, in a list for each sentence; chunks do not cross sentences. The
    interval of F1 is that of a bootstrap over sentences. [Tjong Kim Sang and Buchholz, 2000]

    >>> scores = chunk_score([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "I-NP", "B-VP", "B-VP"]])
    >>> scores.correct, scores.predicted, scores.true, round(scores.f1, 3)
    (2, 3, 2, 0.8)
    """
    pairs = _sentence_pairs("chunk_score", y_true, y_pred)
    counts, right, tags = np.zeros((len(pairs), 3)), 0, 0
    kinds: dict[str, list[int]] = {}
    for s, (true, predicted) in enumerate(pairs):
        expected, found = find_chunks("chunk_score", true), find_chunks("chunk_score", predicted)
        both = set(expected) & set(found)
        counts[s] = len(both), len(found), len(expected)
        for position, chunks in enumerate((both, found, expected)):
            for kind, _, _ in chunks:
                kinds.setdefault(kind, [0, 0, 0])[position] += 1
        right += sum(a == b for a, b in zip(true, predicted, strict=True))
        tags += len(true)
    resampled = _resampled_f1(counts, n_resamples, seed_of(random_state))
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    by_type = {kind: ChunkScore(*kinds[kind]) for kind in sorted(kinds)}
    correct, predicted_chunks, true_chunks = counts.sum(axis=0).astype(int).tolist()
    interval = float(low), float(high)
    return ChunkScores(correct, predicted_chunks, true_chunks, right / max(tags, 1), by_type, interval, level)


@dataclass(frozen=True)
class TaggerComparison:
    """The difference of two F1 scores, its p-value, and the tokens on which exactly one tagger is correct."""

    difference: float
    p_value: float
    only_first: int
    only_second: int
    mcnemar_p_value: float

    def __str__(self) -> str:
        return (
            f"F1 differs by {self.difference:+.4f} (permutation test, p = {self.p_value:.4f}); correct tokens of one "
            f"alone: {self.only_first} and {self.only_second} (McNemar's test, p = {self.mcnemar_p_value:.4g})"
        )


@checked(n_resamples=limits(at_least=1))
def compare_taggers(
    y_true: Sequence[Any],
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> TaggerComparison:
    """Whether two taggers differ: a permutation test of F1 over sentences, and McNemar's test over tokens.

    Under the null hypothesis the predictions for a sentence may be exchanged. McNemar's test is the exact binomial one;
    it takes tokens as independent. [Yeh, 2000]

    >>> truth = [["B-NP", "O"]] * 20
    >>> compare_taggers(truth, truth, [["O", "O"]] * 20).p_value < 0.01
    True
    """
    one = _sentence_pairs("compare_taggers", y_true, first)
    other = _sentence_pairs("compare_taggers", y_true, second)
    counts = np.array([[_counts(*pair) for pair in pairs] for pairs in (one, other)], dtype=np.float64)
    difference = float(_f1(counts[0].sum(axis=0)) - _f1(counts[1].sum(axis=0)))
    rng, extreme = generator(seed_of(random_state)), 0
    for _ in range(n_resamples):
        swapped = rng.random(len(one)) < 0.5
        a = np.where(swapped[:, None], counts[1], counts[0]).sum(axis=0)
        b = np.where(swapped[:, None], counts[0], counts[1]).sum(axis=0)
        extreme += abs(_f1(a) - _f1(b)) >= abs(difference) - 1e-12
    alone: Counter[tuple[bool, bool]] = Counter()
    for (true, a_tags), (_, b_tags) in zip(one, other, strict=True):
        alone.update((t == a, t == b) for t, a, b in zip(true, a_tags, b_tags, strict=True))
    only_first, only_second = alone[True, False], alone[False, True]
    return TaggerComparison(
        difference, (extreme + 1) / (n_resamples + 1), only_first, only_second, _mcnemar(only_first, only_second)
    )


def _mcnemar(first: int, second: int) -> float:
    """The two-sided p-value of an exact binomial test."""
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _counts(true: list[str], predicted: list[str]) -> tuple[int, int, int]:
    expected, found = find_chunks("compare_taggers", true), find_chunks("compare_taggers", predicted)
    return len(set(expected) & set(found)), len(found), len(expected)


def _f1(counts: Array) -> float:
    """F1 for counts of correct, predicted and true chunks."""
    return float(2 * counts[0] / max(counts[1] + counts[2], 1))


def _resampled_f1(counts: Array, times: int, seed: int) -> Array:
    """F1 of bootstrap samples of the sentences."""
    rng, found = generator(seed), np.empty(times)
    for n in range(times):
        found[n] = _f1(counts[rng.integers(len(counts), size=len(counts))].sum(axis=0))
    return found


def _sentence_pairs(owner: str, y_true: Sequence[Any], y_pred: Sequence[Any]) -> list[tuple[list[str], list[str]]]:
    """The tags of each sentence, true and predicted."""
    if len(y_true) != len(y_pred) or len(y_true) == 0:
        raise DataError(
            f"{owner}: the numbers of sentences and of predictions must be equal and at least 1; got {len(y_true)}, "
            f"{len(y_pred)}"
        )
    found = []
    for s, (true, predicted) in enumerate(zip(y_true, y_pred, strict=True)):
        if isinstance(true, str) or isinstance(predicted, str) or not hasattr(true, "__len__"):
            raise DataError(f"{owner}: sentence {s} must be a list of tags; got {true!r:.40}")
        if len(true) != len(predicted):
            raise DataError(f"{owner}: sentence {s} has {len(true)} tags, but {len(predicted)} predicted ones")
        found.append((list(true), list(predicted)))
    return found
