"""Latent semantic analysis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, Data, DataError, RandomState, Trace, Traits, UnweightedTransformer, estimator, learned, param
from ..core.errors import not_fitted
from ._projection_base import LinearProjection
from .truncated_svd import TruncatedSVD


class Hits(NamedTuple):
    """For each query the indices of the most similar documents, and their cosines."""

    documents: Array
    similarity: Array


@estimator
class LatentSemanticAnalysis(UnweightedTransformer, LinearProjection):
    """Latent semantic analysis (LSA): documents and terms in the space of the main topics, by truncated SVD.

    X' ~ T S D',    coordinates of a document = T'x,    similarity = cosine of coordinates

    X has a row for each document and a column for each term, such as tf-idf weights. New documents and queries are
    folded in by `transform`; `search` ranks the documents of the fit, `top_words` describes topics, and
    `singular_values_` is the spectrum by which the number of topics is chosen. [Deerwester et al., 1990]

    >>> X = [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    >>> model = LatentSemanticAnalysis(2, random_state=0).fit(X)
    >>> model.search([[1.0, 0.0, 0.0, 0.0]], n=2).documents
    array([[0, 1]])
    """

    n_components: int = param(
        100, "number of topics, at most that of the columns", kw_only=False, at_least=1, tune=(50, 100, 200)
    )
    random_state: RandomState = param(None, "seed of the random directions of the SVD")
    singular_values_: Array = learned("singular values, the spectrum", shape="components")
    explained_variance_ratio_: Array = learned("fraction of the total variance of each topic", shape="components")
    documents_: Array = learned("coordinates of the documents of the fit", shape="rows components")

    traits = Traits(sparse=True, storage="csr", stochastic=True, parametric=False)
    title = "latent semantic analysis"
    reference = "Deerwester, Dumais, Furnas, Landauer and Harshman, Indexing by latent semantic analysis, 1990"

    def _fit(self, data: Data, trace: Trace) -> None:
        model = TruncatedSVD(min(self.n_components, data.p), random_state=self.random_state, n_iter=7)
        model._fit(data, trace)
        self.components_, self.singular_values_ = model.components_, model.singular_values_
        self.explained_variance_ratio_ = model.explained_variance_ratio_
        self.documents_ = self._transform(data.X)

    def search(self, queries: Any, n: int = 10) -> Hits:
        """The `n` documents of the fit most similar to each query, a row of term weights."""
        return _nearest(self.transform(queries), self.documents_, n)

    def similar_documents(self, documents: Any, n: int = 10) -> Hits:
        """The `n` documents of the fit most similar to each of those, given by index, without itself."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        index = np.atleast_1d(np.asarray(documents))
        if index.dtype.kind not in "iu" or (index < 0).any() or (index >= len(self.documents_)).any():
            raise DataError(f"{type(self).__name__}: documents must be row numbers below {len(self.documents_)}")
        found = _nearest(self.documents_[index], self.documents_, n + 1)
        keep = found.documents != index[:, None]
        keep[keep.all(axis=1), -1] = False
        shape = (len(index), found.documents.shape[1] - 1)
        return Hits(found.documents[keep].reshape(shape), found.similarity[keep].reshape(shape))

    def top_words(self, n: int = 20, terms: Any = None) -> list[list[str]]:
        """The `n` terms with the largest weights, in absolute value, in each topic; `terms` names the columns."""
        names = np.asarray(self._term_names(terms), dtype=object)
        order = np.argsort(-np.abs(self.components_), axis=1, kind="stable")[:, :n]
        return [[str(name) for name in names[row]] for row in order]

    def _term_names(self, terms: Any) -> Any:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if terms is None:
            return getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        if len(terms) != self.n_features_in_:
            raise DataError(
                f"{type(self).__name__}: terms must name each of the {self.n_features_in_} columns; got {len(terms)}"
            )
        return terms


def _nearest(queries: Array, documents: Array, n: int) -> Hits:
    """The rows of `documents` with the largest cosines; zero vectors are similar to nothing."""

    def unit(rows: Array) -> Array:
        length = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        return np.asarray(rows / np.where(length > 0, length, 1.0))

    cosine = unit(np.asarray(queries)) @ unit(documents).T
    order = np.argsort(-cosine, axis=1, kind="stable")[:, : min(n, len(documents))]
    return Hits(order, np.take_along_axis(cosine, order, axis=1))
