"""Bins, powers, quantiles and products of columns against scikit-learn's; weights as copies; worked numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.preprocessing as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from learnable import LearnableError
from learnable import preprocessing as ours

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 3)) * [1, 10, 0.1] + [0, 5, -2]
POSITIVE = np.exp(RNG.standard_normal((80, 3)))
COUNTS = RNG.integers(0, 4, len(X))


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


DEGREES = [(2, {}), (3, {}), (0, {}), (4, {"interaction_only": True}), ((2, 3), {}), ((2, 3), {"include_bias": False})]


@pytest.mark.parametrize(("degree", "options"), DEGREES)
@pytest.mark.parametrize("wrap", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_products_are_those_of_scikit_learn(degree, options, wrap):
    table = np.round(X[:12], 2)
    table[::3, 1] = 0
    mine, other = ours.PolynomialFeatures(degree, **options), theirs.PolynomialFeatures(degree, **options)
    np.testing.assert_allclose(dense(mine.fit_transform(wrap(table))), dense(other.fit_transform(table)), rtol=1e-12)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    np.testing.assert_array_equal(mine.powers_, other.powers_)
    assert mine.n_output_features_ == other.n_output_features_


def test_w16_terms_of_degree_two():
    """(X1, X2) of degree 2 gives 1, X1, X2, X1^2, X1 X2, X2^2 (worked number W-16)."""
    expansion = ours.PolynomialFeatures(2).fit([[1.0, 2.0]])
    assert set(expansion.get_feature_names_out(["X1", "X2"])) == {"1", "X1", "X2", "X1 X2", "X1^2", "X2^2"}


@pytest.mark.parametrize(
    ("columns", "degree", "width"), [(1, 1, 2), (2, 2, 6), (2, 3, 10), (10, 3, 286), (784, 2, 308505), (1, 5, 6)]
)
def test_w17_number_of_terms(columns, degree, width):
    """C(n + d, d) columns (worked number W-17); for one column that is d + 1, not always 2."""
    assert ours.PolynomialFeatures(degree).fit(np.ones((1, columns))).n_output_features_ == width


def test_powers_out_of_range_are_refused():
    with pytest.raises(LearnableError, match="column 1 is 1e\\+200 in size, and its power 2 leaves the range"):
        ours.PolynomialFeatures().fit([[1.0, 1e200]])


BINS = [
    {},
    {"strategy": "uniform"},
    {"strategy": "kmeans"},
    {"n_bins": [2, 3, 7]},
    {"quantile_method": "linear"},
    {"n_bins": 20, "strategy": "kmeans"},
]


@pytest.mark.parametrize("options", BINS, ids=str)
@pytest.mark.parametrize("encode", ["onehot", "onehot-dense", "ordinal"])
@pytest.mark.filterwarnings("ignore:Bins whose width")
def test_bins_are_those_of_scikit_learn(options, encode):
    mine = ours.KBinsDiscretizer(**{"encode": encode, **options}).fit(X)
    other = theirs.KBinsDiscretizer(**{"encode": encode, **options}).fit(X)
    for our_edges, their_edges in zip(mine.bin_edges_, other.bin_edges_, strict=True):
        np.testing.assert_allclose(our_edges, their_edges, rtol=1e-10, atol=1e-12)
    far = np.vstack([X, X * 100])  # beyond the edges too
    np.testing.assert_array_equal(dense(mine.transform(far)), dense(other.transform(far)))
    np.testing.assert_allclose(
        mine.inverse_transform(mine.transform(X)), other.inverse_transform(other.transform(X)), rtol=1e-10
    )
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans", "log"])
def test_weights_of_bins_are_copies(strategy):
    copies = np.repeat(POSITIVE, COUNTS, axis=0)
    weighted = ours.KBinsDiscretizer(4, strategy=strategy).fit(POSITIVE, sample_weight=COUNTS)
    copied = ours.KBinsDiscretizer(4, strategy=strategy).fit(copies)
    for mine, other in zip(weighted.bin_edges_, copied.bin_edges_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def test_logarithmic_bins_are_equal_widths_of_the_logarithm():
    edges = ours.KBinsDiscretizer(3, strategy="log").fit([[1.0], [1000.0], [7.0]]).bin_edges_[0]
    np.testing.assert_allclose(edges, [1, 10, 100, 1000], rtol=1e-12)
    with pytest.raises(LearnableError, match="column 0 holds -1"):
        ours.KBinsDiscretizer(3, strategy="log").fit([[-1.0], [2.0]])


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_powers_are_the_most_likely(method):
    likelihood = stats.yeojohnson_llf if method == "yeo-johnson" else stats.boxcox_llf
    table = POSITIVE if method == "box-cox" else np.hstack([X, POSITIVE])
    mine, other = ours.PowerTransformer(method).fit(table), theirs.PowerTransformer(method).fit(table)
    np.testing.assert_allclose(mine.lambdas_, other.lambdas_, rtol=1e-6, atol=1e-6)
    for j, (power, their_power) in enumerate(zip(mine.lambdas_, other.lambdas_, strict=True)):
        assert likelihood(power, table[:, j]) >= likelihood(their_power, table[:, j]) - 1e-9
    np.testing.assert_allclose(mine.transform(table), other.transform(table), atol=1e-5)
    np.testing.assert_allclose(mine.inverse_transform(mine.transform(table)), table, rtol=1e-8, atol=1e-9)


def test_weights_of_powers_are_copies():
    weighted = ours.PowerTransformer().fit(X, sample_weight=COUNTS)
    copied = ours.PowerTransformer().fit(np.repeat(X, COUNTS, axis=0))
    np.testing.assert_allclose(weighted.transform(X), copied.transform(X), atol=1e-7)


@pytest.mark.parametrize("shape", ["uniform", "normal"])
def test_quantiles_are_those_of_scikit_learn(shape):
    with_missing = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    mine = ours.QuantileTransformer(n_quantiles=30, output_distribution=shape).fit(with_missing)
    other = theirs.QuantileTransformer(n_quantiles=30, output_distribution=shape).fit(with_missing)
    np.testing.assert_allclose(mine.quantiles_, other.quantiles_, rtol=1e-12)
    far = np.vstack([with_missing, X * 10])
    np.testing.assert_allclose(mine.transform(far), other.transform(far), rtol=1e-9, atol=1e-12)
    shares = mine.transform(X)
    np.testing.assert_allclose(mine.inverse_transform(shares), other.inverse_transform(shares), rtol=1e-9)


@pytest.mark.parametrize("ignore", [True, False])
def test_quantiles_of_sparse_columns(ignore):
    table = sparse.csc_matrix(np.where(POSITIVE < 1, 0, POSITIVE))
    options = {"n_quantiles": 20, "ignore_implicit_zeros": ignore}
    mine, other = ours.QuantileTransformer(**options), theirs.QuantileTransformer(**options)
    np.testing.assert_allclose(dense(mine.fit_transform(table)), dense(other.fit_transform(table)), rtol=1e-9)
    if not ignore:
        with pytest.raises(ValueError, match="which would move"):
            ours.QuantileTransformer().fit(-table)


def test_a_seed_chooses_the_rows_that_scikit_learn_chooses():
    many = RNG.standard_normal((3000, 2))
    options = {"subsample": 500, "n_quantiles": 50, "random_state": 3}
    mine, other = ours.QuantileTransformer(**options).fit(many), theirs.QuantileTransformer(**options).fit(many)
    np.testing.assert_allclose(mine.quantiles_, other.quantiles_, rtol=1e-12)
    options = {"subsample": 500, "random_state": 3, "strategy": "quantile"}
    mine, other = ours.KBinsDiscretizer(**options).fit(many), theirs.KBinsDiscretizer(**options).fit(many)
    np.testing.assert_allclose(np.stack(mine.bin_edges_), np.stack(other.bin_edges_), rtol=1e-12)


FUNCTIONS = ["scale", "minmax_scale", "maxabs_scale", "robust_scale"]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_functions_scale_columns_or_rows(name, axis):
    mine, other = getattr(ours, name), getattr(theirs, name)
    np.testing.assert_allclose(mine(X, axis=axis), other(X, axis=axis), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mine(X[:, 0]), other(X[:, 0]), rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match=f"{name}: axis must be 0"):
        mine(X, axis=2)


def test_functions_transform_columns_nonlinearly():
    np.testing.assert_allclose(ours.power_transform(X), theirs.power_transform(X), atol=1e-5)
    np.testing.assert_allclose(
        ours.quantile_transform(X, n_quantiles=9), theirs.quantile_transform(X, n_quantiles=9), rtol=1e-9, atol=1e-12
    )


def test_kernels_are_centred_as_if_the_rows_were():
    mine, other = ours.KernelCenterer().fit(X @ X.T), theirs.KernelCenterer().fit(X @ X.T)
    new = X[:7] * 2
    np.testing.assert_allclose(mine.transform(new @ X.T), other.transform(new @ X.T), rtol=1e-9, atol=1e-9)
    centre = X.mean(axis=0)
    np.testing.assert_allclose(mine.transform(new @ X.T), (new - centre) @ (X - centre).T, atol=1e-9)
    weighted = ours.KernelCenterer().fit(X @ X.T, sample_weight=COUNTS)
    centre = np.average(X, axis=0, weights=COUNTS)
    np.testing.assert_allclose(weighted.transform(new @ X.T), (new - centre) @ (X - centre).T, atol=1e-9)
    with pytest.raises(ValueError, match="as many rows as columns"):
        ours.KernelCenterer().fit(X)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=2, max_size=40, unique=True))
def test_ranks_rise_with_the_values(values):
    column = np.array(values)[:, None]
    shares = ours.QuantileTransformer().fit_transform(column).ravel()
    assert (np.diff(shares[np.argsort(column.ravel())]) >= -1e-12).all() and shares.min() == 0 and shares.max() == 1


def test_products_that_no_memory_holds_are_counted_before_they_are_made():
    wide = np.ones((2, 60))
    with pytest.raises(LearnableError, match=r"degree 10 of 60 columns makes 396704524216 columns.*lower the degree"):
        ours.PolynomialFeatures(10).fit(wide)
    with pytest.warns(UserWarning, match="for 1 row, and a linear model of more columns than rows"):
        few = ours.PolynomialFeatures(6).fit(wide[:1, :40])
    with pytest.raises(LearnableError, match="makes 9366819 columns, more than memory holds for 20000 rows"):
        few.transform(np.zeros((20_000, 40)))


@pytest.mark.parametrize("degree", [10**9, 2**70, (1, 2**70)])
def test_degrees_of_any_height_are_counted_at_once(degree):
    with pytest.raises(LearnableError, match=r"of 3 columns makes over 1e\+18 columns, more than memory holds"):
        ours.PolynomialFeatures(degree).fit(np.ones((2, 3)))
    products = ours.PolynomialFeatures(degree, interaction_only=True, include_bias=False)
    np.testing.assert_array_equal(products.fit_transform([[2.0, 3.0, 5.0]]), [[2, 3, 5, 6, 10, 15, 30]])
    assert products.get_feature_names_out()[-1] == "x0 x1 x2"


def test_high_degrees_of_several_columns_warn_where_products_outgrow_the_rows():
    rows = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.warns(UserWarning, match="degree 4 of 4 columns makes 70 columns for 60 rows"):
        ours.PolynomialFeatures(4).fit(rows)
    for quiet in (ours.PolynomialFeatures(3).fit(rows[:20]), ours.PolynomialFeatures(9).fit(rows[:5, :1])):
        assert quiet.n_output_features_ > 5  # warnings are errors here
