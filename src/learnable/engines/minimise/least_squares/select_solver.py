"""The choice of the factorisation that solves least squares.

The condition is that of the normal equations, with their penalty, after each column was brought to length one.

    data                                      condition up to 1e5      up to 1e12         beyond
    rows for every coefficient                cholesky                 qr                 qr
    the same, too large to copy               cholesky                 cholesky           lsmr
    fewer rows                                dual cholesky            svd                svd
    sparse, too large for a Gram matrix       lsmr                     lsmr               lsmr

Columns whose sizes differ too much for one scale have no Gram matrix: qr for rows for every coefficient, svd for fewer,
lsmr where they are too large to copy. Where such columns, or some with a GAP between their sizes, are dependent and
without a penalty, they are solved by tiers. If an orthogonal method is requested it is qr or svd by shape, an
iterative one is lsmr.

Many values of alpha at once use the eigenvalues of the Gram matrix of the shorter side, or the singular values of the
data where the ratio of these eigenvalues is above MAX_EIGENVALUE_RATIO, or where one minus the leverage of a left-out
row is below MIN_LEVERAGE_COMPLEMENT; for data too large to copy always the eigenvalues, and rows of such a leverage are
refitted one by one.

Solutions are evaluated on the data. Large data are not read again for that if the condition is at most
MAX_CONDITION_UNCORRECTED and more than a fraction MIN_RESIDUAL_FRACTION of the target stays unexplained: then the
moments give the residuals accurately enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ....core import scaling
from ....core.validate.features import Array, Matrix
from ... import matrix_products

if TYPE_CHECKING:
    from .normal_equations import UncheckedSolution

MAX_CONDITION_OF_NORMAL_EQUATIONS = 1e5  # up to which the normal equations are as good as any method
MAX_REFINABLE_CONDITION = 1e12  # up to which their solutions can still be corrected
MAX_CONDITION_UNCORRECTED = 1e3  # up to which they need no correction
MIN_RESIDUAL_FRACTION = 1e-4  # of the squares of the target: what is left is a difference that costs this many digits
MIN_CELLS_SPARED = 1e6  # that take long to read again
MAX_EIGENVALUE_RATIO = 1e8  # of eigenvalues, the largest over the smallest, that serve every strength
MIN_LEVERAGE_COMPLEMENT = 1e-6  # one less the leverage of a row, which is a difference: below, digits are missing
MAX_CELLS_COPIED = 5e7
MAX_GRAM = 6000  # columns (or rows) of the largest dense Gram matrix made from sparse data
MAX_SIZE_RATIO = 1e30  # the largest of columns that can have a unit in common, times the smallest

GAP = 1e8  # between the sizes of columns: beyond it, the square of the smaller is rounding beside that of the larger

Method = Literal["by shape", "orthogonal", "iterative"]
Factorisation = Literal["cholesky", "dual cholesky", "qr", "svd", "lsmr"]


def factorisation(X: Matrix, centre: bool, method: Method) -> Factorisation:
    """The first factorisation to try, while the condition is unknown."""
    if method == "iterative" or (method == "by shape" and not has_gram(X)):
        return "lsmr"
    if method == "orthogonal":
        return _orthogonal(X, centre)
    return "cholesky" if _is_tall(X, centre) else "dual cholesky"


def more_stable(first: Factorisation, condition: float, X: Matrix) -> Factorisation:
    """The factorisation to use, given the condition of the normal equations."""
    if not condition > MAX_CONDITION_OF_NORMAL_EQUATIONS:
        return first
    if first == "dual cholesky":
        return "svd"
    if can_be_copied(X):
        return "qr"
    return "lsmr" if condition > MAX_REFINABLE_CONDITION else first


def without_gram(X: Matrix, centre: bool, method: Method) -> Factorisation:
    """The factorisation for columns that cannot be scaled by one factor."""
    return "lsmr" if method == "iterative" or not can_be_copied(X) else _orthogonal(X, centre)


def _orthogonal(X: Matrix, centre: bool) -> Factorisation:
    return "qr" if _is_tall(X, centre) else "svd"


def _is_tall(X: Matrix, centre: bool) -> bool:
    """Whether there are rows for every coefficient."""
    return bool(X.shape[1] + centre <= X.shape[0])


def moments_suffice(X: Matrix, candidate: UncheckedSolution) -> bool:
    """Whether residuals from the moments spare a long pass over the data, and can be as accurate."""
    long = not matrix_products.is_sparse(X) and X.shape[0] * X.shape[1] >= MIN_CELLS_SPARED
    return bool(long and candidate.method == "cholesky" and candidate.condition <= MAX_CONDITION_UNCORRECTED)


def has_gram(X: Matrix) -> bool:
    """Whether the Gram matrix of the shorter side is of a size that can be kept."""
    return not matrix_products.is_sparse(X) or min(X.shape) <= MAX_GRAM


def can_be_copied(X: Matrix) -> bool:
    """Whether the data are small enough for methods that copy them."""
    return bool(X.shape[0] * X.shape[1] <= MAX_CELLS_COPIED)


def share_a_scale(scales: Array) -> bool:
    """Whether columns can be scaled by one factor, given the factors that bring each of them near one."""
    return bool(scales.max(initial=0.0) / MAX_SIZE_RATIO <= scales.min(initial=np.inf))


def needs_tiers(X: Matrix, method: Method) -> bool:
    """Whether the minimum-norm solution must be found by tiers of columns of similar size."""
    sizes = np.sort(scaling.column_sizes(X))
    sizes = sizes[sizes > 0]
    has_scale_gap = bool((sizes[1:] / GAP > sizes[:-1]).any())
    return method != "iterative" and can_be_copied(X) and (has_scale_gap or not share_a_scale(1 / sizes))


def serves_every_alpha(values: Array, weakest: float) -> bool:
    """Whether these eigenvalues are accurate enough for every alpha from `weakest` on."""
    values = values + weakest
    return bool(values.max(initial=0.0) <= MAX_EIGENVALUE_RATIO * values.min(initial=np.inf))
