"""Vectorizers that keep a vocabulary: which terms have a column, and which are too rare or too common for one."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from ...core import Array, declaring, learned, param
from ...core.errors import DataError, NotFittedError, ParameterError, compatible, warn
from ...core.roles.transformer import compressed_back
from ._analyzer import first_upper
from ._term_counts import TermCounts, matrix_of
from ._vectorizer_base import TextVectorizer

Share = float | int
SHARE = "a whole number of 1 or more, or a share between 0 and 1"


def _is_share(value: Any) -> bool:
    return int(value) >= 1 if isinstance(value, Integral) else 0 <= float(value) <= 1


def columns_of(vocabulary: Any) -> dict[Any, int]:
    """A vocabulary as term -> column, checked: every column once, none left out."""
    if not isinstance(vocabulary, Mapping):
        terms = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else list(vocabulary)
        found: dict[Any, int] = {}
        for column, term in enumerate(terms):
            if found.setdefault(term, column) != column:
                raise ParameterError(f"Duplicate term in vocabulary: {term!r}")
    else:
        found = {term: int(column) for term, column in vocabulary.items()}
        taken = set(found.values())
        if len(taken) != len(found):
            raise ParameterError("Vocabulary contains repeated indices.")
        for column in range(len(found)):
            if column not in taken:
                raise ParameterError(f"Vocabulary of size {len(found)} doesn't contain index {column}.")
    if not found:
        raise ParameterError("vocabulary holds no word; leave it at None to learn one")
    return found


@declaring
class VocabularyVectorizer(TextVectorizer):
    """A vectorizer with a column for each term that it learned."""

    max_df: Share = param(
        1.0, "maximum document frequency of a term, as a fraction or a count", accepts=_is_share, says=SHARE
    )
    min_df: Share = param(
        1,
        "minimum document frequency of a term, as a fraction or a count",
        accepts=_is_share,
        says=SHARE,
        tune=(1, 2, 5),
        simpler="larger",
    )
    max_features: int | None = param(None, "maximum number of terms, the most frequent ones", at_least=1)
    vocabulary: Any = param(
        None, "the terms, or term -> column; None to learn them", says="a collection of terms or a mapping",
        accepts=lambda value: value is None or (hasattr(value, "__iter__") and not isinstance(value, str)),
    )  # fmt: skip
    vocabulary_: dict[Any, int] = learned("term -> column")
    fixed_vocabulary_: bool = learned("whether the vocabulary was given")

    def _unsound(self) -> str:
        """Every term has a column of its own, and none is left out: compiled code counts in these columns."""
        columns = self.vocabulary_.values()
        sound = all(type(column) is int for column in columns) and sorted(columns) == list(range(len(columns)))
        sound = sound and all(isinstance(term, str) for term in self.vocabulary_)
        return "" if sound else "vocabulary_ must give every term a column of its own, from 0 to their number"

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The terms in the order of their columns."""
        columns = self._columns()
        names = np.empty(len(columns), dtype=object)
        names[list(columns.values())] = list(columns)
        return names

    def inverse_transform(self, X: Any) -> list[Array]:
        """The terms of each row of `X` that are not zero."""
        terms = np.array(list(self.get_feature_names_out()))
        matrix = compressed_back(self, X, len(terms))
        matrix.eliminate_zeros()
        return [terms[row] for row in np.split(matrix.indices, matrix.indptr[1:-1])]

    def __sklearn_is_fitted__(self) -> bool:
        return "vocabulary_" in self.__dict__

    def _columns(self) -> dict[Any, int]:
        """Term -> column, as learned or as given."""
        if "vocabulary_" in self.__dict__:
            return self.vocabulary_
        if self.vocabulary is None:
            raise compatible(NotFittedError)(
                f"{type(self).__name__}: the vocabulary is not fitted; call fit with documents first, or give one"
            )
        return columns_of(self.vocabulary)

    def _known_counts(self, raw_documents: Any, dtype: Any) -> Any:
        """Counts of the terms that have a column, all others left out."""
        self._check_documents(raw_documents)
        return self._matrix(self._counted(raw_documents), self._columns(), dtype)

    def _matrix(self, counts: TermCounts, columns: dict[Any, int], dtype: Any) -> Any:
        terms = counts.terms()
        place = np.fromiter((columns.get(term, -1) for term in terms), np.int32, len(terms))
        same = len(place) == len(columns) and bool((place == np.arange(len(place))).all())
        real = np.dtype(dtype).kind == "f"
        return matrix_of(counts.rows(None if same else place, real=real), len(columns), dtype)

    def _learned_counts(self, raw_documents: Any, dtype: Any, binary: bool) -> Any:
        """Learn the vocabulary, and count."""
        counts = self._counted(raw_documents)
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            self.vocabulary_ = columns_of(self.vocabulary)
            self._warn_of_capitals()
            return self._matrix(counts, self.vocabulary_, dtype)
        terms = counts.terms()
        if not terms:
            raise DataError("The documents hold no word besides stop words: the vocabulary would be empty")
        X = matrix_of(counts.rows(real=np.dtype(dtype).kind == "f"), len(terms), dtype)
        kept = self._kept(X, binary)
        if not kept.all():
            place = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
            X = matrix_of(counts.rows(place, real=np.dtype(dtype).kind == "f"), int(kept.sum()), dtype)
            terms = [term for term, keep in zip(terms, kept.tolist(), strict=True) if keep]
        self.vocabulary_ = dict(zip(terms, range(len(terms)), strict=True))
        return X

    def _kept(self, X: Any, binary: bool) -> Array:
        """Which terms are neither too rare nor too common, and among the most frequent."""
        documents, terms = X.shape
        most = self.max_df if isinstance(self.max_df, Integral) else self.max_df * documents
        least = self.min_df if isinstance(self.min_df, Integral) else self.min_df * documents
        if most < least:
            raise ParameterError(
                f"{type(self).__name__}: max_df corresponds to < documents than min_df ({most:g} and {least:g})"
            )
        df = np.bincount(X.indices, minlength=terms)
        kept: Array = (least <= df) & (df <= most)
        if self.max_features is not None and kept.sum() > self.max_features:
            total = df if binary else np.bincount(X.indices, X.data, terms).astype(X.dtype)
            frequent = (-total[kept]).argsort()[: self.max_features]  # ties as scikit-learn breaks them
            kept = np.isin(np.arange(terms), np.flatnonzero(kept)[frequent])
        if not kept.any():
            raise DataError("no terms remain after pruning by min_df and max_df; lower min_df or raise max_df")
        return kept

    def _warn_of_capitals(self) -> None:
        if self.lowercase and first_upper(self.vocabulary_) is not None:
            warn(
                "The vocabulary has capital letters, but lowercase=True: these terms never match.",
                UserWarning,
            )
