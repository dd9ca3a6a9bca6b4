"""Base class of embeddings: a map of the training rows, and coordinates for new rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..core import (
    Array,
    Matrix,
    Traits,
    UnweightedTransformer,
    declaring,
    learned,
)
from ..metrics.distances import pairwise_distances
from ._faithfulness import Faithfulness, faithfulness_report


@declaring
class Embedding(UnweightedTransformer):
    """Base class of methods that give each training row coordinates in few dimensions.

    A row at distance zero from a training row has the coordinates of that row; others are placed by `_place`, each
    for itself.
    """

    embedding_: Array = learned("coordinates of the training rows", shape="rows components")

    traits = Traits(parametric=False)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # type: ignore[override]  # as above
        """`fit(X, y)`, and the coordinates of the rows."""
        from ..core.sklearn_api.output_containers import wrapped

        return wrapped(self.fit(X, y).embedding_, X, self)

    def _transform(self, X: Matrix) -> Array:
        return np.asarray(self._place(X)).astype(self.embedding_.dtype if hasattr(X, "tocsr") else X.dtype, copy=False)

    @abstractmethod
    def _place(self, X: Matrix) -> Array:
        """Coordinates of new rows."""

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(self.embedding_.shape[1])]

    def faithfulness(self, n_neighbors: int = 12) -> Faithfulness:
        """How well the map keeps the neighbourhoods and distances of the training rows.

        Neighbours and distances are those that the method itself was given.
        """
        self._require_fit()
        return faithfulness_report(*self._compared_rows(), n_neighbors=n_neighbors)

    def _compared_rows(self) -> tuple[Matrix, Array, str]:
        """The training rows, their coordinates, and the metric of the rows."""
        return self._training_rows(), self.embedding_, "precomputed" if self.pairwise else "euclidean"

    @abstractmethod
    def _training_rows(self) -> Matrix:
        """The rows, or the precomputed distances, that the map was made of."""


def distances_between(X: Matrix, rows: Matrix, metric: Any, options: dict[str, Any] | None) -> Array:
    """Distances of new rows to the training rows; X itself if they are given."""
    if isinstance(metric, str) and metric == "precomputed":
        return np.asarray(X, dtype=np.float64)
    return np.asarray(pairwise_distances(X, rows, metric=metric, **(options or {})), dtype=np.float64)


def own_coordinates(placed: Array, distance: Array, row: Array, embedding: Array) -> Array:
    """Coordinates of new rows, those of the nearest training row where its distance is zero."""
    same = distance == 0
    placed[same] = embedding[row[same]]
    return placed


def check_square(owner: str, D: Array) -> Array:
    """A precomputed matrix of dissimilarities, checked: square, symmetric, not negative."""
    from ..core import DataError

    if D.shape[0] != D.shape[1]:
        raise DataError(f"{owner}: a precomputed matrix of dissimilarities is square; X has the shape {D.shape}")
    if D.size and (D.min() < 0 or np.abs(D - D.T).max() > 1e-8 * np.abs(D).max()):
        raise DataError(
            f"{owner}: Array must be symmetric and not negative, as dissimilarities are; (X + X.T) / 2 makes it "
            "symmetric"
        )
    return np.asarray((D + D.T) / 2)
