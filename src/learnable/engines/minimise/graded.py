"""Ridge regression for every strength from one factorisation of data whose columns differ much in size.

A Gram matrix holds squares, beside the largest of which small columns are lost. The singular values s of the data
themselves, X = U diag(s) V', reach twice as far, and the coefficients for any alpha are V diag(s / (s^2 + alpha)) U'y.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.data import Array, Matrix
from ...core.numbers import EPSILON, TINY
from .. import design
from ..apart import apart
from ..summarise import Marginals
from .closed import MOST_CELLS_COPIED, LinearFit, each, least_squares
from .spectrum import Spectrum, left_out, predicted

FAINT = 1e-6  # where all singular values are further above the root of a penalty, errors are those in the limit


@dataclass(frozen=True, slots=True)
class Graded:
    """The factorised problem: centred, root-weighted data as `left` diag(values) `right`', of any shape.

    `scores` are the targets in the basis `left`, and `beyond` what it does not hold of them. `strongest` is the largest
    penalty that will be asked for.
    """

    left: Array
    values: Array
    right: Array
    scores: Array
    beyond: Array
    middle: Marginals
    X: Matrix
    y: Array
    root: Array
    strongest: float

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, centre: bool, strongest: float) -> Graded:
        """Factorise once; `y` has a column per target."""
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        dense = X.toarray() if design.is_sparse(X) else X
        huge = design.column_sizes(dense).max() > design.SAFE[1]
        first = design.unfelt_scales(dense, strongest) if huge else np.ones(dense.shape[1])
        middle = Marginals.of(dense * first, y, weight, centre)
        A = (dense * first - middle.mean_x) * root[:, None]
        scale = design.scales_apart(A, strongest)
        left, values, right = apart(np.linalg.svd, A * scale, full_matrices=False)
        target = (y - middle.mean_y) * root[:, None]
        scores = left.T @ target
        beyond = target - left @ scores if len(values) < len(y) else np.zeros_like(target)
        given = middle._replace(mean_x=middle.mean_x / first)
        return cls(left, values, right.T * (first * scale)[:, None], scores, beyond, given, X, y, root, strongest)

    def without(self, test: Array, train: Array, weight: Array) -> Graded:
        """The same for the rows `train` alone."""
        return Graded.of(self.X[train], self.y[train], weight[train], self.middle.centred, self.strongest)

    def coef(self, alphas: Array) -> Array:
        """Coefficients of shape (features, strengths, targets)."""
        values = self.values[:, None]
        shrunk = np.where(
            self._present()[:, None] | (alphas > 0), 1 / (values + alphas / np.maximum(values, TINY)), 0.0
        )
        return np.asarray(np.tensordot(self.right, self.scores[:, None, :] * shrunk[:, :, None], axes=1))

    def predictions(self, X: Matrix, alphas: Array) -> Array:
        """Predictions for the rows of `X` at each strength, of shape (strengths, rows, targets)."""
        return predicted(X, self.coef(alphas), self.middle)

    def fit(self, alpha: Array) -> LinearFit:
        """The fit with one strength per target, solved for these strengths alone, which is the most accurate."""
        return each(least_squares, self.X, self.y, self.root**2, self.middle.centred, alpha)

    def _present(self) -> Array:
        """Which singular values are more than rounding."""
        return np.asarray(self.values > len(self.left) * EPSILON * self.values[0])

    def leave_one_out(self, alphas: Array) -> Array:
        """The error of each row when it is left out, y_i - f_{-i}(x_i), of shape (samples, targets, strengths)."""
        present = self.values[self._present()]
        roots = np.maximum(np.sqrt(alphas), FAINT * present[-1] if len(present) else 0.0)
        with np.errstate(over="ignore"):
            keep = 1 / (1 + (self.values[:, None] / roots) ** 2)
        return left_out(self.left, self.scores, keep, self.root**2, self.middle, self.beyond)

    def leave_one_out_squares(self, alphas: Array) -> Array:
        """The weighted sum of squares of these errors, of shape (strengths, targets)."""
        return np.asarray(np.einsum("ita,i->at", self.leave_one_out(alphas) ** 2, self.root**2))


def factorised(X: Matrix, y: Array, weight: Array | None, centre: bool, alphas: Array) -> Spectrum | Graded:
    """The problem factorised for these strengths: quickly where that is accurate, else from the data themselves."""
    large, weakest = X.shape[0] * X.shape[1] > MOST_CELLS_COPIED, float(alphas.min())
    try:
        spectrum = Spectrum.of(X, y, weight, centre, weakest)
        if large or spectrum.is_sound(weakest):
            return spectrum
    except design.OutOfRange:
        if large:
            raise
    return Graded.of(X, y, weight, centre, float(alphas.max()))
