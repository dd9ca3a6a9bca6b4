"""Tags of words by their suffixes, for words that are rare or unknown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core import Array


def suffix_keys(word: str, length: int) -> list[str]:
    """Keys of the suffixes of a word, the longest first; capitalised words, numbers and others are kept apart.

    >>> suffix_keys("Rome", 2)
    ['A:me', 'A:e', 'A:']
    """
    kind = "A" if word[:1].isupper() else "0" if any(letter.isdigit() for letter in word) else "a"
    return [f"{kind}:{word[len(word) - size :].lower()}" for size in range(min(length, len(word)), -1, -1)]


def suffix_counts(words: Sequence[str], counts: Array, rare: int, length: int) -> tuple[list[str], Array]:
    """The suffixes of words that occur at most `rare` times, and how often they occur with each tag.

    If no word is rare, all of them count.
    """
    total = counts.sum(axis=1)
    chosen = np.flatnonzero(total <= rare)
    chosen = chosen if len(chosen) else np.arange(len(words))
    row: dict[str, int] = {}
    keys = [[row.setdefault(key, len(row)) for key in suffix_keys(words[w], length)] for w in chosen.tolist()]
    names = sorted(row)
    found = np.zeros((len(names), counts.shape[1]))
    place = np.empty(len(names), dtype=np.int64)
    place[[row[name] for name in names]] = np.arange(len(names))
    sizes = [len(each) for each in keys]
    flat = place[[code for each in keys for code in each]]
    np.add.at(found, flat, np.repeat(counts[chosen], sizes, axis=0))
    return names, found


class SuffixModel:
    """P(tag | word) from the suffixes of the word, each mixed with the next shorter one.

    P(t | suffix) = (frequency of t + theta P(t | shorter suffix)) / (1 + theta), where theta is the standard deviation
    of the probabilities of the tags.
    """

    def __init__(self, names: Sequence[str], counts: Array, classprob: Array, length: int) -> None:
        self.row = {name: place for place, name in enumerate(names)}
        self.frequency = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
        self.classprob, self.length = classprob, length
        self.theta = float(np.std(classprob, ddof=1)) if len(classprob) > 1 else 1.0
        self.theta = max(self.theta, 1e-3)  # of equally frequent tags, where it is zero

    def probabilities(self, word: str) -> Array:
        """The probability of each tag for a word."""
        found = self.classprob
        for key in reversed(suffix_keys(word, self.length)):
            place = self.row.get(key)
            if place is None:
                break
            found = (self.frequency[place] + self.theta * found) / (1 + self.theta)
        return found
