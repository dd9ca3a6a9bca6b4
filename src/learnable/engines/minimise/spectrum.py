"""Ridge regression for every strength from one factorisation, with exact leave-one-out errors.

With the eigenvectors V and eigenvalues e of the centred Gram matrix, the coefficients for any alpha are
V diag(1 / (e + alpha)) V'X'Sy, and the row i of the hat matrix follows from the row i of (X - mean) V.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.data import Array, Matrix
from .. import design
from ..summarise import Centre, Moments
from .normal import Candidate

BLOCK_CELLS = 2**18


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The factorised problem: eigenvalues and eigenvectors of the Gram matrix (of the rows if `dual`).

    `scores` are the targets in that basis; `root` holds the square roots of the weights.
    """

    values: Array
    vectors: Array
    scores: Array
    middle: Centre
    dual: bool
    X: Matrix
    y: Array
    root: Array
    moments: Moments | None = None

    @classmethod
    def of(cls, X: Matrix, y: Array, weight: Array | None, centre: bool) -> Spectrum:
        """Factorise once, on the shorter side; `y` has a column per target."""
        root = np.ones(len(y)) if weight is None else np.sqrt(weight)
        if X.shape[1] < X.shape[0]:
            return cls.from_moments(Moments.of(X, y, weight, centre), X, y, root)
        middle = Centre.of(X, y, weight, centre)
        kernel = design.centred_kernel(X, middle.mean_x) * root[:, None] * root
        values, vectors = np.linalg.eigh(kernel)
        projected = vectors.T @ ((y - middle.mean_y) * root[:, None])
        return cls(np.maximum(values, 0), vectors, projected, middle, True, X, y, root)

    @classmethod
    def from_moments(cls, moments: Moments, X: Matrix, y: Array, root: Array) -> Spectrum:
        """The same from moments that are already there, such as those of all rows without a fold."""
        values, vectors = np.linalg.eigh(moments.gram)
        scores = vectors.T @ moments.cross
        return cls(np.maximum(values, 0), vectors, scores, moments.centre(), False, X, y, root, moments)

    def without(self, test: Array, train: Array, weight: Array) -> Spectrum:
        """The same for the rows `train` alone: where they are all but `test`, its moments are simply subtracted."""
        left = len(train) + len(test) == len(self.y) and not np.isin(test, train).any()
        if self.moments is None or not left or self.X.shape[1] >= len(train):
            return Spectrum.of(self.X[train], self.y[train], weight[train], self.middle.centred)
        part = Moments.of(self.X[test], self.y[test], weight[test], self.middle.centred)
        return Spectrum.from_moments(self.moments - part, self.X, self.y, self.root)

    def coef(self, alphas: Array) -> Array:
        """Coefficients of shape (features, strengths, targets)."""
        shrunk = self.scores[:, None, :] / (self.values[:, None] + alphas)[:, :, None]
        inside = np.tensordot(self.vectors, shrunk, axes=1)
        if not self.dual:
            return inside
        weighted = inside.reshape(len(self.y), -1) * self.root[:, None]
        flat = design.pullback(self.X, weighted) - np.outer(self.middle.mean_x, weighted.sum(axis=0))
        return flat.reshape(-1, *inside.shape[1:])

    def candidate(self, alpha: Array) -> Candidate:
        """The answer for one strength per target, ready to be tried."""
        coef = self.coef(np.unique(alpha))[:, np.searchsorted(np.unique(alpha), alpha), np.arange(self.y.shape[1])]
        spread = self.values + alpha.min()
        condition = float(spread.max() / spread.min()) if spread.min() > 0 else np.inf
        freedom = float((self.values / spread).sum())
        return Candidate(coef, None, int((self.values > 0).sum()), condition, freedom, "eigen")

    def leave_one_out(self, alphas: Array) -> Iterator[tuple[slice, Array]]:
        """Blocks of rows with their exact errors y_i - f_{-i}(x_i), of shape (rows, strengths, targets).

        The row left out is one copy: a row of weight w stays behind with weight w - 1.
        """
        rows, (targets, strengths) = len(self.y), (self.y.shape[1], len(alphas))
        step = max(1, BLOCK_CELLS // max(self.vectors.shape[1], targets * strengths))
        for start in range(0, rows, step):
            block = slice(start, min(rows, start + step))
            residual, leverage = self._dual_block(block, alphas) if self.dual else self._primal_block(block, alphas)
            yield block, residual / (1 - leverage)[:, :, None]

    def _primal_block(self, block: slice, alphas: Array) -> tuple[Array, Array]:
        turned = design.scores(self.X[block], self.vectors.T) - self.middle.mean_x @ self.vectors
        shrink = 1 / (self.values[:, None] + alphas)
        fitted = np.tensordot(turned, self.scores[:, None, :] * shrink[:, :, None], axes=1)
        leverage = (turned**2) @ shrink + float(self.middle.centred) / self.middle.weight
        return (self.y[block] - self.middle.mean_y)[:, None, :] - fitted, leverage

    def _dual_block(self, block: slice, alphas: Array) -> tuple[Array, Array]:
        rows, root = self.vectors[block], self.root[block, None]
        keep = alphas / (self.values[:, None] + alphas)
        residual = np.tensordot(rows, self.scores[:, None, :] * keep[:, :, None], axes=1) / root[:, :, None]
        share = float(self.middle.centred) * root**2 / self.middle.weight
        return residual, (1 - (rows**2) @ keep + share) / root**2
