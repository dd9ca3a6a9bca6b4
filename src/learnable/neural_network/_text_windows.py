"""Texts as windows of codes, each with the code that follows it as its target."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError

BOUNDARY = 0  # the code before the first symbol of a text and after the last one


class Windows(NamedTuple):
    """Windows of texts, NaN beyond their ends: codes, those that follow, and which of these no earlier window had."""

    codes: Array
    targets: Array
    fresh: Array
    text: Array  # the number of the text that a window is of
    texts: int


def read_texts(owner: str, X: Any, min_df: int, joined: bool | None = None) -> tuple[list[Any], list[str]]:
    """Texts, or lists of texts, all of one kind; and the symbols that at least `min_df` of them have, sorted."""
    if isinstance(X, (str, bytes)) or not hasattr(X, "__iter__"):
        raise DataError(f"{owner}: X must be a list of texts, or of lists of texts; got {X!r:.60}")
    texts = [one.tolist() if isinstance(one, np.ndarray) else one for one in X]
    if not texts:
        raise DataError(f"{owner}: X has no texts")
    kind = isinstance(texts[0], str) if joined is None else joined
    counts = Counter[str]()
    for number, text in enumerate(texts):
        listed = isinstance(text, (list, tuple)) and all(isinstance(one, str) for one in text)
        if isinstance(text, str) != kind or not (kind or listed):
            expected = "a text" if kind else "a list of texts"
            raise DataError(f"{owner}: text {number} of X must be {expected}; got {text!r:.60}")
        counts.update(set(text))
    return texts, sorted(symbol for symbol, count in counts.items() if count >= min_df)


def windows_of(texts: list[Any], symbols: list[str], context: int, stride: int) -> Windows:
    """Windows of `context` codes, `stride` apart; symbols that are not known have the last code."""
    known = {symbol: code for code, symbol in enumerate(symbols, 1)}
    codes, targets, fresh, numbers = [], [], [], []
    for number, text in enumerate(texts):
        row = np.array([BOUNDARY, *(known.get(symbol, len(known) + 1) for symbol in text), BOUNDARY], dtype=np.float64)
        steps = len(row) - 1
        for begin in range(0, max(1, steps - context + stride), stride):
            here = slice(begin, min(begin + context, steps))
            codes.append(_padded(row[here], context))
            targets.append(_padded(row[here.start + 1 : here.stop + 1], context))
            fresh.append(np.arange(context) < here.stop - begin)
            fresh[-1][: context - stride if begin else 0] = False
            numbers.append(number)
    return Windows(np.array(codes), np.array(targets), np.array(fresh), np.array(numbers), len(texts))


def _padded(row: Array, length: int) -> Array:
    found = np.full(length, np.nan)
    found[: len(row)] = row
    return found
