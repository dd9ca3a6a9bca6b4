"""Orthogonal matching pursuit against scikit-learn, least squares on the chosen columns, and a plain loop."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.engines.paths.omp_products import in_place
from learnable.linear_model import (
    OrthogonalMatchingPursuit,
    OrthogonalMatchingPursuitCV,
    orthogonal_mp,
    orthogonal_mp_gram,
)


def sparse_table(rows=50, columns=80, count=5, noise=0.0, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    X /= np.linalg.norm(X, axis=0)
    w = np.zeros(columns)
    w[draws.choice(columns, count, replace=False)] = draws.choice([-1, 1], count) * draws.uniform(1, 3, count)
    return X, X @ w + noise * draws.normal(size=rows), w


def plain_loop(X, y, count):
    """The textbook method: the most correlated column joins, then least squares on the active set."""
    chosen, residual, coef = [], y, np.zeros(X.shape[1])
    for _ in range(count):
        chosen.append(int(np.argmax(np.abs(X.T @ residual))))
        coef = np.zeros(X.shape[1])
        coef[chosen] = np.linalg.lstsq(X[:, chosen], y)[0]
        residual = y - X @ coef
    return coef


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), gram=st.booleans(), count=st.integers(1, 8))
def test_is_the_plain_loop(seed, gram, count):
    X, y, _ = sparse_table(rows=20, columns=12, noise=0.1, seed=seed)
    np.testing.assert_allclose(
        orthogonal_mp(X, y, n_nonzero_coefs=count, precompute=gram), plain_loop(X, y, count), atol=1e-9
    )


def test_finds_the_columns_that_made_the_target():
    X, y, w = sparse_table()
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=5, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, w, atol=1e-12)
    assert model.certificate_.holds
    np.testing.assert_allclose(OrthogonalMatchingPursuit(tol=1e-20, fit_intercept=False).fit(X, y).coef_, w, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"n_nonzero_coefs": 7}, {"tol": 5.0}, {"precompute": True}, {"precompute": False}, {"fit_intercept": False}],
)
@pytest.mark.parametrize("shape", [(50, 80), (80, 30)])
def test_agrees_with_scikit_learn(options, shape):
    X, y, _ = sparse_table(*shape, noise=0.2)
    targets = np.column_stack([y, y + 0.1 * y[::-1]])
    for target in (y, targets):
        ours = OrthogonalMatchingPursuit(**options).fit(X, target)
        other = theirs.OrthogonalMatchingPursuit(**options).fit(X, target)
        np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-9)
        np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-9)
        assert ours.n_iter_ == other.n_iter_
        assert ours.n_nonzero_coefs_ == other.n_nonzero_coefs_


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("path", [False, True])
def test_functions_agree_with_scikit_learn(several, path):
    X, y, _ = sparse_table(noise=0.2)
    target = np.column_stack([y, y[::-1]]) if several else y
    options = {"n_nonzero_coefs": 6, "return_path": path, "return_n_iter": True}
    gram, cross = X.T @ X, X.T @ target
    for ours, other in (
        (orthogonal_mp(X, target, **options), theirs.orthogonal_mp(X, target, **options)),
        (orthogonal_mp_gram(gram, cross, **options), theirs.orthogonal_mp_gram(gram, cross, **options)),
    ):
        np.testing.assert_allclose(ours[0], other[0], atol=1e-9)
        assert ours[1] == other[1]
    squares = (target**2).sum(axis=0)
    by_tol = orthogonal_mp_gram(X.T @ X, X.T @ target, tol=1.0, norms_squared=squares)
    np.testing.assert_allclose(by_tol, orthogonal_mp(X, target, tol=1.0), atol=1e-9)


def test_dependent_columns_are_passed_over():
    X, y, _ = sparse_table(rows=20, columns=5, noise=0.5)
    doubled = np.column_stack([X, X, X.sum(axis=1)])
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=11).fit(doubled, y)
    assert model.n_iter_ == 5
    np.testing.assert_allclose(model.predict(doubled), learnable.LinearRegression().fit(X, y).predict(X), atol=1e-10)


def test_a_tolerance_that_cannot_be_met_is_reported():
    X, y, _ = sparse_table(rows=20, columns=5, noise=0.5)
    with pytest.warns(RuntimeWarning, match="OrthogonalMatchingPursuit: all independent columns are in, .*raise tol"):
        model = OrthogonalMatchingPursuit(tol=1e-6).fit(X, y)
    assert model.trace_.stopped == "limit" and model.certificate_.holds
    with pytest.warns(RuntimeWarning, match="orthogonal_mp: all independent columns are in"):
        orthogonal_mp(X, y, tol=1e-6)


def test_a_tolerance_of_zero_requests_all_columns_without_a_warning():
    X, y, _ = sparse_table(rows=20, columns=5, noise=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model, coef = OrthogonalMatchingPursuit(tol=0.0).fit(X, y), orthogonal_mp(X, y, tol=0.0)
    assert model.trace_.stopped == "converged" and model.n_iter_ == np.count_nonzero(coef) == 5
    np.testing.assert_allclose(model.coef_, learnable.LinearRegression().fit(X, y).coef_, atol=1e-10)


@pytest.mark.parametrize("wrong", [{"n_nonzero_coefs": 0}, {"n_nonzero_coefs": 81}, {"tol": -1.0}])
def test_nonsense_is_refused(wrong):
    X, y, _ = sparse_table()
    with pytest.raises(learnable.ParameterError):
        orthogonal_mp(X, y, **wrong)
    with pytest.raises(learnable.ParameterError, match="norms_squared"):
        orthogonal_mp_gram(X.T @ X, X.T @ y, tol=1.0)
    with pytest.raises(learnable.DataError, match="shape"):
        orthogonal_mp_gram(X.T @ X, np.ones(3))


def test_cross_validation_agrees_with_scikit_learn():
    X, y, w = sparse_table(rows=100, columns=60, noise=0.02, seed=3)
    ours, other = OrthogonalMatchingPursuitCV().fit(X, y), theirs.OrthogonalMatchingPursuitCV().fit(X, y)
    assert ours.n_nonzero_coefs_ == other.n_nonzero_coefs_ == 5
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-9)
    assert (np.flatnonzero(ours.coef_) == np.flatnonzero(w)).all()
    assert ours.n_iter_ == other.n_iter_
    assert ours.mse_path_.shape == (6, 5)
    assert ours.mse_path_.mean(axis=1).argmin() == 4


def test_weights_are_copies():
    X, y, _ = sparse_table(rows=20, columns=10, noise=0.5)
    copies = np.arange(20) % 4
    weighted = OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(X, y, sample_weight=copies)
    repeated = OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-10)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_tables_are_not_copied(order, weighted, dtype):
    X, y, _ = sparse_table(600, 700, count=30, noise=0.05)
    X, y = np.asarray(X + 0.01, dtype=dtype, order=order), y.astype(dtype)
    weight = np.random.default_rng(1).integers(0, 3, 600).astype(float) if weighted else np.ones(600)
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=40).fit(X, y, sample_weight=weight if weighted else None)
    exact, target = X.astype(float), y.astype(float)
    exact, target = (part - np.average(part, axis=0, weights=weight) for part in (exact, target))
    root = np.sqrt(weight)
    expected = plain_loop(exact * root[:, None], target * root, 40)
    np.testing.assert_allclose(model.coef_, expected, atol=1e-10 if dtype == np.float64 else 1e-5)
    assert model.certificate_.holds


def test_products_have_the_same_bits_in_any_batch():
    X, y, _ = sparse_table(600, 700, count=30)
    (one,), _ = in_place(X, y, None, True)
    (other,), _ = in_place(X, y, None, True)
    one.enter(5), one.enter(17)
    other.residual(np.empty(0)), other.enter(17), other.enter(5)
    np.testing.assert_array_equal(one._rows.matrix, other._rows.matrix[::-1])


@pytest.mark.parametrize("spoil", [lambda X: X + 1e6, lambda X: X * 1e100, lambda X: X[:50]])
def test_difficult_or_small_tables_are_prepared_first(spoil):
    X, y, _ = sparse_table(600, 700, count=30)
    X = spoil(X)
    assert in_place(X, y[: len(X)], None, True) is None


@pytest.mark.parametrize("options", [{"n_nonzero_coefs": 5}, {"tol": 1e-9}])
def test_a_pursuit_that_was_stopped_does_not_claim_to_be_complete(options):
    X, y, _ = sparse_table()
    with learnable.watch(lambda event: True), pytest.warns(learnable.ConvergenceWarning, match="watcher"):
        model = OrthogonalMatchingPursuit(**options).fit(X, y)
    assert model.trace_.stopped == "interrupted" and model.n_iter_ == 1
    assert not model.certificate_.holds
