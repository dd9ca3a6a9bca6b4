"""Leave-one-out errors of ridge regression from one fit to all rows."""

from __future__ import annotations

import numpy as np

from ....core.numeric import EPSILON
from ....core.validate.features import Array
from ...sufficient_statistics import Marginals


def left_out(
    basis: Array, scores: Array, keep: Array, weight: Array, middle: Marginals, beyond: Array | None = None
) -> Array:
    """The error of each row when it is left out, of shape (samples, targets, alphas).

    The residual keeps the fractions `keep` (axes, alphas) of the `scores` of the targets in an orthonormal `basis`, and
    all of their part `beyond` it: none if the basis is complete but for the direction removed by centring.
    """
    residual = np.tensordot(basis, scores[:, :, None] * keep[:, None, :], axes=1)
    free = basis**2 @ keep  # one less the leverage, without a difference
    if basis.shape[1] + middle.centred < len(basis):
        assert beyond is not None
        outside = _outside(basis, float(middle.centred) * np.sqrt(weight / middle.weight))[:, None]
        most = np.sqrt(outside) * np.linalg.norm(beyond, axis=0)  # what is more is rounding
        residual += np.clip(beyond, -most, most)[:, :, None]
        free += outside
    gone = (np.minimum(weight, 1) / weight)[:, None]
    return np.asarray(residual / np.sqrt(weight)[:, None, None] / ((1 - gone) + gone * free)[:, None, :])


def _outside(basis: Array, mean: Array) -> Array:
    """One less the squared length of each row of an orthonormal basis, to which the direction `mean` belongs too.

    Where little is left, by the other rows instead of a difference: with the projection P onto the basis, P = P P, the
    sum over k != i of P_ik^2 is P_ii (1 - P_ii).
    """
    found = np.maximum(1 - np.square(basis).sum(axis=1) - mean**2, 0.0)
    rounding = (len(basis) * EPSILON) ** 2
    for row in np.flatnonzero(found < 1e-3):
        projected = basis @ basis[row] + mean * mean[row]
        inside, projected[row] = projected[row], 0
        found[row] = max(projected @ projected / inside - rounding, 0.0)
    return np.asarray(found)


def weighted_squares(errors: Array, weight: Array) -> Array:
    """The weighted sums over rows of squares of errors (samples, targets, alphas), of shape (alphas, targets)."""
    return np.asarray(np.einsum("ita,i->at", errors**2, weight))
