"""Ridge regression for every alpha from one factorisation, with exact leave-one-out errors.

With the eigenvectors V and eigenvalues e of the centred Gram matrix, the coefficients for any alpha are
V diag(1 / (e + alpha)) V'X'Sy, and the row i of the hat matrix follows from the row i of (X - mean) V.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Data, Matrix
from ... import matrix_products
from ...algebra.interruptible_lapack import interruptibly
from ...folds import Fold, is_partition
from ...sufficient_statistics import Marginals, Moments, all_but_each
from ..least_squares.helmert_basis import Contrasts
from ..least_squares.select_solver import MIN_LEVERAGE_COMPLEMENT, serves_every_alpha
from ..least_squares.solve import from_moments, least_squares
from ..linear_fit import LinearFit, fit_each_alpha
from .leave_one_out import left_out, weighted_squares


@dataclass(frozen=True, slots=True)
class GramPath:
    """The factorised problem: eigenvalues and eigenvectors of the Gram matrix (of the rows if `dual`).

    `scores` are the targets in that basis; `root` holds the square roots of the weights. No penalty is below `weakest`.
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
    weakest: float = 0.0

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, centre: bool, weakest: float = 0.0) -> GramPath:
        """Factorise once, on the shorter side; `y` has a column per target, no penalty will be below `weakest`."""
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        if X.shape[1] < X.shape[0]:
            return cls.from_moments(Moments.of(X, y, weight, centre), X, y, root, weakest)
        middle, contrasts = Marginals.of(X, y, weight, centre), Contrasts.of(root, centre)
        kernel = matrix_products.centred_kernel(X, middle.mean_x) * root[:, None] * root
        matrix_products.check_range(kernel.diagonal(), X, weakest)
        values, inside = interruptibly(np.linalg.eigh, contrasts.of_pairs(kernel))
        vectors = contrasts.rows(inside)
        projected = vectors.T @ ((y - middle.mean_y) * root[:, None])
        return cls(np.maximum(values, 0), vectors, projected, middle, True, X, y, root, weakest=weakest)

    @classmethod
    def from_moments(cls, moments: Moments, X: Matrix, y: Array, root: Array, weakest: float = 0.0) -> GramPath:
        """The same from given moments, such as those of all rows without a fold."""
        matrix_products.check_range(moments.gram.diagonal(), X, weakest)
        values, vectors = interruptibly(np.linalg.eigh, moments.gram)
        scores = vectors.T @ moments.cross
        return cls(np.maximum(values, 0), vectors, scores, moments.marginals(), False, X, y, root, moments, weakest)

    def without(self, test: Array, train: Array, weight: Array) -> GramPath:
        """The same for the rows `train` alone: where they are all but `test`, its moments are simply subtracted."""
        left = len(train) + len(test) == len(self.y) and not np.isin(test, train).any()
        if self.moments is None or not left or self.X.shape[1] >= len(train):
            return GramPath.of(self.X[train], self.y[train], weight[train], self.middle.centred, self.weakest)
        rest = self.moments - Moments.of(self.X[test], self.y[test], weight[test], self.middle.centred)
        if not rest.is_sound_rest_of(self.moments):
            rest = Moments.of(self.X[train], self.y[train], weight[train], self.middle.centred)
        return GramPath.from_moments(rest, self.X, self.y, self.root, self.weakest)

    def coef(self, alphas: Array) -> Array:
        """Coefficients of shape (features, alphas, targets)."""
        shrunk = self.scores[:, None, :] / (self.values[:, None] + alphas)[:, :, None]
        inside = np.tensordot(self.vectors, shrunk, axes=1)
        if not self.dual:
            return inside
        weighted = inside.reshape(len(self.y), -1) * self.root[:, None]
        return matrix_products.centred_transposed_product(self.X, self.middle.mean_x, weighted).reshape(
            -1, *inside.shape[1:]
        )

    def predictions(self, X: Matrix, alphas: Array) -> Array:
        """Predictions for the rows of `X` at each alpha, of shape (alphas, rows, targets)."""
        return predicted(X, self.coef(alphas), self.middle)

    def fit(self, alpha: Array) -> LinearFit:
        """The fit with one alpha per target, solved for these alphas alone, which is the most accurate."""
        weight = self.root**2
        if self.moments is None or len(set(alpha.tolist())) > 1:
            return fit_each_alpha(least_squares, self.X, self.y, weight, self.middle.centred, alpha)
        return from_moments(self.moments, self.X, self.y, weight, float(alpha[0]))

    def leave_one_out(self, alphas: Array) -> tuple[Array, list[int]]:
        """The error of each row when it is left out, y_i - f_{-i}(x_i), of shape (samples, targets, alphas).

        One copy of a row is left out: a row of weight w keeps weight w - 1, or is dropped if w is below one. Errors of
        rows with leverage near one cannot be computed this way: their indices are returned.
        """
        if self.dual:
            return self._dual_leave_one_out(alphas), []
        _, predictions, decisive = self._primal_leave_one_out(alphas, with_predictions=True)
        assert predictions is not None
        return self.y[:, :, None] - predictions, decisive

    def leave_one_out_squares(self, alphas: Array) -> tuple[Array, list[int]]:
        """The weighted sum of squares of these errors, of shape (alphas, targets), without the rows returned."""
        if self.dual:
            return weighted_squares(self._dual_leave_one_out(alphas), self.root**2), []
        squares, _, decisive = self._primal_leave_one_out(alphas, with_predictions=False)
        return squares, decisive

    def _primal_leave_one_out(self, alphas: Array, with_predictions: bool) -> tuple[Array, Array | None, list[int]]:
        middle = self.middle
        return kernels.leave_one_out(
            self.X, self.y, self.root**2, middle.mean_x, middle.mean_y, self.vectors, self.values, self.scores, alphas,
            middle.centred, with_predictions, MIN_LEVERAGE_COMPLEMENT,
        )  # fmt: skip

    def _dual_leave_one_out(self, alphas: Array) -> Array:
        keep = alphas / (self.values[:, None] + alphas)
        return left_out(self.vectors, self.scores, keep, self.root**2, self.middle)


