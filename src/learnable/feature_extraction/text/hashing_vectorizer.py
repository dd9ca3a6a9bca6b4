"""Bags of words without a vocabulary."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ...core import estimator, param
from .._hashing import columns_and_signs
from ._term_counts import matrix_of
from ._tfidf import weigh
from ._vectorizer_base import TextVectorizer, is_dtype


@estimator
class HashingVectorizer(TextVectorizer):
    """Hashing vectoriser: texts as counts of hashed terms; nothing is learned or stored.

    X[d, |h(t)| mod n_features] += sign h(t) * count of t in d,   h = MurmurHash3; rows brought to length 1

    Terms may share a column; with alternate_sign they then cancel in the mean, so that products of rows stay right.

    >>> X = HashingVectorizer(n_features=16).transform(["the cat", "the dog and the cat"])
    >>> X.shape, X.nnz
    ((2, 16), 6)
    """

    n_features: int = param(2**20, "number of columns", at_least=1, below=2**31)
    binary: bool = param(False, "whether nonzero entries become 1 before normalisation")
    norm: Literal["l1", "l2"] | None = param("l2", "norm of each row: l1, l2, or none")
    alternate_sign: bool = param(True, "whether half of the terms are counted with negative sign")
    dtype: Any = param(np.float64, "data type of the matrix", accepts=is_dtype, says="a number type")

    title = "hashing vectoriser"
    reference = "Weinberger et al., 2009"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        self._check(X)
        with self._fitting() as trace:
            trace.exact("terms are counted, not estimated", float(self.n_features))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters; there is nothing to learn."""
        return self.fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The matrix of hashed counts."""
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> Any:
        """The matrix of hashed counts."""
        self._check_documents(X)
        counts = self._counted(X)
        columns, signs = columns_and_signs(counts.hashes(0), self.n_features, self.alternate_sign)
        kind = np.dtype(self.dtype)
        matrix = matrix_of(counts.rows(columns, signs, kind.kind == "f"), self.n_features, kind)
        if self.binary:
            matrix.data.fill(1)
        if self.norm is None:
            return matrix
        return weigh(matrix if kind.kind == "f" else matrix.astype(np.float64), None, False, self.norm)

    def __sklearn_is_fitted__(self) -> bool:
        return True
