"""Functions of sparse matrices against scikit-learn's and dense ones."""

import numpy as np
import pytest
import sklearn.utils.sparsefuncs as theirs
from scipy.sparse import csc_array, csr_array

import learnable.utils.sparsefuncs as ours

RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(7, 5)) * (RNG.random((7, 5)) < 0.5)
WEIGHT = RNG.random(7)


@pytest.mark.parametrize("kind", [csr_array, csc_array])
def test_moments_and_extremes(kind):
    for axis in (0, 1):
        for one, other in zip(
            ours.mean_variance_axis(kind(DENSE), axis), theirs.mean_variance_axis(kind(DENSE), axis), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        for one, other in zip(
            ours.min_max_axis(kind(DENSE), axis), theirs.min_max_axis(kind(DENSE), axis), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    with_missing = DENSE.copy()
    with_missing[DENSE > 1] = np.nan
    found = ours.mean_variance_axis(kind(with_missing), 0, WEIGHT, True)
    for one, other in zip(found, theirs.mean_variance_axis(kind(with_missing), 0, WEIGHT, True), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    last = {"last_mean": np.ones(5), "last_var": np.full(5, 2.0), "last_n": np.full(5, 3.0)}
    one, other = (m.incr_mean_variance_axis(kind(DENSE), axis=0, **last) for m in (ours, theirs))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("kind", [csr_array, csc_array])
def test_changes_in_place(kind):
    row, column = RNG.random(7), RNG.random(5)
    X = kind(DENSE)
    ours.inplace_row_scale(X, row)
    ours.inplace_column_scale(X, column)
    np.testing.assert_allclose(X.toarray(), DENSE * row[:, None] * column, rtol=1e-12)
    X, order = kind(DENSE), [0, 1, 6, 3, 4, 5, 2]
    ours.inplace_swap_row(X, 2, -1)
    np.testing.assert_array_equal(X.toarray(), DENSE[order])
    X = kind(DENSE)
    ours.inplace_swap_column(X, 0, 3)
    np.testing.assert_array_equal(X.toarray(), DENSE[:, [3, 1, 2, 0, 4]])


def test_counts_medians_and_products():
    X = csr_array(DENSE)
    for axis in (None, 0, 1, -1):
        for weight in (None, WEIGHT):
            one, other = (m.count_nonzero(X, axis, weight) for m in (ours, theirs))
            np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(ours.csc_median_axis_0(csc_array(DENSE)), np.median(DENSE, axis=0))
    np.testing.assert_allclose(ours.sparse_matmul_to_dense(X, csr_array(DENSE.T)), DENSE @ DENSE.T)


def test_other_kinds_are_refused():
    with pytest.raises(TypeError, match="Expected a CSR or CSC sparse matrix"):
        ours.mean_variance_axis(DENSE, 0)
    with pytest.raises(ValueError, match="Unknown axis"):
        ours.mean_variance_axis(csr_array(DENSE), 3)
    with pytest.raises(ValueError, match="must have 5 entries"):
        ours.inplace_column_scale(csr_array(DENSE), np.ones(3))


def test_expected_mutual_information_is_that_of_scikit_learn():
    from sklearn.metrics.cluster import expected_mutual_information as theirs_of

    from learnable.exceptions import DataDimensionalityWarning, PositiveSpectrumWarning
    from learnable.metrics.cluster import expected_mutual_information

    table = RNG.integers(0, 9, size=(4, 5))
    found = expected_mutual_information(csr_array(table), int(table.sum()))
    assert found == pytest.approx(theirs_of(table, int(table.sum())), rel=1e-10)
    with pytest.raises(ValueError, match="must be the sum of the table"):
        expected_mutual_information(table, 3)
    assert issubclass(DataDimensionalityWarning, UserWarning) and issubclass(PositiveSpectrumWarning, UserWarning)
