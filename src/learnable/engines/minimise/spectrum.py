"""Ridge regression for every strength from one factorisation, with exact leave-one-out errors.

With the eigenvectors V and eigenvalues e of the centred Gram matrix, the coefficients for any alpha are
V diag(1 / (e + alpha)) V'X'Sy, and the row i of the hat matrix follows from the row i of (X - mean) V.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.data import Array, Data, Matrix
from ...core.native import kernels
from ...core.numbers import EPSILON
from .. import design
from ..apart import apart
from ..folds import Fold, divides
from ..summarise import Marginals, Moments, all_but_each
from .closed import MOST_CELLS_COPIED, LinearFit, each, from_moments, least_squares
from .contrasts import Contrasts

DECISIVE = 1e-6  # one less the leverage of a row, which is a difference: below, digits are missing
WORST_SPREAD = 1e8  # between the largest and the smallest eigenvalue, beyond which other methods are more accurate


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The factorised problem: eigenvalues and eigenvectors of the Gram matrix (of the rows if `dual`).

    `scores` are the targets in that basis; `root` holds the square roots of the weights.
    """

    values: Array
    vectors: Array
    scores: Array
    middle: Marginals
    dual: bool
    X: Matrix
    y: Array
    root: Array
    moments: Moments | None = None

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, centre: bool, weakest: float = 0.0) -> Spectrum:
        """Factorise once, on the shorter side; `y` has a column per target, no penalty will be below `weakest`."""
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        if X.shape[1] < X.shape[0]:
            return cls.from_moments(Moments.of(X, y, weight, centre), X, y, root, weakest)
        middle, contrasts = Marginals.of(X, y, weight, centre), Contrasts.of(root, centre)
        kernel = design.centred_kernel(X, middle.mean_x) * root[:, None] * root
        design.check_range(kernel.diagonal(), X, weakest)
        values, inside = apart(np.linalg.eigh, contrasts.of_pairs(kernel))
        vectors = contrasts.rows(inside)
        projected = vectors.T @ ((y - middle.mean_y) * root[:, None])
        return cls(np.maximum(values, 0), vectors, projected, middle, True, X, y, root)

    @classmethod
    def from_moments(cls, moments: Moments, X: Matrix, y: Array, root: Array, weakest: float = 0.0) -> Spectrum:
        """The same from moments that are already there, such as those of all rows without a fold."""
        design.check_range(moments.gram.diagonal(), X, weakest)
        values, vectors = apart(np.linalg.eigh, moments.gram)
        scores = vectors.T @ moments.cross
        return cls(np.maximum(values, 0), vectors, scores, moments.marginals(), False, X, y, root, moments)

    def without(self, test: Array, train: Array, weight: Array) -> Spectrum:
        """The same for the rows `train` alone: where they are all but `test`, its moments are simply subtracted."""
        left = len(train) + len(test) == len(self.y) and not np.isin(test, train).any()
        if self.moments is None or not left or self.X.shape[1] >= len(train):
            return Spectrum.of(self.X[train], self.y[train], weight[train], self.middle.centred)
        rest = self.moments - Moments.of(self.X[test], self.y[test], weight[test], self.middle.centred)
        if not rest.is_sound_rest_of(self.moments):
            rest = Moments.of(self.X[train], self.y[train], weight[train], self.middle.centred)
        return Spectrum.from_moments(rest, self.X, self.y, self.root)

    def coef(self, alphas: Array) -> Array:
        """Coefficients of shape (features, strengths, targets)."""
        shrunk = self.scores[:, None, :] / (self.values[:, None] + alphas)[:, :, None]
        inside = np.tensordot(self.vectors, shrunk, axes=1)
        if not self.dual:
            return inside
        weighted = inside.reshape(len(self.y), -1) * self.root[:, None]
        return design.centred_pullback(self.X, self.middle.mean_x, weighted).reshape(-1, *inside.shape[1:])

    def predictions(self, X: Matrix, alphas: Array) -> Array:
        """Predictions for the rows of `X` at each strength, of shape (strengths, rows, targets)."""
        return predicted(X, self.coef(alphas), self.middle)

    def is_sound(self, alpha: float) -> bool:
        """Whether the factorisation answers well for this strength and all above it."""
        values = self.values + alpha
        return bool(values.max(initial=0.0) <= WORST_SPREAD * values.min(initial=np.inf))

    def fit(self, alpha: Array) -> LinearFit:
        """The fit with one strength per target, solved for these strengths alone, which is the most accurate."""
        weight = self.root**2
        if self.moments is None or len(set(alpha.tolist())) > 1:
            return each(least_squares, self.X, self.y, weight, self.middle.centred, alpha)
        return from_moments(self.moments, self.X, self.y, weight, float(alpha[0]))

    def leave_one_out(self, alphas: Array) -> Array:
        """The error of each row when it is left out, y_i - f_{-i}(x_i), of shape (samples, targets, strengths).

        One copy of a row is left out: a row of weight w stays behind with weight w - 1, or goes if w is less.
        """
        if self.dual:
            return self._dual_leave_one_out(alphas)
        _, predictions, least = self._primal_leave_one_out(alphas, with_predictions=True)
        assert predictions is not None
        return self.y[:, :, None] - predictions if self._tells(least) else self._sound_leave_one_out(alphas)

    def leave_one_out_squares(self, alphas: Array) -> Array:
        """The weighted sum of squares of these errors, of shape (strengths, targets)."""
        if not self.dual:
            squares, _, least = self._primal_leave_one_out(alphas, with_predictions=False)
            if self._tells(least):
                return squares
        errors = self._dual_leave_one_out(alphas) if self.dual else self._sound_leave_one_out(alphas)
        return np.asarray(np.einsum("ita,i->at", errors**2, self.root**2))

    def _tells(self, least: float) -> bool:
        """Whether the `least` of one less the leverages is more than rounding, or more would be too dear to ask."""
        return least > DECISIVE or self.X.shape[0] * self.X.shape[1] > MOST_CELLS_COPIED

    def _sound_leave_one_out(self, alphas: Array) -> Array:
        """The same where rows decide their own fit, by the singular values of the data."""
        from .graded import Graded  # which is made of this module

        return Graded.of(self.X, self.y, self.root**2, self.middle.centred).leave_one_out(alphas)

    def _primal_leave_one_out(self, alphas: Array, with_predictions: bool) -> tuple[Array, Array | None, float]:
        middle = self.middle
        return kernels.leave_one_out(
            self.X, self.y, self.root**2, middle.mean_x, middle.mean_y, self.vectors, self.values, self.scores, alphas,
            middle.centred, with_predictions,
        )  # fmt: skip

    def _dual_leave_one_out(self, alphas: Array) -> Array:
        keep = alphas / (self.values[:, None] + alphas)
        return left_out(self.vectors, self.scores, keep, self.root**2, self.middle)


