"""Least angle regression: published order, scikit-learn where its path is right, and the definition everywhere."""

import numpy as np
import pytest
import sklearn.linear_model as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.datasets import load_diabetes
from learnable.linear_model import Lars, lars_path, lars_path_gram

DIABETES = load_diabetes()


def table(rows=40, columns=6, seed=0, correlated=0.0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns)) + correlated * draws.normal(size=(rows, 1))
    return X, X @ draws.normal(size=columns) + 0.5 * draws.normal(size=rows)


def test_diabetes_enters_in_the_published_order():
    """Efron et al. 2004, figure 1: bmi, s5, bp, s3, sex, s6, s1, s4, s2, age (columns 3 9 4 7 2 10 5 8 6 1)."""
    model = Lars().fit(DIABETES.data, DIABETES.target)
    assert [j + 1 for j in model.active_] == [3, 9, 4, 7, 2, 10, 5, 8, 6, 1]
    assert model.n_iter_ == 10


def test_diabetes_agrees_with_scikit_learn():
    ours = Lars().fit(DIABETES.data, DIABETES.target)
    other = theirs.Lars().fit(DIABETES.data, DIABETES.target)
    np.testing.assert_allclose(ours.coef_path_, other.coef_path_, atol=1e-8)
    np.testing.assert_allclose(ours.alphas_, other.alphas_, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, rtol=1e-12)
    assert ours.active_ == other.active_


def test_orthonormal_design_gives_soft_thresholds():
    """With X'X = I the coefficients at level c are sign(x.y) max(|x.y| - c, 0)."""
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 5)))[0]
    y = np.random.default_rng(1).normal(size=30)
    model = Lars(fit_intercept=False).fit(X, y)
    product = X.T @ y
    for alpha, coef in zip(model.alphas_, model.coef_path_.T, strict=True):
        expected = np.sign(product) * np.maximum(np.abs(product) - 30 * alpha, 0)
        np.testing.assert_allclose(coef, expected, atol=1e-13)


def test_the_end_of_the_path_is_least_squares():
    X, y = table(correlated=2.0)
    for precompute in (True, False, "auto", None, (X - X.mean(0)).T @ (X - X.mean(0))):
        model = Lars(precompute=precompute).fit(X, y)
        np.testing.assert_allclose(model.coef_, learnable.LinearRegression().fit(X, y).coef_, rtol=1e-9)
        assert model.alphas_[-1] == 0
        assert model.certificate_.holds


