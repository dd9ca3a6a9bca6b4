"""Least squares for sparse data too large for a Gram matrix, by products with the matrix alone (LSMR)."""

from __future__ import annotations

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Marginals
from .normal import Candidate


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> Candidate:
    """The smallest answer, to a relative accuracy near rounding; centring is applied inside the products.

    A penalty is as many more rows, which make the answer unique: then columns are brought to the same length, with
    which the iteration ends sooner.
    """
    from scipy.sparse.linalg import LinearOperator, lsmr

    n, root = len(y), np.ones(len(y)) if weight is None else np.sqrt(weight)
    scale = 1 / np.sqrt(middle.squares + alpha) if alpha > 0 else np.ones(X.shape[1])
    penalty = np.sqrt(alpha) * scale if alpha > 0 else np.empty(0)

    def forward(v: Array) -> Array:
        w = scale * v.ravel()
        fitted = root * (design.scores(X, w) - middle.mean_x @ w)
        return np.concatenate([fitted, penalty * v.ravel()[: len(penalty)]])

    def backward(r: Array) -> Array:
        weighted = root * r.ravel()[:n]
        product: Array = scale * (design.pullback(X, weighted) - middle.mean_x * weighted.sum())
        return product + penalty * r.ravel()[n:] if alpha > 0 else product

    shape = n + len(penalty), X.shape[1]
    operator = LinearOperator(shape, matvec=forward, rmatvec=backward, dtype=np.float64)
    right = np.zeros((shape[0], y.shape[1]))
    right[:n] = (y - middle.mean_y) * root[:, None]
    limit = 10 * max(X.shape)
    answers = [lsmr(operator, right[:, t], atol=1e-14, btol=1e-14, conlim=0, maxiter=limit) for t in range(y.shape[1])]
    coef = np.column_stack([scale * answer[0] for answer in answers])
    condition = float(max(answer[6] for answer in answers)) ** 2
    steps = np.array([answer[2] for answer in answers])
    return Candidate(coef, None, min(X.shape), condition, float(min(X.shape)), "lsmr", iterations=steps)
