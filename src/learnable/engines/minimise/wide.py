"""Least squares with at least as many columns as rows, by the dual:  w = A'a,  (A A' + alpha) a = y."""

from __future__ import annotations

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Marginals
from . import orthogonal
from .normal import WORST_CONDITION, Candidate, Dual, NormalEquations


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> Candidate:
    """The answer with the smallest coefficients; A is the centred, root-weighted matrix, never larger than needed."""
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    kernel = design.centred_kernel(X, middle.mean_x) * root[:, None] * root
    right = (y - middle.mean_y) * root[:, None]
    if middle.centred:  # the weights span the null space that centring leaves; filling it changes nothing
        filled = kernel.trace() / len(y) or 1.0
        kernel = kernel + filled * np.outer(root, root) / (root @ root)
    system = NormalEquations(kernel, alpha)
    if system.condition > WORST_CONDITION:
        return orthogonal.minimum_norm(X, y, weight, middle.centred, alpha)

    def primal(dual: Array) -> Array:
        weighted = dual * root[:, None]
        coef: Array = design.pullback(X, weighted) - np.outer(middle.mean_x, weighted.sum(axis=0))
        return coef

    rank = len(y) - int(middle.centred)
    freedom = (
        rank
        - alpha * float(np.trace(system.inverse))
        + (alpha * int(middle.centred) / (filled + alpha) if middle.centred else 0.0)
    )
    dual = system.solve(right)
    coef = primal(dual)
    gap = Dual(dual, coef, right, alpha).gap if alpha > 0 else None
    return Candidate(coef, None, rank, system.condition, freedom, "dual cholesky", gap=gap)
