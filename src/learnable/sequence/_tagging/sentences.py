"""Sentences: tokens with attributes, and labels of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ...core import Array, DataError
from ...core.validate.sparse_input import refuse_broken
from .._sequence_input import checked_lengths

SEPARATOR = ":"
MAX_DEPTH = 50  # of dicts inside one another


class Tokens(NamedTuple):
    """Attributes of the tokens of all sentences: entries start[t] to start[t + 1] of `attribute`, with values.

    `value` is None if all are one.
    """

    start: Array
    attribute: Array
    value: Array | None
    lengths: Array

    @property
    def offset(self) -> Array:
        """Where sentences begin, and where the last one ends."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)


class Names:
    """Codes of attribute names, in the order in which they are met; a closed set gives others the code -1."""

    def __init__(self, known: Iterable[str] | None = None) -> None:
        self.codes: dict[str, int] = {} if known is None else {name: code for code, name in enumerate(known)}
        self.closed = known is not None

    def code(self, name: str) -> int:
        """The code of a name."""
        return self.codes.get(name, -1) if self.closed else self.codes.setdefault(name, len(self.codes))


def is_csr(X: Any) -> bool:
    """Whether `X` is a SciPy sparse matrix."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def read_tokens(owner: str, X: Any, names: Names) -> Tokens:
    """The tokens of sentences: each a list of dicts, or of lists of attributes."""
    check_sentences(owner, X)
    start, index, value, lengths = [0], [], [], []
    for s, sentence in enumerate(X):
        if isinstance(sentence, (str, bytes, Mapping)) or not isinstance(sentence, Iterable):
            raise DataError(
                f"{owner}: sentence {s} of X must be a list of tokens, each a dict or a list of attributes; got "
                f"{sentence!r:.60}"
            )
        count = 0
        for item in sentence:
            for name, number in attributes_of(owner, item, s, count):
                code = names.code(name)
                if code >= 0:
                    index.append(code)
                    value.append(number)
            start.append(len(index))
            count += 1
        lengths.append(count)
    values = np.array(value, dtype=np.float64)
    if not np.isfinite(values).all():
        raise DataError(f"{owner}: values of attributes must be finite")
    plain = None if (values == 1).all() else values
    return Tokens(np.array(start, np.int64), np.array(index, np.int32), plain, np.array(lengths, np.int64))


def check_sentences(owner: str, X: Any) -> None:
    """Refuse what is not a list of sentences, and an empty one."""
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, (Sequence, np.ndarray)):
        raise DataError(f"{owner}: X must be a list of sentences; got {type(X).__name__} {X!r:.40}")
    if len(X) == 0:
        raise DataError(f"{owner}: X must have at least one sentence")


def attributes_of(owner: str, item: Any, sentence: int, token: int, depth: int = 0) -> Iterator[tuple[str, float]]:
    """(name, value) of the attributes of a token, as CRFsuite reads them.

    A text is an indicator `key:text`, a number or truth value is the value of `key`, and what is nested is joined by a
    colon. In a list each text is an indicator.

    >>> list(attributes_of("CRF", {"word": "Rome", "length": 4, "context": {"next": ["is"]}}, 0, 0))
    [('word:Rome', 1.0), ('length', 4.0), ('context:next:is', 1.0)]
    """
    if isinstance(item, Mapping):
        for key, given in item.items():
            if isinstance(given, str):
                yield f"{key}{SEPARATOR}{given}", 1.0
            elif isinstance(given, (Real, np.bool_)):
                yield str(key), float(given)
            elif isinstance(given, (Mapping, list, tuple, set, frozenset)):
                if depth == MAX_DEPTH:
                    raise _wrong(owner, f"more than {MAX_DEPTH} dicts inside one another", sentence, token)
                for name, value in attributes_of(owner, given, sentence, token, depth + 1):
                    yield f"{key}{SEPARATOR}{name}", value
            else:
                raise _wrong(owner, f"{key!r}: {given!r:.40}", sentence, token)
        return
    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise _wrong(owner, f"{item!r:.40}", sentence, token)
    for name in sorted(item) if isinstance(item, (set, frozenset)) else item:
        if not isinstance(name, str):
            raise _wrong(owner, f"{name!r:.40}", sentence, token)
        yield name, 1.0


def _wrong(owner: str, shown: str, sentence: int, token: int) -> DataError:
    return DataError(
        f"{owner}: token {token} of sentence {sentence} must be a dict with values that are texts, numbers, or dicts "
        f"and lists of these, or a list of attribute names; got {shown}"
    )


def matrix_tokens(owner: str, X: Any, lengths: Any) -> Tokens:
    """The rows of a sparse matrix as tokens of sentences of these lengths."""
    refuse_broken(owner, "X", X)
    matrix = X.tocsr().copy()
    matrix.sum_duplicates()
    if matrix.dtype.kind not in "fiub" or not np.isfinite(matrix.data).all():
        raise DataError(f"{owner}: X must hold finite numbers")
    values = matrix.data.astype(np.float64)
    counts = checked_lengths(owner, lengths, matrix.shape[0])
    plain = None if (values == 1).all() else values
    return Tokens(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), plain, counts)


def sorted_names(tokens: Tokens, names: Names) -> tuple[Tokens, Array]:
    """Tokens whose codes are in the order of the names, and the names: both do not depend on the order of sentences."""
    found = np.array([*names.codes, ""], dtype=object)[:-1]
    order = np.argsort(found, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return tokens._replace(attribute=rank[tokens.attribute] if len(rank) else tokens.attribute), found[order]


def read_labels(owner: str, y: Any, tokens: Any) -> list[Any]:
    """The labels of all tokens one after the other: texts, and None where the label is unknown."""
    if isinstance(y, (str, bytes)) or not isinstance(y, (Sequence, np.ndarray)):
        raise DataError(f"{owner}: y must hold a list of labels for each sentence; got {type(y).__name__}")
    flat = len(y) == int(tokens.lengths.sum()) and all(label is None or isinstance(label, str) for label in y)
    if not flat:
        if len(y) != len(tokens.lengths):
            raise DataError(f"{owner}: X has {len(tokens.lengths)} sentences, but y has {len(y)}")
        for s, (labels, length) in enumerate(zip(y, tokens.lengths.tolist(), strict=True)):
            if isinstance(labels, str) or len(labels) != length:
                raise DataError(f"{owner}: sentence {s} has {length} tokens, but {len(labels)} labels in y")
    found = list(y) if flat else [label for labels in y for label in labels]
    for label in {type(label): label for label in found}.values():
        if label is not None and not isinstance(label, str):
            raise DataError(f"{owner}: labels in y must be texts, or None where unknown; got {label!r:.40}")
    return found


def label_codes(labels: Sequence[Any], classes: Sequence[str]) -> Array:
    """The codes of labels, -1 for None and for labels that are not among the classes."""
    codes: dict[Any, int] = {label: code for code, label in enumerate(classes)}
    return np.array([codes.get(label, -1) for label in labels], dtype=np.int32)


def by_sentence(values: Sequence[Any], lengths: Array) -> list[list[Any]]:
    """Values of all tokens as a list for each sentence.

    >>> by_sentence(["a", "b", "c"], np.array([1, 2]))
    [['a'], ['b', 'c']]
    """
    ends = np.cumsum(lengths).tolist()
    return [list(values[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]
