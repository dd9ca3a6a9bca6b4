"""Features of a linear-chain model: attributes with labels, and transitions between labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core import Array
from ...core.runtime.native import kernels
from .sentences import Tokens


class Features(NamedTuple):
    """Attribute a has features offset[a] to offset[a + 1], one for each of these labels; a mask of transitions."""

    offset: Array
    label: Array
    transitions: Array

    @property
    def classes(self) -> int:
        """The number of labels."""
        return len(self.transitions)

    @property
    def size(self) -> int:
        """The number of features of attributes."""
        return len(self.label)

    def scores(self, tokens: Tokens, weight: Array) -> Array:
        """The score of each label at each token, for weights of the features of attributes."""
        found = np.empty((len(tokens.start) - 1, self.classes))
        kernels.score_labels(tokens.start, tokens.attribute, tokens.value, self.offset, self.label, weight, found)
        return found

    def sum_by_attribute(self, columns: tuple[Array, Array, Array | None], residual: Array) -> Array:
        """The sums of the residuals of the tokens of each feature; `columns` are the tokens of attributes."""
        found = np.empty(self.size)
        kernels.sum_by_attribute(*columns, self.offset, self.label, np.ascontiguousarray(residual), found)
        return found


def find_features(
    tokens: Tokens, labels: Array, classes: int, attributes: int, min_freq: float, states: bool, transitions: bool
) -> Features:
    """The features that occur in labelled sentences at least `min_freq` times.

    With `states` every attribute has a feature for each label, with `transitions` all transitions have one. Tokens of
    unknown label (-1) may have any label.
    """
    from scipy.sparse import coo_array

    rows = np.repeat(np.arange(len(labels)), np.diff(tokens.start))
    known = labels[rows] >= 0
    pairs = tokens.attribute[known], labels[rows][known]
    counts = coo_array((np.ones(int(known.sum())), pairs), shape=(attributes, classes)).tocsr()
    open_ = np.zeros(attributes, dtype=bool)
    open_[tokens.attribute[~known]] = True
    if states or open_.any():
        whole = np.ones(attributes, dtype=bool) if states else open_
        counts = (counts + coo_array(np.where(whole[:, None], min_freq + 1.0, 0.0) * np.ones(classes))).tocsr()
    counts.sort_indices()
    kept = counts.data >= min_freq
    sizes = np.add.reduceat(np.append(kept, False), counts.indptr[:-1]) if len(kept) else np.zeros(attributes)
    sizes = np.where(np.diff(counts.indptr) > 0, sizes, 0)
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Features(
        offset, counts.indices[kept].astype(np.int32), _transitions(tokens, labels, classes, min_freq, transitions)
    )


def _transitions(tokens: Tokens, labels: Array, classes: int, min_freq: float, all_of_them: bool) -> Array:
    before, after = label_pairs(labels, tokens.lengths)
    known = (before >= 0) & (after >= 0)
    if all_of_them or not known.all():
        return np.ones((classes, classes), dtype=np.uint8)
    counts = np.bincount(before * classes + after, minlength=classes**2).reshape(classes, classes)
    return ((counts > 0) & (counts >= min_freq)).astype(np.uint8)


def label_pairs(labels: Array, lengths: Array) -> tuple[Array, Array]:
    """The labels of adjacent tokens of a sentence.

    >>> label_pairs(np.array([0, 1, 2]), np.array([2, 1]))
    (array([0]), array([1]))
    """
    inside = np.ones(len(labels), dtype=bool)
    inside[np.cumsum(lengths)[lengths > 0] - 1] = False
    inside = inside[:-1]
    return labels[:-1][inside].astype(np.int64), labels[1:][inside].astype(np.int64)


def by_attribute(tokens: Tokens, attributes: int) -> tuple[Array, Array, Array | None]:
    """The tokens of each attribute: start, index and values."""
    from scipy.sparse import csr_array

    value = np.ones(len(tokens.attribute), dtype=np.int8) if tokens.value is None else tokens.value
    matrix = csr_array((value, tokens.attribute, tokens.start), shape=(len(tokens.start) - 1, attributes)).tocsc()
    plain = None if tokens.value is None else np.asarray(matrix.data)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), plain


def coefficient_matrix(features: Features, weight: Array) -> Any:
    """The weights of attributes and labels as a sparse matrix."""
    from scipy.sparse import csr_array

    shape = len(features.offset) - 1, features.classes
    return csr_array((weight[: features.size], features.label, features.offset), shape=shape)
