"""Bags of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import estimator, param
from ._vectorizer_base import is_dtype
from ._vocabulary_base import VocabularyVectorizer


@estimator
class CountVectorizer(VocabularyVectorizer):
    """Bag of words: texts as counts of their terms, one column per term.

    X[d, t] = how often term t occurs in document d

    Texts are cut, lowered and counted in one compiled pass over their bytes, on all threads; a tokenizer, preprocessor
    or pattern of your own is run in Python. With binary=True a column only says whether the term occurs.

    >>> words = CountVectorizer()
    >>> words.fit_transform(["the cat", "the dog and the cat"]).toarray()
    array([[0, 1, 0, 1],
           [1, 1, 1, 2]])
    >>> words.get_feature_names_out().tolist()
    ['and', 'cat', 'dog', 'the']
    """

    binary: bool = param(False, "whether counts above zero become 1")
    dtype: Any = param(np.int64, "data type of the matrix", accepts=is_dtype, says="a number type")

    title = "bag of words"
    reference = "Harris, 1954"

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the document-term matrix of counts; `y` is ignored."""
        self._check(raw_documents)
        with self._fitting() as trace:
            X = self._learned_counts(raw_documents, self.dtype, self.binary)
            trace.exact("terms are counted, not estimated", float(len(self.vocabulary_)))
        return self._finished(X)

    def transform(self, raw_documents: Any) -> Any:
        """The document-term matrix of counts; unknown terms are ignored."""
        return self._finished(self._known_counts(raw_documents, self.dtype))

    def _finished(self, X: Any) -> Any:
        if self.binary:
            X.data.fill(1)
        return X
