"""Words as indicator vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...core.declare.checked_functions import checked, limits, not_empty
from ._vocabulary_base import columns_of


@checked(words=limits(accepts=not_empty, says="at least one word"))
def one_hot_words(words: Iterable[str], vocabulary: Mapping[str, int] | Iterable[str] | None = None) -> Any:
    """One-hot encoding of words: a row for each word with a single 1 in its column, as a sparse matrix.

    X[i, j] = 1 if word i is term j of the vocabulary, else 0

    Without a vocabulary it is that of the words themselves, in order; a word outside it gets a row of zeros.

    >>> one_hot_words(["to", "be", "or", "not", "to", "be"]).toarray()
    array([[0, 0, 0, 1],
           [1, 0, 0, 0],
           [0, 0, 1, 0],
           [0, 1, 0, 0],
           [0, 0, 0, 1],
           [1, 0, 0, 0]])
    """
    from scipy.sparse import csr_matrix

    given = list(words)
    columns = columns_of(set(given) if vocabulary is None else vocabulary)
    indices = np.array([columns.get(word, -1) for word in given], dtype=np.int32)
    known = indices >= 0
    start = np.concatenate([[0], np.cumsum(known)])
    return csr_matrix((np.ones(known.sum(), dtype=np.int64), indices[known], start), shape=(len(given), len(columns)))
