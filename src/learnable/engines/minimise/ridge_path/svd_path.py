"""Ridge regression for every alpha from the singular values of data whose Gram matrix is too inaccurate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array, Matrix
from ...sufficient_statistics import Marginals
from ..least_squares.solve import least_squares
from ..least_squares.svd_ridge import DataSvd
from ..linear_fit import LinearFit, fit_each_alpha
from .gram_path import predicted
from .leave_one_out import left_out, weighted_squares

MIN_PENALTY_ROOT = (
    1e-70  # the root of the weakest penalty beside the smallest singular value: squares of less would vanish
)


@dataclass(frozen=True, slots=True)
class SvdPath:
    """The factorised problem, of any shape, with the interface of `GramPath`.

    `scores` are the targets in the basis of the data, and `beyond` their part outside it.
    """

    data: DataSvd
    scores: Array
    beyond: Array
    middle: Marginals
    X: Matrix
    y: Array

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, centre: bool) -> SvdPath:
        """Factorise once; `y` has a column per target."""
        data = DataSvd.of(X, weight, centre)
        middle = Marginals.of(X, y, weight, centre)._replace(mean_x=data.mean_x)
        scores, beyond = data.parts((y - middle.mean_y) * data.root[:, None])
        return cls(data, scores, beyond, middle, X, y)

    @property
    def root(self) -> Array:
        """The square roots of the weights."""
        return self.data.root

    def without(self, test: Array, train: Array, weight: Array) -> SvdPath:
        """The same for the rows `train` alone."""
        return SvdPath.of(self.X[train], self.y[train], weight[train], self.middle.centred)

    def coef(self, alphas: Array) -> Array:
        """Coefficients of shape (features, alphas, targets)."""
        shrunk = self.scores[:, None, :] * self.data.shrunk(alphas)[:, :, None]
        return np.asarray(np.tensordot(self.data.right, shrunk, axes=1))

    def predictions(self, X: Matrix, alphas: Array) -> Array:
        """Predictions for the rows of `X` at each alpha, of shape (alphas, rows, targets)."""
        return predicted(X, self.coef(alphas), self.middle)

    def fit(self, alpha: Array) -> LinearFit:
        """The fit with one alpha per target, solved for these alphas alone, which is the most accurate."""
        return fit_each_alpha(least_squares, self.X, self.y, self.root**2, self.middle.centred, alpha)

    def leave_one_out(self, alphas: Array) -> tuple[Array, list[int]]:
        """As that of a `GramPath`; all errors are known."""
        values = self.data.values
        roots = np.maximum(np.sqrt(alphas), MIN_PENALTY_ROOT * values.min(initial=np.inf))
        with np.errstate(over="ignore"):
            keep = 1 / (1 + (values[:, None] / roots) ** 2)
        return left_out(self.data.left, self.scores, keep, self.root**2, self.middle, self.beyond), []

    def leave_one_out_squares(self, alphas: Array) -> tuple[Array, list[int]]:
        """The weighted sum of squares of these errors, of shape (alphas, targets)."""
        return weighted_squares(self.leave_one_out(alphas)[0], self.root**2), []