def predicted(X: Matrix, coef: Array, middle: Marginals) -> Array:
    """Predictions (strengths, rows, targets) for the rows of `X` by coefficients (features, strengths, targets)."""
    flat = coef.reshape(len(coef), -1)
    constant = np.tile(middle.mean_y, coef.shape[1]) - middle.mean_x @ flat
    found = design.scores(X, np.ascontiguousarray(flat.T), constant)
    return np.moveaxis(found.reshape(X.shape[0], *coef.shape[1:]), 0, 1)


def left_out(
    basis: Array, scores: Array, keep: Array, weight: Array, middle: Marginals, beyond: Array | None = None
) -> Array:
    """The error of each row when it is left out, of shape (samples, targets, strengths).

    A fit leaves the share `keep` (axes, strengths) of the `scores` of the targets in an orthonormal `basis`, and all of
    what is `beyond` it: nothing if the basis is complete but for the direction that centring takes.
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


def fold_spectra(X: Matrix, y: Array, weight: Array | None, centre: bool, parts: list[Fold]) -> list[Spectrum]:
    """The factorised problem without each fold in turn.

    Where folds are tall and each row is tested once, the data are read once: the moments of the other folds are added.
    """
    if not divides(parts, len(y)) or any(X.shape[1] >= len(train) for train, _ in parts):
        return [Spectrum.of(X[t], y[t], None if weight is None else weight[t], centre) for t, _ in parts]
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    own = [
        Moments.of(design.rows(X, test), y[test], None if weight is None else weight[test], centre) for _, test in parts
    ]
    return [Spectrum.from_moments(rest, X, y, root) for rest in all_but_each(own)]


def singular_values(data: Data, centre: bool, gram: Array | None) -> Array:
    """Singular values of the centred, root-weighted columns, largest first; from their Gram matrix if it is known."""
    if gram is not None:
        return np.sqrt(np.maximum(apart(np.linalg.eigvalsh, gram)[::-1], 0))
    root = np.ones(data.n) if data.weight is None else np.sqrt(data.weight)
    mean = design.column_means(data.X, data.weight) if centre else 0.0
    return np.asarray(apart(np.linalg.svd, (data.X - mean) * root[:, None], compute_uv=False))