def test_equal_angles_survive_a_change_of_sign():
    """scikit-learn's path leaves the conditions once a coefficient crosses zero; this one does not."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(100, 200))
    y = X[:, :20] @ draws.normal(size=20) + draws.normal(size=100)
    alphas, _, coefs = lars_path(X - X.mean(0), y - y.mean(), max_iter=99)
    residuals = (y - y.mean())[:, None] - (X - X.mean(0)) @ coefs
    largest = np.abs((X - X.mean(0)).T @ residuals).max(axis=0) / 100
    np.testing.assert_allclose(largest, alphas, atol=1e-12)
    assert (np.diff(alphas) < 0).all()
    assert (np.sign(coefs[:, 1:]) == -np.sign(coefs[:, :-1]))[np.abs(coefs[:, :-1]) > 0].any()


def test_few_columns_only():
    X, y = table(columns=10)
    model = Lars(n_nonzero_coefs=3).fit(X, y)
    assert np.count_nonzero(model.coef_) == 3 == len(model.active_)
    np.testing.assert_allclose(model.coef_, theirs.Lars(n_nonzero_coefs=3).fit(X, y).coef_, rtol=1e-9)
    assert model.trace_.stopped == "converged"


def test_without_the_path():
    X, y = table()
    short, whole = Lars(fit_path=False).fit(X, y), Lars().fit(X, y)
    np.testing.assert_array_equal(short.coef_, whole.coef_)
    assert short.alphas_.shape == (1,)
    assert not hasattr(short, "coef_path_")


def test_several_targets_are_single_ones():
    X, y = table()
    both = Lars().fit(X, np.column_stack([y, y**2]))
    for t, target in enumerate((y, y**2)):
        one = Lars().fit(X, target)
        np.testing.assert_allclose(both.coef_[t], one.coef_, rtol=1e-12)
        np.testing.assert_allclose(both.coef_path_[t], one.coef_path_, rtol=1e-10)
        assert both.active_[t] == one.active_
    assert both.intercept_.shape == (2,)


def test_jitter_is_that_of_scikit_learn():
    X, y = table()
    ours = Lars(jitter=1e-2, random_state=3, n_nonzero_coefs=2).fit(X, y)
    other = theirs.Lars(jitter=1e-2, random_state=3, n_nonzero_coefs=2).fit(X, y)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), copies=st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_weights_are_copies(seed, copies):
    copies = np.array([*copies, 1, 1])
    X, y = table(rows=14, columns=4, seed=seed)
    weighted = Lars().fit(X, y, sample_weight=copies)
    repeated = Lars().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    scale = np.abs(repeated.alphas_).max()
    np.testing.assert_allclose(weighted.alphas_[0], repeated.alphas_[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-7 * max(scale, 1))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), power=st.integers(-30, 30))
def test_scaling_the_target_scales_the_path(seed, power):
    X, y = table(seed=seed)
    one, scaled = Lars().fit(X, y), Lars().fit(X, y * 2.0**power)
    np.testing.assert_array_equal(scaled.coef_path_, one.coef_path_ * 2.0**power)
    assert scaled.active_ == one.active_


def test_a_wrong_gram_matrix_is_noticed():
    X, y = table()
    with pytest.warns(UserWarning, match="Gram matrix"):
        model = Lars(precompute=X.T @ X + 1).fit(X, y)
    np.testing.assert_allclose(model.coef_, Lars().fit(X, y).coef_)
    with pytest.raises(learnable.DataError, match="shape"):
        Lars(precompute=np.eye(3)).fit(X, y)


def test_path_functions_agree_with_scikit_learn():
    X, y = table(correlated=1.0)
    for method in ("lar", "lasso"):
        for options in ({}, {"alpha_min": 0.05}, {"max_iter": 3}, {"Gram": True}, {"Gram": "auto"}):
            ours = lars_path(X, y, method=method, return_n_iter=True, **options)
            other = theirs.lars_path(X, y, method=method, return_n_iter=True, **options)
            np.testing.assert_allclose(ours[0], other[0], atol=1e-9)
            assert [int(j) for j in ours[1]] == [int(j) for j in other[1]]
            np.testing.assert_allclose(ours[2], other[2], atol=1e-8)
            assert ours[3] == other[3]


def test_path_from_products_alone():
    X, y = table()
    from_data = lars_path(X, y, method="lasso")
    from_products = lars_path_gram(X.T @ y, X.T @ X, n_samples=len(y), method="lasso")
    np.testing.assert_allclose(from_products[0], from_data[0], atol=1e-12)
    np.testing.assert_allclose(from_products[2], from_data[2], atol=1e-10)
    alpha, _, last = lars_path_gram(X.T @ y, X.T @ X, n_samples=len(y), return_path=False)
    assert alpha.shape == (1,)
    assert last.shape == (6,)


def test_nonsense_is_refused():
    X, y = table()
    with pytest.raises(learnable.ParameterError, match="lasso"):
        lars_path(X, y, positive=True)
    with pytest.raises(learnable.ParameterError, match="method"):
        lars_path(X, y, method="ridge")
    with pytest.raises(learnable.ParameterError, match="X"):
        lars_path(None, y)
    with pytest.raises(learnable.ParameterError, match="shape"):
        lars_path_gram(X.T @ y, np.eye(2), n_samples=3)


def test_a_path_that_was_stopped_does_not_claim_to_be_complete():
    X, y = load_diabetes(return_X_y=True)
    with learnable.watch(lambda event: True), pytest.warns(learnable.ConvergenceWarning, match="watcher"):
        model = Lars().fit(X, y)
    assert model.trace_.stopped == "interrupted" and model.n_iter_ == 1
    assert not model.certificate_.holds
    assert Lars(n_nonzero_coefs=1).fit(X, y).certificate_.holds
