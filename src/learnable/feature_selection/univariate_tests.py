"""How much one column by itself has to do with the target: F tests, correlations, chi-squared."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix
from ..core.declare.checked_functions import Rows, checked
from ..core.declare.registry import function
from ..core.errors import warn
from ..core.scaling import column_sizes, is_safe, power_of_two_scales
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.matrix_products import counting_rows, scaled_columns, transposed_product


@checked()
def f_oneway(*args: Rows) -> tuple[Array, Array]:
    """One-way analysis of variance: do all groups have the same mean? F statistic and p-value of each column.

    F = [sum_k n_k (mean_k - mean)^2 / (K - 1)] / [sum_k sum_i (x_i - mean_k)^2 / (n - K)]

    for normal columns of equal variance in all groups. [Fisher, 1925]

    >>> f_oneway([[1.0], [2.0]], [[3.0], [4.0]])
    (array([8.]), array([0.10557281]))
    """
    validator = FeatureValidator("f_oneway", True, "csc")
    tables = [np.asarray(arg)[:, None] if np.ndim(arg) == 1 and not is_sparse(arg) else arg for arg in args]
    return _analysis([(validator.matrix(table)[0], None) for table in tables], "f_oneway")


@function
@checked()
def f_classif(X: Rows, y: Rows, sample_weight: Rows | None = None) -> tuple[Array, Array]:
    """One-way analysis of variance of each column between the classes `y`: F statistics and p-values.

    F_j = [sum_k n_k (mean_jk - mean_j)^2 / (K - 1)] / [sum_i (x_ij - mean_j,y_i)^2 / (n - K)]

    NaN for columns that are constant. [Fisher, 1925]

    >>> f_classif([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    (array([8.]), array([0.10557281]))
    """
    validator = FeatureValidator("f_classif", True, "csc")
    matrix, _ = validator.matrix(X)
    _, codes = validator.classes(y, matrix.shape[0], "f_regression")
    matrix, codes, weight = counting_rows(_moderate(matrix), codes, validator.weights(sample_weight, matrix.shape[0]))
    order = np.argsort(codes, kind="stable")
    samples = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    return _analysis([(matrix[rows], None if weight is None else weight[rows]) for rows in samples], "f_classif")


def _analysis(groups: list[tuple[Matrix, Array | None]], owner: str) -> tuple[Array, Array]:
    """F statistic and p-value of each column for groups of weighted rows."""
    from scipy.special import fdtrc

    if len(groups) < 2:
        raise DataError(f"{owner}: at least two classes are needed to compare; got {len(groups)}")
    parts = [ColumnStatistics.of(matrix, weight) for matrix, weight in groups]
    weights, means = np.array([part.weight for part in parts]), np.array([part.mean for part in parts])
    total = weights.sum(axis=0)
    with np.errstate(all="ignore"):
        mean = (weights * means).sum(axis=0) / total
        between = (weights * (means - mean) ** 2).sum(axis=0) / (len(parts) - 1)
        freedom = total - len(parts)
        within = sum(part.spread for part in parts) / np.where(freedom > 0, freedom, 0.0)
        if (within == 0).any() and (between == 0).any():
            warn(f"Features {np.flatnonzero(within == 0)} are constant.", UserWarning)
        statistic = between / within
        return statistic, np.asarray(fdtrc(len(parts) - 1, freedom, statistic))


@function
@checked()
def chi2(X: Rows, y: Rows, sample_weight: Rows | None = None) -> tuple[Array, Array]:
    """Chi-squared statistics of counts (or frequencies) against the classes `y`, and their p-values.

    chi2_j = sum_k (o_jk - e_jk)^2 / e_jk,    o_jk = sum of x_ij over class k,    e_jk = sum_i x_ij * share of class k

    with K - 1 degrees of freedom. Entries must not be negative. [Pearson, 1900]

    >>> chi2([[1, 1, 3], [0, 1, 5], [5, 4, 1], [6, 6, 2]], [1, 1, 0, 0])[0].round(3)
    array([8.333, 5.333, 2.273])
    """
    from scipy.special import chdtrc

    validator = FeatureValidator("chi2", True, "csr")
    matrix, _ = validator.matrix(X)
    if ((matrix.data if is_sparse(matrix) else matrix) < 0).any():
        raise DataError("chi2: Input X must be non-negative, as counts are; bin continuous columns first")
    classes, codes = validator.classes(y, matrix.shape[0], "f_regression")
    weight = validator.weights(sample_weight, matrix.shape[0])
    members = np.where(codes[:, None] == np.arange(len(classes)), 1.0 if weight is None else weight[:, None], 0.0)
    members = members[:, members.any(axis=0)]
    observed = np.asarray(transposed_product(matrix, members)).T
    share = members.sum(axis=0) / members.sum()
    with np.errstate(all="ignore"):
        expected = share[:, None] * observed.sum(axis=0)
        statistic = ((observed - expected) ** 2 / expected).sum(axis=0)
        return statistic, np.asarray(chdtrc(len(share) - 1, statistic))


@function
@checked()
def r_regression(
    X: Rows, y: Rows, *, center: bool = True, force_finite: bool = True, sample_weight: Rows | None = None
) -> Array:
    """Pearson correlation of each column with the target.

    r_j = sum_i (x_ij - mean_j)(y_i - mean) / sqrt(sum_i (x_ij - mean_j)^2  sum_i (y_i - mean)^2)

    Without `center` means count as zero. Where a column or the target is constant it is 0, or NaN unless
    `force_finite`. [Pearson, 1895]

    >>> r_regression([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [2.0, 4.0, 6.0]).round(6)
    array([1., 0.])
    """
    return _correlation(X, y, center, force_finite, sample_weight, "r_regression")[0]


@function
@checked()
def f_regression(
    X: Rows, y: Rows, *, center: bool = True, force_finite: bool = True, sample_weight: Rows | None = None
) -> tuple[Array, Array]:
    """F statistics and p-values of the regressions of the target on each column alone.

    F_j = r_j^2 / (1 - r_j^2) (n - 2)

    with Pearson's correlation r_j; n - 1 without `center`. With `force_finite`, constant columns get F = 0 and p = 1,
    perfect ones the largest number and p = 0. [Fisher, 1925]

    >>> f_regression([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 2.0, 4.0])
    (array([3.55555556]), array([0.2]))
    """
    from scipy.special import fdtrc

    r, total = _correlation(X, y, center, force_finite, sample_weight, "f_regression")
    freedom = total - (2 if center else 1)
    with np.errstate(all="ignore"):
        statistic = r**2 / (1 - r**2) * freedom
        p_values = np.asarray(fdtrc(1, freedom, statistic)) if freedom > 0 else np.full(len(r), np.nan)
    if force_finite:
        perfect, unknown = np.isinf(statistic), np.isnan(statistic)
        statistic = np.where(perfect, np.finfo(np.float64).max, np.where(unknown, 0.0, statistic))
        p_values = np.where(perfect, 0.0, np.where(unknown, 1.0, p_values))
    return statistic, p_values


def _correlation(X: Any, y: Any, center: bool, finite: bool, sample_weight: Any, owner: str) -> tuple[Array, float]:
    """Correlation of each column with the target, and the weight of all rows."""
    validator = FeatureValidator(owner, True, "csc")
    matrix, _ = validator.matrix(X)
    target = validator.target(y, matrix.shape[0], np.float64, False)
    matrix, target, weight = counting_rows(_moderate(matrix), target, validator.weights(sample_weight, matrix.shape[0]))
    ones = np.ones(len(target)) if weight is None else weight
    target = target * power_of_two_scales(target[:, None])
    columns, total = ColumnStatistics.of(matrix, weight), float(ones.sum())
    residual = target - (ones @ target / total if center else 0.0)
    squares = columns.spread if center else columns.spread + total * columns.mean**2
    if center and not is_sparse(matrix) and (columns.mean**2 * total > 1e6 * columns.spread).any():
        matrix = matrix - columns.mean  # an offset that large would leave few digits of the products
    products = transposed_product(matrix, ones * residual)
    with np.errstate(all="ignore"):
        r = np.clip(products / np.sqrt(squares) / np.sqrt(ones @ residual**2), -1, 1)
        r[~(squares > 0)] = np.nan  # a column that does not vary has none
    return np.where(np.isnan(r), 0.0, r) if finite else r, total


def _moderate(X: Matrix) -> Matrix:
    """`X` with columns scaled by powers of two where their squares would leave the floating-point range."""
    return X if is_safe(column_sizes(X)).all() else scaled_columns(X, power_of_two_scales(X, together=is_sparse(X)))
