"""Label propagation."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix, estimator
from ._graph_classifier import GraphClassifier, softmax
from ._harmonic import absorption


@estimator
class LabelPropagation(GraphClassifier):
    """Label propagation: the labels of few rows spread to the others along a graph of similar rows.

    f_i = sum_j P_ij f_j for rows without a label,    f_i = y_i for rows with one

    f is the harmonic function of the graph: the probabilities with which a random walk ends at the labels. Its
    equations are solved, not iterated, and similarities are logarithms, so that rows far from all others have
    probabilities too. A dense graph takes n^2 numbers; `kernel="knn"` is sparse. [Zhu, Ghahramani and Lafferty, 2003]

    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [0.9]], [0, -1, -1, 1, -1]
    >>> LabelPropagation().fit(X, y).transduction_
    array([0, 0, 0, 1, 1])
    """

    title = "label propagation"
    reference = "Zhu, Ghahramani and Lafferty, Semi-supervised learning using Gaussian fields, 2003"

    def _spread(self, X: Matrix, labelled: Array, Y: Array) -> tuple[Array, float]:
        if labelled.all():
            return Y, 0.0
        if self.kernel == "knn":
            P = self._neighbours(X).kneighbors_graph(X).tocsr()
            P = P.multiply(1 / np.asarray(P.sum(axis=1)).reshape(-1, 1)).tocsr()
        else:
            logarithms = self._log_similarity(X, X)
            np.fill_diagonal(logarithms, -np.inf)  # a step that stays does not change where a walk ends
            P = softmax(logarithms)
            np.fill_diagonal(P, 0.0)
        found = Y.copy()
        found[~labelled], reached = absorption(P, labelled, Y)
        found[np.flatnonzero(~labelled)[~reached]] = 0.0
        solved = ~labelled
        solved[np.flatnonzero(~labelled)[~reached]] = False
        residual = found[solved] - (P[np.flatnonzero(solved)] @ found)
        return found, float(np.abs(residual).max(initial=0.0))
