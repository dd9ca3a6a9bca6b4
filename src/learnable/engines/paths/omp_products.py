"""Products of columns with residuals for methods that add one column after the other.

The data are neither copied nor centred. After each column joins its products with all others are needed, which takes a
pass over the data; as a pass gives those of several columns at little more cost, it includes the columns that are most
likely to join next.
"""

from __future__ import annotations

import numpy as np

from ...core import scaling
from ...core.runtime.native import kernels
from ...core.validate.features import Array
from .. import matrix_products
from ..standardised import Units, means_of_rows
from .cholesky_update import ChangingRows

COLUMNS_AT_ONCE = 16  # columns in a pass over the data
MIN_ENTRIES = 1 << 18  # entries; smaller data are quickly copied
MAX_MEAN_RATIO = 100.0  # standard deviations from zero of a mean beyond which centring afterwards costs digits


def in_place(X: Array, y: Array, weight: Array | None, centre: bool) -> tuple[list[FewProducts], Units] | None:
    """Products for each target of `y` and their units; None if it pays or is safer to prepare the data first."""
    if X.size < MIN_ENTRIES:
        return None
    total = float(len(y) if weight is None else weight.sum())
    kernel = kernels.LassoProblem(X, weight, centre, False, 1)
    mean, spread = kernel.mean, np.sqrt(kernel.squares)
    known = spread > 0
    targets = np.array(y.reshape(len(y), -1).T, dtype=np.float64, order="C")
    mean_y = means_of_rows(targets, weight) if centre else np.zeros(len(targets))
    targets -= mean_y[:, None]
    sizes = [*spread[known], *np.abs(targets).max(axis=1)]
    if not scaling.is_safe(np.array(sizes)).all():
        return None
    if (np.abs(mean[known]) > MAX_MEAN_RATIO * spread[known]).any():
        return None
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    units = Units(total, mean, mean_y, 1.0, 1.0)
    return [FewProducts(X, target * root, root, mean, spread * np.sqrt(total)) for target in targets], units


class FewProducts:
    """Products from the data as they are, for `pursue`; `active` are the columns that joined."""

    def __init__(self, X: Array, target: Array, root: Array, mean: Array, norms: Array) -> None:
        self._X, self._target, self._root, self._mean = X, target, root, mean
        self.norms = norms
        self.length = float(np.linalg.norm(target))
        self.cross = self._with_all(target[None])[0]
        self.active = np.empty(0, dtype=np.int64)
        self._columns, self._rows = ChangingRows(len(target)), ChangingRows(len(norms))
        self._left = self.cross
        self._ahead: dict[int, Array] = {}

    def with_active(self, j: int) -> Array:
        """Products of column j with the active columns."""
        return np.ascontiguousarray(self._rows.matrix[:, j])

    def distance(self, j: int, weights: Array) -> float:
        """Squared distance of column j from the sum of the active columns with these weights."""
        apart = self._column(j) - weights @ self._columns.matrix
        return float(apart @ apart)

    def enter(self, j: int) -> None:
        """Make column j the last active one."""
        if j not in self._ahead:
            self._read(j)
        self._rows.append(self._ahead.pop(j))
        self._columns.append(self._column(j))
        self.active = np.concatenate([self.active, np.array([j])])

    def residual(self, b: Array) -> tuple[Array, float]:
        """Products of all columns with the residual of active coefficients b, and its sum of squares."""
        self._left = self.cross - b @ self._rows.matrix
        left = self._target - b @ self._columns.matrix
        return self._left, float(left @ left)

    def _read(self, j: int) -> None:
        """Products of column j with all, and those of the columns that are likely to join next.

        Always of as many columns at once, so that the bits of each do not depend on the others.
        """
        likely = np.abs(self._left)
        likely[[j, *self.active, *self._ahead]] = -1.0
        others = np.argsort(-likely, kind="stable")[: COLUMNS_AT_ONCE - 1]
        requested = [j, *(int(k) for k in others if likely[k] > 0)]
        columns = np.stack([self._column(k) for k in requested + [j] * (COLUMNS_AT_ONCE - len(requested))])
        self._ahead.update(zip(requested, self._with_all(columns), strict=False))
        if len(self._ahead) > 4 * COLUMNS_AT_ONCE:
            order = sorted(self._ahead, key=lambda k: (k != j, -abs(self._left[k])))
            self._ahead = {k: self._ahead[k] for k in order[: 2 * COLUMNS_AT_ONCE]}

    def _column(self, j: int) -> Array:
        column: Array = (self._X[:, j] - self._mean[j]) * self._root
        return column

    def _with_all(self, vectors: Array) -> Array:
        """Products of vectors (some, samples) with all columns, (some, features)."""
        weighted = (vectors * self._root).T
        by_column = self._X.flags.f_contiguous  # then products with the rows of its transpose are quicker
        products = (
            kernels.matvec(self._X.T, weighted) if by_column else matrix_products.transposed_product(self._X, weighted)
        )
        products = products - self._mean[:, None] * weighted.sum(axis=0)
        return np.ascontiguousarray(np.where(self.norms[:, None] > 0, products, 0.0).T)
