"""Counts weighed by the rarity of their terms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Matrix, Trace, Traits, Transformer, estimator, learned, param
from ._tfidf import inverse_frequency, weigh


@estimator
class TfidfTransformer(Transformer):
    """Tf-idf weighting of term counts, with rows normalised to length 1.

    X[d, t] = tf * idf,   tf = count,   idf = log((1 + D) / (1 + df)) + 1

    D documents, df of them with the term. Without smooth_idf the ones inside the logarithm go; with idf="course" all
    ones go, whatever smooth_idf says: log(D / df), which is 0 for a term that all documents have. A term in no document
    gets weight 0. sublinear_tf takes 1 + log(count) for tf.

    >>> counts = [[3, 0, 1], [2, 0, 0], [3, 2, 0], [4, 0, 0]]
    >>> TfidfTransformer(idf="course", norm=None).fit_transform(counts).toarray().round(3)
    array([[0.   , 0.   , 1.386],
           [0.   , 0.   , 0.   ],
           [0.   , 2.773, 0.   ],
           [0.   , 0.   , 0.   ]])
    """

    norm: Literal["l1", "l2"] | None = param("l2", "norm of each row: l1, l2, or none")
    use_idf: bool = param(True, "whether to weight terms by inverse document frequency")
    smooth_idf: bool = param(True, "whether to add one document with every term; not with the textbook's idf")
    sublinear_tf: bool = param(False, "whether to take 1 + log(count)")
    idf: Literal["shifted", "course"] = param(
        "shifted", "inverse document frequency: scikit-learn's log + 1, or the textbook's log(D / df)"
    )
    idf_: Array = learned("weight of each term", shape="features", optional=True)

    traits = Traits(sparse=True, storage="csr")
    title = "tf-idf weighting"
    reference = "Sparck Jones, 1972"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.use_idf:
            documents = float(data.n if data.weight is None else data.weight.sum())
            df = _documents_with(data.X, data.weight).astype(data.X.dtype)
            self.idf_ = inverse_frequency(df, documents, self.smooth_idf, self.idf)
        trace.exact("documents are counted, not estimated", float(data.p))

    def transform(self, X: Any, copy: bool = True) -> Any:
        """The weighted counts as a sparse matrix; `copy` is accepted, and `X` is never changed."""
        return self._transform(self._read(X))

    def _transform(self, X: Matrix) -> Matrix:
        from scipy.sparse import csr_matrix

        own = csr_matrix(X, copy=True)
        return weigh(own, self.__dict__.get("idf_"), self.sublinear_tf, self.norm)

    def _names_out(self, names: list[str]) -> list[str]:
        return names


def _documents_with(X: Matrix, weight: Array | None) -> Array:
    """How many rows have something in each column, by weight."""
    there = X != 0
    count: Array = np.ones(X.shape[0]) @ there if weight is None else weight @ there
    return count
