"""Texts as weighed counts of their terms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, estimator, learned, param
from ...core.errors import not_fitted, warn
from ._tfidf import inverse_frequency, weigh
from ._vectorizer_base import is_dtype
from ._vocabulary_base import VocabularyVectorizer


@estimator
class TfidfVectorizer(VocabularyVectorizer):
    """Tf-idf features of texts: weighted term counts, with rows normalised to length 1.

    X[d, t] = tf * idf,   tf = count,   idf = log((1 + D) / (1 + df)) + 1

    CountVectorizer and TfidfTransformer in one: see there for the parameters. idf="course" gives
    idf = log(D / df), without smoothing. Terms that fit did not see are ignored.

    >>> texts = ["the cat", "the dog"]
    >>> tfidf = TfidfVectorizer(idf="course", norm=None)
    >>> tfidf.fit_transform(texts).toarray().round(3)
    array([[0.693, 0.   , 0.   ],
           [0.   , 0.693, 0.   ]])
    >>> tfidf.vocabulary_
    {'cat': 0, 'dog': 1, 'the': 2}
    """

    binary: bool = param(False, "whether counts above zero become 1 before the weighting")
    dtype: Any = param(np.float64, "data type of the matrix", accepts=is_dtype, says="a number type")
    norm: Literal["l1", "l2"] | None = param("l2", "norm of each row: l1, l2, or none")
    use_idf: bool = param(True, "whether to weight terms by inverse document frequency")
    smooth_idf: bool = param(True, "whether to add one document with every term; not with the textbook's idf")
    sublinear_tf: bool = param(False, "whether to take 1 + log(count)")
    idf: Literal["shifted", "course"] = param(
        "shifted", "inverse document frequency: scikit-learn's log + 1, or the textbook's log(D / df)"
    )
    idf_: Array = learned("weight of each term", shape="terms", optional=True)

    title = "tf-idf"
    reference = "Salton and Buckley, 1988"

    def _unsound(self) -> str:
        idf = self.__dict__.get("idf_")
        sound = idf is None or len(idf) == len(self.vocabulary_)
        return super()._unsound() or ("" if sound else "idf_ must hold a weight for each term")

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn vocabulary and weights and return the weighted document-term matrix; `y` is ignored."""
        self._check(raw_documents)
        with self._fitting() as trace:
            X = self._learned_counts(raw_documents, self._real(), self.binary)
            if self.use_idf:
                df = np.bincount(X.indices, minlength=X.shape[1]).astype(X.dtype)
                self.idf_ = inverse_frequency(df, X.shape[0], self.smooth_idf, self.idf)
            X = self._weighed(X)
            trace.exact("terms are counted, not estimated", float(len(self.vocabulary_)))
        return X

    def transform(self, raw_documents: Any) -> Any:
        """The weighted document-term matrix; unknown terms are ignored."""
        if self.use_idf and "idf_" not in self.__dict__:
            raise not_fitted(self)
        return self._weighed(self._known_counts(raw_documents, self._real()))

    def _weighed(self, X: Any) -> Any:
        if self.binary:
            X.data.fill(1)
        return weigh(X, self.__dict__.get("idf_"), self.sublinear_tf, self.norm)

    def _real(self) -> Any:
        """The number type of the result: float32 or float64."""
        kind = np.dtype(self.dtype)
        if kind not in (np.float32, np.float64):
            warn(f"Weights of terms are fractions: dtype={self.dtype} becomes float64.", UserWarning)
            return np.float64
        return kind
