"""Principal axes of centred data, and the projections of the target onto them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...core.numeric import EPSILON
from ...core.validate.features import Array, Data
from ..standardised import Centred, CentredProducts, Units
from .interruptible_lapack import interruptibly

MIN_EIGENVALUE_RATIO = 1e-8  # of the largest square, below which eigenvalues of X'X have less than half of their digits


@dataclass(frozen=True, slots=True)
class Axes:
    """X = U diag(sqrt(squares)) V' for centred, weighted data; `along` = U'y, and `rest` is |y - U U'y|^2.

    `vectors` is V, a column for each axis. Axes along which the data do not spread are left out.
    """

    squares: Array
    vectors: Array
    along: Array
    rest: float
    units: Units

    @classmethod
    def of(cls, data: Data, centre: bool) -> Axes:
        """From the eigenvalues of the smaller of X'X and XX'; `data` have one target."""
        if data.n > data.p:
            return _from_columns(data, centre)
        return _from_rows(data, centre)

    def coefficients(self, place: Array) -> Array:
        """Coefficients of the columns from those of the axes."""
        return self.vectors @ place


def _spread(values: Array, vectors: Array) -> tuple[Array, Array]:
    """Eigenvalues from the largest on and their vectors, without those that are zero but for rounding."""
    kept = values > len(values) * EPSILON * max(float(values.max(initial=0.0)), 0.0)
    return values[kept][::-1], vectors[:, kept][:, ::-1]


def _from_columns(data: Data, centre: bool) -> Axes:
    summed = CentredProducts.of(data.X, data.y, data.weight, centre)
    squares, vectors = _spread(*interruptibly(np.linalg.eigh, summed.gram))
    units = summed.units
    along = vectors.T @ summed.cross[0] / np.sqrt(squares)
    rough = squares < MIN_EIGENVALUE_RATIO * squares.max(initial=0.0)
    if rough.any():
        squares[rough], vectors[:, rough], along[rough] = _refined(data, vectors[:, rough], units)
        kept = squares > 0
        squares, vectors, along = squares[kept], vectors[:, kept], along[kept]
    best = vectors @ (along / np.sqrt(squares))
    residual = data.y.astype(np.float64) - data.X @ units.coefficients(best) - units.intercepts(best[None])[0]
    residual *= units.scale_y
    rest = float(residual @ residual if data.weight is None else data.weight @ residual**2)
    return Axes(squares, vectors, along, rest, units)


def _refined(data: Data, vectors: Array, units: Units) -> tuple[Array, Array, Array]:
    """Squares, axes and projections of the target within the span of some axes, from the rows themselves."""
    root = np.ones(data.n) if data.weight is None else np.sqrt(data.weight)
    rows = (data.X @ (vectors * units.scale_x) - units.mean_x @ vectors) * root[:, None]
    target = (data.y.astype(np.float64) * units.scale_y - units.mean_y) * root
    U, lengths, turned = interruptibly(partial(np.linalg.svd, full_matrices=False), rows)
    return lengths**2, vectors @ turned.T, U.T @ target


def _from_rows(data: Data, centre: bool) -> Axes:
    ready = Centred.of(data.X, data.y, data.weight, centre)
    squares, rows = _spread(*interruptibly(np.linalg.eigh, interruptibly(np.matmul, ready.columns.T, ready.columns)))
    along = rows.T @ ready.targets[0]
    left = ready.targets[0] - rows @ along
    return Axes(
        squares,
        interruptibly(np.matmul, ready.columns, rows) / np.sqrt(squares),
        along,
        float(left @ left),
        ready.units,
    )
