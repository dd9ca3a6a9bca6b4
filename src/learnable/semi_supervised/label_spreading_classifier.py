"""Label spreading."""

from __future__ import annotations

import numpy as np

from ..core import Array, Matrix, estimator, param
from ..core.runtime.threads import scipy_module
from ..engines.algebra.interruptible_lapack import interruptibly
from ._graph_classifier import GraphClassifier


@estimator
class LabelSpreading(GraphClassifier):
    """Label spreading: labels spread along the normalised graph, and given ones may change (soft clamping).

    F = alpha S F + (1 - alpha) Y,    S = D^-1/2 W D^-1/2,    W the similarities of different rows

    The share alpha of the distribution of a row comes from its neighbours, the rest from its label, so that wrong
    labels can be outvoted. The equations are solved. [Zhou et al., 2004]

    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [0.9]], [0, -1, -1, 1, -1]
    >>> LabelSpreading().fit(X, y).transduction_
    array([0, 0, 0, 1, 1])
    """

    alpha: float = param(0.2, "share that rows take from their neighbours", above=0, below=1, tune=(0.2, 0.5, 0.9))
    max_iter: int = param(30, "accepted for compatibility; the equations are solved", above=0)

    title = "label spreading"
    reference = "Zhou, Bousquet, Lal, Weston and Schölkopf, Learning with local and global consistency, 2004"

    def _spread(self, X: Matrix, labelled: Array, Y: Array) -> tuple[Array, float]:
        right = (1 - self.alpha) * Y
        if self.kernel == "knn":
            return self._sparse(X, right)
        logarithms = self._log_similarity(X, X)
        np.fill_diagonal(logarithms, -np.inf)
        top = logarithms.max(axis=0)
        top = np.where(np.isfinite(top), top, 0.0)
        degree = np.exp(logarithms - top).sum(axis=0)
        half = (top + np.log(np.where(degree > 0, degree, 1.0))) / 2
        S = np.exp(logarithms - half - half[:, None])
        system = -self.alpha * S
        system.flat[:: len(S) + 1] += 1
        found = interruptibly(np.linalg.solve, system, right)
        return np.asarray(found), float(np.abs(system @ found - right).max(initial=0.0))

    def _sparse(self, X: Matrix, right: Array) -> tuple[Array, float]:
        from scipy.sparse import csc_array, diags_array, eye_array

        W = self._neighbours(X).kneighbors_graph(X).tocsr()
        W = W - diags_array(W.diagonal())
        degree = np.asarray(W.sum(axis=0), dtype=np.float64).ravel()
        scale = diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1.0)))
        system = csc_array(eye_array(len(right)) - self.alpha * (scale @ W @ scale))
        found = scipy_module("sparse.linalg").splu(system).solve(right)
        return np.asarray(found), float(np.abs(system @ found - right).max(initial=0.0))
