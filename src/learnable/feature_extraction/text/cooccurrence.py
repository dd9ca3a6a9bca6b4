"""Which terms occur together, and how much more often than by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare.checked_functions import Rows, checked, limits
from ...core.errors import DataError
from ...core.validate.features import FeatureValidator


@checked(window=limits(at_least=1))
def cooccurrence_matrix(
    texts: Iterable[Any], *, window: int | None = 5, analyzer: Callable[[Any], Iterable[str]] | None = None
) -> tuple[Any, Array]:
    """Co-occurrence matrix, how often two terms are within a window.

    A symmetric sparse matrix, and the terms of its rows.

    C[s, t] = number of positions where s and t are at most `window` terms apart in one text

    With window=None it is the number of texts that have both. analyzer cuts a text into terms; without one it is that
    of CountVectorizer().

    >>> counts, terms = cooccurrence_matrix(["ice is cold", "fire is hot"], window=1)
    >>> terms.tolist()
    ['cold', 'fire', 'hot', 'ice', 'is']
    >>> counts.toarray()[-1]
    array([1, 1, 1, 1, 0])
    """
    from scipy.sparse import coo_array

    texts = list(texts)
    odd = [text for text in texts if analyzer is None and not isinstance(text, str)]
    if odd:
        raise DataError(
            f"cooccurrence_matrix: texts must hold strings, unless an analyzer is given; got {odd[0]!r:.40}"
        )
    cut = analyzer or _words()
    rows = [list(cut(text)) for text in texts]
    terms, number = np.unique(np.array([term for row in rows for term in row], dtype=object), return_inverse=True)
    if not len(terms):
        raise DataError("cooccurrence_matrix: the texts have no terms")
    text = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    pairs = _within(number, text, window) if window is not None else _together(number, text)
    first, second = np.concatenate(pairs, axis=1)
    counts = coo_array((np.ones(len(first), dtype=np.int64), (first, second)), shape=(len(terms), len(terms))).tocsr()
    return (counts + counts.T).tocsr(), terms


def _words() -> Callable[[str], Iterable[str]]:
    from .count_vectorizer import CountVectorizer

    return CountVectorizer().build_analyzer()


def _within(number: Array, text: Array, window: int) -> list[Array]:
    """Pairs of terms at each distance up to `window` inside a text."""
    pairs = [np.empty((2, 0), dtype=number.dtype)]
    for distance in range(1, min(window, len(number) - 1) + 1):
        same = text[:-distance] == text[distance:]
        pairs.append(np.stack([number[:-distance][same], number[distance:][same]]))
    return pairs


def _together(number: Array, text: Array) -> list[Array]:
    """Each pair of different terms once for each text that has both."""
    pairs = [np.empty((2, 0), dtype=number.dtype)]
    for row in np.split(number, np.flatnonzero(np.diff(text)) + 1):
        distinct = np.unique(row)
        pairs.append(distinct[np.stack(np.triu_indices(len(distinct), 1))])
    return pairs


@checked()
def pmi_matrix(counts: Rows, *, positive: bool = False, base: float | None = None, smoothing: float = 1.0) -> Any:
    """Pointwise mutual information (PMI) of terms that occur together, as a sparse matrix.

    PMI[s, t] = log p(s, t) / (p(s) q(t)),   p = counts / their sum,   q(t) ~ (sum of column t)^smoothing

    Pairs that never occur have no entry (their PMI is minus infinity); with positive=True negative values are left out
    too (PPMI). smoothing below 1, such as 0.75, favours rare terms less. base is that of the logarithm, e if None.
    [Church and Hanks, 1990]

    >>> pmi_matrix([[0, 2], [2, 0]], base=2).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    from scipy.sparse import coo_array

    table, _ = FeatureValidator("pmi_matrix", sparse=True).matrix(counts)
    joint = coo_array(table, dtype=np.float64)
    joint.sum_duplicates()
    joint.eliminate_zeros()
    if (joint.data < 0).any() or not joint.nnz:
        raise DataError("pmi_matrix: counts must be 0 or more, with one above 0; use those of cooccurrence_matrix")
    total = joint.data.sum()
    row, column = np.asarray(joint.sum(axis=1)) / total, np.asarray(joint.sum(axis=0)) ** smoothing
    expected = row[joint.row] * (column / column.sum())[joint.col]
    value = np.log(joint.data / total / expected) / (1.0 if base is None else np.log(base))
    kept = value > 0 if positive else np.ones(len(value), dtype=bool)
    return coo_array((value[kept], (joint.row[kept], joint.col[kept])), shape=joint.shape).tocsr()
