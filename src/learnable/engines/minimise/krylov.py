"""Least squares for sparse data too large for a Gram matrix, by products with the matrix alone (LSMR)."""

from __future__ import annotations

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Marginals
from .normal import Candidate


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> Candidate:
    """The smallest answer, to a relative accuracy near rounding; centring is applied inside the products."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    root = np.ones(len(y)) if weight is None else np.sqrt(weight)

    def forward(w: Array) -> Array:
        return np.asarray(root * (design.scores(X, w.ravel()) - middle.mean_x @ w.ravel()))

    def backward(r: Array) -> Array:
        weighted = root * r.ravel()
        product: Array = design.pullback(X, weighted) - middle.mean_x * weighted.sum()
        return product

    operator = LinearOperator(X.shape, matvec=forward, rmatvec=backward, dtype=np.float64)
    right = (y - middle.mean_y) * root[:, None]
    limit = 10 * max(X.shape)
    answers = [
        lsmr(operator, right[:, t], damp=np.sqrt(alpha), atol=1e-14, btol=1e-14, conlim=0, maxiter=limit)
        for t in range(y.shape[1])
    ]
    coef = np.column_stack([answer[0] for answer in answers])
    condition = float(max(answer[6] for answer in answers)) ** 2
    steps = np.array([answer[2] for answer in answers])
    return Candidate(coef, None, min(X.shape), condition, float(min(X.shape)), "lsmr", iterations=steps)