def predicted(X: Matrix, coef: Array, middle: Marginals) -> Array:
    """Predictions (alphas, rows, targets) for the rows of `X` by coefficients (features, alphas, targets)."""
    flat = coef.reshape(len(coef), -1)
    intercept = np.tile(middle.mean_y, coef.shape[1]) - middle.mean_x @ flat
    found = matrix_products.scores(X, np.ascontiguousarray(flat.T), intercept)
    return np.moveaxis(found.reshape(X.shape[0], *coef.shape[1:]), 0, 1)


def fold_spectra(X: Matrix, y: Array, weight: Array | None, centre: bool, folds: list[Fold]) -> list[GramPath]:
    """The factorised problem without each fold in turn.

    Where folds are tall and each row is tested once, the data are read once: the moments of the other folds are added.
    """
    if not is_partition(folds, len(y)) or any(X.shape[1] >= len(train) for train, _ in folds):
        return [GramPath.of(X[t], y[t], None if weight is None else weight[t], centre) for t, _ in folds]
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    own = [
        Moments.of(matrix_products.rows(X, test), y[test], None if weight is None else weight[test], centre)
        for _, test in folds
    ]
    return [GramPath.from_moments(rest, X, y, root) for rest in all_but_each(own)]


def singular_values(data: Data, centre: bool, gram: Array | None) -> Array:
    """Singular values of the centred, root-weighted columns, largest first; from their Gram matrix if it is known.

    From that of the rows only where it is accurate for the smallest of them: centring reduces the rank by one.
    """
    if gram is not None:
        squares = np.maximum(interruptibly(np.linalg.eigvalsh, gram)[::-1], 0)
        if len(gram) == data.p or serves_every_alpha(squares, 0.0):
            return np.pad(np.sqrt(squares), (0, min(data.n, data.p) - len(gram)))
    root = np.ones(data.n) if data.weight is None else np.sqrt(data.weight)
    mean = matrix_products.column_means(data.X, data.weight) if centre else np.zeros(data.p)
    return interruptibly(_sizes_of_axes, data.X, mean, root)


def _sizes_of_axes(X: Array, mean: Array, root: Array) -> Array:
    return np.asarray(np.linalg.svd((X - mean) * root[:, None], compute_uv=False))
