"""Least squares with at least as many columns as rows, by the dual:  w = A'a,  (A A' + alpha) a = y."""

from __future__ import annotations

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Marginals
from . import singular
from .contrasts import Contrasts
from .normal import WORST_CONDITION, Candidate, Dual, NormalEquations


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> Candidate:
    """The answer with the smallest coefficients; A is the centred, root-weighted matrix, never larger than needed."""
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    contrasts = Contrasts.of(root, middle.centred)
    kernel = contrasts.of_pairs(design.centred_kernel(X, middle.mean_x) * root[:, None] * root)
    system = NormalEquations(kernel, alpha)
    if system.condition > WORST_CONDITION:
        return singular.solve(X, y, weight, middle.centred, alpha)
    right = (y - middle.mean_y) * root[:, None]
    dual = contrasts.rows(system.solve(contrasts.coordinates(right)))
    coef = design.centred_pullback(X, middle.mean_x, dual * root[:, None])
    freedom = len(kernel) - alpha * float(np.trace(system.inverse))
    gap = Dual(dual, coef, right, alpha).gap if alpha > 0 else None
    return Candidate(coef, None, len(kernel), system.condition, freedom, "dual cholesky", gap=gap)
