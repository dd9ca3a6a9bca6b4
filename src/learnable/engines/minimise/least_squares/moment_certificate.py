"""The certificate of a solution from the moments alone, where they are accurate enough to spare another data pass."""

from __future__ import annotations

import numpy as np

from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ...sufficient_statistics import Moments
from ..linear_fit import TOLERANCES, LinearFit
from . import select_solver
from .refinement import refine_and_certify
from .symmetric_systems import UncheckedSolution

FEWEST_TERMS, ROWS_A_TERM = 256, 64  # no sum in the moments of a dense matrix adds up more terms than these allow


def certify_by_moments(
    candidate: UncheckedSolution, moments: Moments, X: Matrix, y: Array, alpha: float
) -> LinearFit | None:
    """The fit of a solution, with the rounding errors of the moments counted in its error.

    None where the error is then above tolerance, so that the solution has to be evaluated on the data.
    """
    if not select_solver.moments_suffice(X, candidate):
        return None

    def products(coef: Array) -> tuple[Array, Array, Array]:
        gradient = moments.cross - moments.gram @ coef
        return moments.spread - (coef * (moments.cross + gradient)).sum(axis=0), gradient, np.zeros(coef.shape[1])

    squares = products(candidate.coef)[0]
    if not (squares >= select_solver.LEAST_LEFT * moments.spread).all():
        return None
    lengths = np.sqrt(moments.gram.diagonal())[:, None]
    terms = np.sqrt(moments.spread) + (lengths * np.abs(candidate.coef)).sum(axis=0)
    rounding = (FEWEST_TERMS + X.shape[0] / ROWS_A_TERM) * EPSILON
    with_products = candidate._replace(products=products, doubt=rounding * lengths * terms)
    fit = refine_and_certify(with_products, moments.marginals(), X, y, None, alpha)
    return fit if fit.error <= TOLERANCES[fit.proof] else None
