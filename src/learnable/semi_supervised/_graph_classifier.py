"""Base class of classifiers that spread labels over a graph of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace, Traits, declaring, learned, param
from ..core.validate.sparse_input import as_dense
from ..metrics import euclidean_distances
from ..neighbors import NearestNeighbors
from ._unlabelled import split_labels

MAX_RESIDUAL = 1e-9


@declaring
class GraphClassifier(ProbabilisticClassifier):
    """Labels of rows by a graph of their similarities; -1, NaN or None in `y` says that a row has no label."""

    kernel: Literal["knn", "rbf"] | Callable[..., Any] = param(
        "rbf", "similarity of rows: Gaussian, nearest neighbours, or a function of two matrices", kw_only=False
    )
    gamma: float = param(20, "coefficient of the Gaussian kernel exp(-gamma |x - z|^2)", at_least=0)
    n_neighbors: int = param(7, "number of nearest neighbours", above=0)
    max_iter: int = param(1000, "accepted for compatibility; the equations are solved", above=0)
    tol: float = param(1e-3, "accepted for compatibility; the equations are solved", at_least=0)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    classes_: Array = learned("labels of the classes", shape="classes")
    X_: Any = learned("the training rows", shape="samples features", matrix=True)
    label_distributions_: Array = learned("probability of each class of each training row", shape="samples classes")
    transduction_: Any = learned("label of each training row", shape="samples")
    n_iter_: int = learned("number of iterations: one, as the equations are solved", least=1)

    traits = Traits(sparse=True, storage="csr", weights=False, parametric=False)

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # weights would say nothing of a graph
        """Learn from rows `X` and their classes `y`, -1 where the class is not known."""
        return super().fit(X, y)

    def _classes(self, y: Any, rows: int) -> tuple[Any, Array]:
        return split_labels(self._validator, y, rows)

    def _fit(self, data: Data, trace: Trace) -> None:
        labelled = data.y >= 0
        Y = np.zeros((data.n, len(self.classes_)))
        Y[np.flatnonzero(labelled), data.y[labelled]] = 1
        found, residual = self._spread(data.X, labelled, Y)
        found = np.maximum(found, 0.0)
        total = found.sum(axis=1)
        lost = ~(total > 0)
        if lost.any():  # no path leads to a label
            found[lost] = self._of_nearest(data.X, lost, labelled) @ Y[labelled]
            total = found.sum(axis=1)
        self.X_ = data.X
        self.label_distributions_ = found / total[:, None]
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.n_iter_ = 1
        trace.record(residual)
        trace.stopped = "exact"
        trace.certify(
            "residual", residual, MAX_RESIDUAL,
            f"the equations of the graph hold up to {residual:.1g} in every probability",
        )  # fmt: skip

    @abstractmethod
    def _spread(self, X: Matrix, labelled: Array, Y: Array) -> tuple[Array, float]:
        """The distributions of all rows, and the largest residual of their equations."""

    def _log_similarity(self, X: Matrix, Z: Matrix) -> Array:
        """Logarithms of the similarities of dense graphs, so that none vanishes."""
        if callable(self.kernel):
            with np.errstate(divide="ignore"):
                return np.log(self._similarity(X, Z))
        return np.asarray(-self.gamma * euclidean_distances(X, Z, squared=True), dtype=np.float64)

    def _similarity(self, X: Matrix, Z: Matrix) -> Array:
        """Similarities by the function of the caller."""
        given, owner = self.kernel(X, Z), type(self).__name__  # type: ignore[operator]  # it is a function here
        try:
            found = np.asarray(as_dense(given), dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{owner}: kernel must return a matrix of numbers; got {given!r:.60}") from None
        if found.shape != (X.shape[0], Z.shape[0]):
            raise DataError(
                f"{owner}: kernel must return the shape ({X.shape[0]}, {Z.shape[0]}), a row for each row of the first "
                f"matrix; got {found.shape}"
            )
        wrong = ~((found >= 0) & (found < np.inf))
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise DataError(
                f"{owner}: kernel must return finite similarities of at least 0; got {found[row, column]:g} for rows "
                f"{row} and {column}"
            )
        return found

    def _of_nearest(self, X: Matrix, lost: Array, labelled: Array) -> Array:
        """For rows without a path to a label, the weights of the labelled rows that are nearest."""
        distance = np.asarray(euclidean_distances(X[lost], X[labelled]))
        nearest = (distance <= distance.min(axis=1, keepdims=True)).astype(np.float64)
        return np.asarray(nearest / nearest.sum(axis=1, keepdims=True))

    def _neighbours(self, X: Matrix) -> NearestNeighbors:
        count = min(self.n_neighbors, X.shape[0])
        return NearestNeighbors(n_neighbors=count).fit(X)

    def _probabilities(self, X: Matrix) -> Array:
        if self.kernel == "knn":
            near = self._neighbours(self.X_).kneighbors(X, return_distance=False)
            return np.asarray(self.label_distributions_[near].mean(axis=1))
        return softmax(self._log_similarity(X, self.X_)) @ self.label_distributions_


def softmax(logarithms: Array) -> Array:
    """Rows of probabilities from their logarithms up to a constant; equal ones where all are minus infinity."""
    top = logarithms.max(axis=1, keepdims=True)
    shifted = np.exp(logarithms - np.where(np.isfinite(top), top, 0.0))
    shifted[~np.isfinite(top[:, 0])] = 1.0
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
