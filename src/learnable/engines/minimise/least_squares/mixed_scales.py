"""Minimum-norm least squares for dependent columns that differ in size by any factor.

    minimise |w|^2    over the w that minimise    sum_i s_i (y_i - x_i w - b)^2

A coefficient of a small column costs more than one of a large column by the ratio of their sizes. Beyond a ratio of 1e8
the square of that is below rounding: small columns explain what large ones cannot, and nothing else. So the columns are
sorted into tiers separated by such ratios. From the largest tier to the smallest, the span of the tiers before it is
projected out; from the smallest to the largest, each is fitted to the residual of those after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core import scaling
from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ....core.validate.sparse_input import as_dense
from ...algebra.interruptible_lapack import interruptibly
from ...sufficient_statistics import Marginals
from .helmert_basis import Contrasts
from .normal_equations import UncheckedSolution
from .rank_tolerance import entry_rounding
from .select_solver import GAP
from .svd_ridge import centred, real_values, sorted_svd

PASSES = 2  # the second fits the rounding that the first has left


class Tier(NamedTuple):
    """Columns of like size in a unit in common, and the singular vectors of what larger columns do not explain of them.

    Coefficients in this unit times `unit` are those of the columns as they came.
    """

    columns: Array
    unit: float
    data: Array
    left: Array
    values: Array
    right: Array

    def fit(self, target: Array) -> Array:
        """The smallest coefficients that explain all of the target that is up to this tier."""
        return np.asarray(self.right @ ((self.left.T @ target) / self.values[:, None]))


def tiers(sizes: Array) -> list[Array]:
    """The non-zero columns in tiers separated by `GAP`, largest first."""
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    return np.split(order, np.flatnonzero(sizes[order[:-1]] / GAP > sizes[order[1:]]) + 1)


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals) -> UncheckedSolution:
    """The minimum-norm solution, for data of any shape that fit in memory twice."""
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    contrasts = Contrasts.of(root, middle.centred)
    target = contrasts.coordinates((y - middle.mean_y) * root[:, None])
    factorised_tiers = _factorise(as_dense(X), root, contrasts, middle.centred)
    coef = np.zeros((X.shape[1], y.shape[1]))
    for _ in range(PASSES):
        for tier in reversed(factorised_tiers):
            change = tier.fit(target)
            target = target - tier.data @ change
            coef[tier.columns] += change * tier.unit
    rank = sum(len(tier.values) for tier in factorised_tiers)
    return UncheckedSolution(coef, None, rank, np.inf, float(rank), "svd")


def _factorise(X: Array, root: Array, contrasts: Contrasts, centre: bool) -> list[Tier]:
    found: list[Tier] = []
    spanned = np.empty((len(contrasts.coordinates(root[:, None])), 0))
    for columns in tiers(scaling.column_sizes(X)):
        unit = scaling.power_of_two_scale(X[:, columns])
        data, mean = centred(X[:, columns] * unit, root, centre)
        of_entries = entry_rounding(X[:, columns], mean, root)
        data = contrasts.coordinates(data)
        rest = data - spanned @ (spanned.T @ data)
        rest -= spanned @ (spanned.T @ rest)
        left, values, right = interruptibly(sorted_svd, rest)
        real = real_values(values, right, max(X.shape) * EPSILON * scaling.column_sizes(data), of_entries)
        found.append(Tier(columns, unit, data, left[:, real], values[real], right[:, real]))
        spanned = np.hstack([spanned, left[:, real]])
    return found
