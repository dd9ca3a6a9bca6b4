"""Texts as numbers of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core import Array, DataError


def tokens_of(
    owner: str, texts: Iterable[Any], analyzer: Callable[[Any], Iterable[str]] | None, min_count: int = 1
) -> tuple[Array, Array, list[str]]:
    """The numbers of the words of all texts, where each text begins, and the words that occur often enough, sorted."""
    from .count_vectorizer import CountVectorizer

    texts = list(texts)
    for text in texts:
        if analyzer is None and not isinstance(text, str):
            raise DataError(f"{owner}: texts must be texts, or analyzer must cut them; got {text!r:.40}")
    cut = analyzer or CountVectorizer().build_analyzer()
    rows = [list(cut(text)) for text in texts]
    words, number, counts = np.unique(
        np.array([word for row in rows for word in row], dtype=object), return_inverse=True, return_counts=True
    )
    kept = counts >= min_count
    if not kept.any():
        raise DataError(f"{owner}: the texts have no word that occurs at least {min_count} times")
    text = np.repeat(np.arange(len(rows)), [len(row) for row in rows])[kept[number]]
    rank = np.cumsum(kept) - 1
    tokens = rank[number[kept[number]]].astype(np.int32)
    start = np.concatenate([[0], np.cumsum(np.bincount(text, minlength=len(rows)))]).astype(np.int64)
    return tokens, start, [str(word) for word in words[kept]]
