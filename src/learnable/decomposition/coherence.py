"""Coherence of topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.features import FeatureValidator


@checked()
def topic_coherence(topics: list[Any], X: Rows) -> Array:
    """UMass coherence: how often the words of a topic occur in the same documents.

    mean over pairs i > j of log((documents with both words + 1) / documents with word j)

    `topics` lists for each topic its words, by column of `X`, the most probable first; values nearer zero are better.
    [Mimno, Wallach, Talley, Leenders and McCallum, 2011]

    >>> X = [[1, 1, 0], [2, 1, 0], [0, 0, 1]]
    >>> topic_coherence([[0, 1], [0, 2]], X).round(2)
    array([ 0.41, -0.69])
    """
    from scipy.sparse import csc_array

    table, _ = FeatureValidator("topic_coherence", sparse=True).matrix(X)
    seen = csc_array(table).copy()
    seen.data = (seen.data > 0).astype(np.float64)
    found = []
    for words in topics:
        columns = np.asarray(words)
        listed = columns.ndim == 1 and columns.size and columns.dtype.kind in "iu"
        if not listed or columns.min() < 0 or columns.max() >= table.shape[1]:
            raise DataError(
                f"topic_coherence: topics must list columns of X, below {table.shape[1]}; got {words!r:.40}"
            )
        part = seen[:, columns]
        both = (part.T @ part).toarray()
        pairs = [np.log((both[i, j] + 1) / max(both[j, j], 1.0)) for i in range(1, len(words)) for j in range(i)]
        found.append(float(np.mean(pairs)) if pairs else 0.0)
    return np.array(found)
