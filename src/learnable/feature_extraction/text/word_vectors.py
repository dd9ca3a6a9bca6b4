"""Word vectors: singular vectors of co-occurrence, GloVe and skip-gram; nearest words, analogies, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...core import Array, DataError, RandomState, generator, seed_of
from ...core.declare.checked_functions import Rows, checked, limits
from ...core.files.text_files import lines_of
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ...core.validate.features import FeatureValidator
from ._tokens import tokens_of

MAX_DIGITS = 18  # of a size in the first line of a file


@dataclass(frozen=True)
class WordVectors:
    """Word vectors (embeddings): the word `words[i]` has the vector `vectors[i]`.

    >>> king = WordVectors(["king", "queen", "fish"], [[1.0, 0.2], [0.9, 0.4], [-1.0, 0.5]])
    >>> king.nearest("king", n=1)
    [('queen', 0.9757...)]
    """

    words: list[str]
    vectors: Array
    losses: tuple[float, ...] = ()  # of the epochs of the fit

    def __post_init__(self) -> None:
        vectors = np.asarray(self.vectors, dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(self.words) or not np.isfinite(vectors).all():
            raise DataError(
                f"WordVectors: vectors must hold a row of finite numbers for each of the {len(self.words)} words; "
                f"their shape is {vectors.shape}"
            )
        object.__setattr__(self, "vectors", vectors)
        object.__setattr__(self, "words", [str(word) for word in self.words])

    @cached_property
    def _position(self) -> dict[str, int]:
        return {word: k for k, word in enumerate(self.words)}

    @cached_property
    def _unit(self) -> Array:
        length = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return np.asarray(self.vectors / np.where(length > 0, length, 1.0))

    def __contains__(self, word: object) -> bool:
        return word in self._position

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word: str) -> Array:
        return np.asarray(self.vectors[self._of(word)])

    def _of(self, word: str) -> int:
        if not isinstance(word, str) or word not in self._position:
            raise DataError(f"WordVectors: the word {word!r:.40} has no vector among those of {len(self.words)} words")
        return self._position[word]

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two words."""
        return float(self._unit[self._of(one)] @ self._unit[self._of(other)])

    def nearest(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The `n` words with the largest cosine to a word, without itself."""
        return self._best(self._unit[self._of(word)], {self._of(word)}, n)

    def analogy(self, a: str, b: str, c: str, n: int = 1) -> list[tuple[str, float]]:
        """What is to `c` as `b` is to `a`: the words nearest to b - a + c, without the three."""
        given = [self._of(word) for word in (a, b, c)]
        return self._best(self._unit[given[1]] - self._unit[given[0]] + self._unit[given[2]], set(given), n)

    def _best(self, vector: Array, without: set[int], n: int) -> list[tuple[str, float]]:
        length = float(np.linalg.norm(vector))
        cosine = self._unit @ (vector / length if length > 0 else vector)
        order = [k for k in np.argsort(-cosine, kind="stable").tolist() if k not in without]
        return [(self.words[k], float(cosine[k])) for k in order[:n]]

    def save_word2vec(self, path: Any) -> None:
        """Write the text format of word2vec: a line with both sizes, then a word and its numbers in each line."""
        odd = [word for word in self.words if not word or any(mark.isspace() for mark in word)]
        if odd:
            raise DataError(
                f"WordVectors: the word {odd[0]!r:.40} has blanks, which the format of word2vec cannot hold"
            )
        lines = [f"{len(self.words)} {self.vectors.shape[1]}"]
        lines += [
            " ".join([word, *map(repr, row)]) for word, row in zip(self.words, self.vectors.tolist(), strict=True)
        ]
        Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


@checked()
def read_word2vec(path: Any) -> WordVectors:
    """Read word vectors in the text format of word2vec; of GloVe too, which has no line with sizes.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> WordVectors(["a", "b"], [[1.0, 2.0], [0.5, 0.1]]).save_word2vec(file)
    >>> read_word2vec(file)["b"]
    array([0.5, 0.1])
    """
    lines = lines_of("read_word2vec", path)
    first = lines[0].split() if lines else []
    sized = len(first) == 2 and all(part.isdecimal() and len(part) < MAX_DIGITS for part in first)
    rows = [line.rstrip().split(" ") for line in lines[sized:] if line.strip()]
    width = int(first[1]) if sized else len(rows[0]) - 1 if rows else 0
    if not rows or not width:
        raise DataError(f"read_word2vec: {path} has no words with numbers")
    if sized and len(rows) != int(first[0]):
        raise DataError(f"read_word2vec: {path} announces {first[0]} words and has {len(rows)}")
    for number, row in enumerate(rows):
        if len(row) != width + 1:
            raise DataError(
                f"read_word2vec: line {number + 1 + sized} of {path} has {len(row) - 1} numbers, not {width}"
            )
    try:
        vectors = np.array([[float(part) for part in row[1:]] for row in rows]).reshape(len(rows), width)
    except ValueError as error:
        raise DataError(f"read_word2vec: {path} has an entry that is not a number: {error}") from None
    if not np.isfinite(vectors).all():
        number = int(np.argmin(np.isfinite(vectors).all(axis=1)))
        raise DataError(f"read_word2vec: line {number + 1 + sized} of {path} has a number that is not finite")
    return WordVectors([row[0] for row in rows], vectors)


@checked(n_components=limits(at_least=1))
def svd_word_vectors(matrix: Rows, words: Any, *, n_components: int = 100, power: float = 0.5) -> WordVectors:
    """Word vectors from the singular value decomposition of a matrix of co-occurrence, such as PPMI.

    M ~ U S V',    vectors = U S^power

    25 to 1000 components are usual; power=0.5 shares the singular values between words and contexts, 1 keeps the inner
    products of the rows of M. [Levy, Goldberg and Dagan, 2015]

    >>> M = [[2.0, 2.0, 0.0, 0.0], [2.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.0]]
    >>> svd_word_vectors(M, ["ice", "snow", "fire", "heat"], n_components=2).nearest("ice", 1)[0][0]
    'snow'
    """
    from ...decomposition import TruncatedSVD

    table, _ = FeatureValidator("svd_word_vectors", sparse=True, storage="csr").matrix(matrix)
    words = _check_words("svd_word_vectors", words, table.shape[0])
    count = min(n_components, *table.shape)
    found = TruncatedSVD(count, random_state=0, n_iter=7).fit(table)
    values = np.where(found.singular_values_ > 0, found.singular_values_, 1.0)
    U = found.transform(table) / values
    return WordVectors(words, U * np.where(found.singular_values_ > 0, values**power, 0.0))


@checked(
    n_components=limits(at_least=1), max_iter=limits(at_least=1), learning_rate=limits(above=0), x_max=limits(above=0),
    alpha=limits(at_least=0),
)  # fmt: skip
def glove(
    counts: Rows,
    words: Any,
    *,
    n_components: int = 50,
    max_iter: int = 30,
    learning_rate: float = 0.05,
    x_max: float = 100.0,
    alpha: float = 0.75,
    random_state: RandomState = None,
) -> WordVectors:
    """GloVe: word vectors whose inner products are logarithms of co-occurrence counts, up to a bias for each word.

    minimise    sum of f(X_ij) (w_i.c_j + b_i + d_j - log X_ij)^2 / 2,    f(x) = min((x / x_max)^alpha, 1)

    By AdaGrad, an entry at a time in random order, which depends on the seed alone. A word's vector is the sum w + c.
    [Pennington, Socher and Manning, 2014]

    >>> from learnable.feature_extraction.text import cooccurrence_matrix
    >>> counts, words = cooccurrence_matrix(["ice is cold", "snow is cold", "fire is hot", "heat is hot"] * 5)
    >>> vectors = glove(counts, words, n_components=4, random_state=0)
    >>> bool(vectors.losses[-1] < vectors.losses[0])
    True
    """
    from scipy.sparse import coo_array

    table, _ = FeatureValidator("glove", sparse=True).matrix(counts)
    entries = coo_array(table)
    entries.sum_duplicates()
    if entries.shape[0] != entries.shape[1]:
        raise DataError(f"glove: counts must be a square matrix; its shape is {entries.shape}")
    words = _check_words("glove", words, entries.shape[0])
    if (entries.data < 0).any() or not entries.data.any():
        raise DataError("glove: counts must be 0 or more, with one above 0; use those of cooccurrence_matrix")
    kept = entries.data > 0
    row, column = (np.asarray(part[kept], dtype=np.int32) for part in (entries.row, entries.col))
    count = entries.data[kept].astype(np.float64)
    seed, n = seed_of(random_state), len(words)
    W, C = ((generator(seed, k).random((n, n_components)) - 0.5) / n_components for k in (0, 1))
    biases = np.zeros(n), np.zeros(n)
    squares = np.ones((n, n_components + 1)), np.ones((n, n_components + 1))
    weight, losses = np.minimum((count / x_max) ** alpha, 1.0), []
    for epoch in range(max_iter):
        give_way()
        order = generator(seed, 2, epoch).permutation(len(row))
        losses.append(kernels.glove_epoch(
            row[order], column[order], np.log(count[order]), weight[order], learning_rate, W, C, *biases, *squares
        ))  # fmt: skip
    return WordVectors(words, W + C, tuple(losses))


def _check_words(owner: str, words: Any, count: int) -> list[str]:
    """The words that name the rows of a matrix, as a list."""
    named = [] if isinstance(words, str) or not isinstance(words, Iterable) else [str(word) for word in words]
    if len(named) != count:
        raise DataError(f"{owner}: words must be a list with a word for each of the {count} rows; got {words!r:.80}")
    return named


@checked(
    n_components=limits(at_least=1), window=limits(at_least=1), n_negative=limits(at_least=1),
    max_iter=limits(at_least=1), learning_rate=limits(above=0), subsample=limits(at_least=0),
    min_count=limits(at_least=1),
)  # fmt: skip
def skip_gram(
    texts: Iterable[Any],
    *,
    n_components: int = 100,
    window: int = 5,
    n_negative: int = 5,
    max_iter: int = 5,
    learning_rate: float = 0.025,
    subsample: float = 1e-3,
    min_count: int = 1,
    analyzer: Callable[[Any], Iterable[str]] | None = None,
    random_state: RandomState = None,
) -> WordVectors:
    """Skip-gram with negative sampling (word2vec): vectors of words that predict the words around them.

    maximise    sum over nearby pairs of log sigmoid(v_s.u_t)  +  sum over random words r of log sigmoid(-v_s.u_r)

    Random words come with probabilities ~ frequency^0.75; frequent words are left out at random. Steps are in the order
    of the texts, so the vectors depend on the seed alone, not on threads. [Mikolov et al., 2013]

    >>> texts = ["ice is cold", "snow is cold", "fire is hot", "heat is hot"] * 50
    >>> vectors = skip_gram(texts, n_components=8, max_iter=10, subsample=0, random_state=0)
    >>> bool(vectors.losses[-1] < vectors.losses[0])
    True
    """
    tokens, start, words = tokens_of("skip_gram", texts, analyzer, min_count)
    frequency = np.bincount(tokens, minlength=len(words)).astype(float)
    fraction = frequency / frequency.sum()
    keep = (
        np.ones(len(words)) if subsample == 0 else np.minimum(np.sqrt(subsample / fraction) + subsample / fraction, 1.0)
    )
    reached = np.cumsum(frequency**0.75)
    seed = seed_of(random_state)
    V = (generator(seed, 0).random((len(words), n_components)) - 0.5) / n_components
    U, losses = np.zeros((len(words), n_components)), []
    for epoch in range(max_iter):
        give_way()
        first, last = (learning_rate * max(1 - (epoch + k) / max_iter, 1e-4) for k in (0, 1))
        key = int(generator(seed, 1, epoch).integers(2**63))
        losses.append(
            kernels.skipgram_epoch(
                tokens, start, keep, reached / reached[-1], window, n_negative, first, last, key, V, U
            )
        )
    return WordVectors(words, V, tuple(losses))
