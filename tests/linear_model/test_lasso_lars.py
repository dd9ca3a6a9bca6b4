"""The lasso by least angles, against coordinate descent, scikit-learn and closed forms."""

import tracemalloc

import numpy as np
import pytest
import sklearn.linear_model as theirs

import learnable
from learnable.datasets import load_diabetes
from learnable.linear_model import LassoLars, LassoLarsIC

DIABETES = load_diabetes()


def table(rows=40, columns=6, seed=0, correlated=0.0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns)) + correlated * draws.normal(size=(rows, 1))
    return X, X @ draws.normal(size=columns) + 0.5 * draws.normal(size=rows)


def test_diabetes_path_has_the_published_drop():
    """Efron et al. 2004, section 3: the lasso takes 12 steps, as s3 (column 7) leaves at the end of the tenth."""
    model = LassoLars(alpha=0.0).fit(DIABETES.data, DIABETES.target)
    assert model.n_iter_ == 12
    s3 = model.coef_path_[6] != 0
    assert np.flatnonzero(np.diff(s3.astype(int)) == -1).tolist() == [9]
    other = theirs.LassoLars(alpha=0.0).fit(DIABETES.data, DIABETES.target)
    np.testing.assert_allclose(model.coef_path_, other.coef_path_, atol=1e-8)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
def test_agrees_with_coordinate_descent(shape, positive):
    X, y = table(*shape, correlated=0.5)
    for alpha in (0.5, 0.1, 0.01):
        ours = LassoLars(alpha=alpha, positive=positive).fit(X, y)
        other = theirs.Lasso(alpha=alpha, positive=positive, tol=1e-14, max_iter=10**6).fit(X, y)
        np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-6)
        np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}, {"precompute": False}])
def test_agrees_with_scikit_learn(options):
    X, y = table(correlated=1.0)
    ours, other = (Model(alpha=0.02, **options).fit(X, y) for Model in (LassoLars, theirs.LassoLars))
    np.testing.assert_allclose(ours.coef_path_, other.coef_path_, atol=1e-8)
    np.testing.assert_allclose(ours.alphas_, other.alphas_, atol=1e-9)
    assert ours.n_iter_ == other.n_iter_


def test_orthonormal_design_is_soft_thresholding():
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 5)))[0]
    y = np.random.default_rng(1).normal(size=30)
    product = X.T @ y
    coef = LassoLars(alpha=0.01, fit_intercept=False).fit(X, y).coef_
    np.testing.assert_allclose(coef, np.sign(product) * np.maximum(np.abs(product) - 0.3, 0), atol=1e-14)


def test_equal_columns_give_no_nan_and_a_solution():
    X, y = table(columns=3)
    doubled = np.column_stack([X, X])
    ours = LassoLars(alpha=0.05).fit(doubled, y)
    single = LassoLars(alpha=0.05).fit(X, y)
    np.testing.assert_allclose(ours.predict(doubled), single.predict(X), rtol=1e-9)
    assert ours.certificate_.holds


def test_a_large_alpha_gives_the_mean():
    X, y = table()
    model = LassoLars(alpha=100.0).fit(X, y)
    assert (model.coef_ == 0).all()
    assert model.intercept_ == pytest.approx(y.mean())
    assert model.alphas_.tolist() == [100.0]


def test_the_iteration_limit_is_reported():
    X, y = table(columns=10)
    with pytest.warns(learnable.ConvergenceWarning, match="limit"):
        model = LassoLars(alpha=0.0, max_iter=3).fit(X, y)
    assert model.n_iter_ == 3
    assert model.trace_.stopped == "limit"


def test_objective_of_the_trace():
    X, y = table()
    model = LassoLars(alpha=0.1).fit(X, y)
    residual = y - model.predict(X)
    objective = (residual**2).mean() / 2 + 0.1 * np.abs(model.coef_).sum()
    assert model.trace_["objective"][-1] == pytest.approx(objective, rel=1e-12)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("positive", [False, True])
def test_criterion_agrees_with_scikit_learn(criterion, positive):
    X, y = table(rows=60, correlated=0.5, seed=4)
    ours, other = (Model(criterion, positive=positive).fit(X, y) for Model in (LassoLarsIC, theirs.LassoLarsIC))
    np.testing.assert_allclose(ours.criterion_, other.criterion_, rtol=1e-8)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-9)
    assert ours.alpha_ == pytest.approx(other.alpha_, rel=1e-8)
    assert ours.noise_variance_ == pytest.approx(other.noise_variance_, rel=1e-9)


def test_criterion_finds_the_columns_that_matter():
    draws = np.random.default_rng(0)
    X = draws.normal(size=(300, 20))
    y = X[:, :3] @ [3.0, -2.0, 4.0] + draws.normal(size=300)
    model = LassoLarsIC("bic").fit(X, y)
    assert set(np.flatnonzero(model.coef_)) >= {0, 1, 2}
    assert np.count_nonzero(model.coef_) <= 5
    assert np.count_nonzero(LassoLarsIC("aic").fit(X, y).coef_) >= np.count_nonzero(model.coef_)


@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("positive", [False, True])
def test_criterion_counts_weights_as_copies(criterion, positive):
    X, y = table(rows=60, correlated=0.5, seed=4)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    copies = np.repeat(np.arange(60), weight)
    weighted = LassoLarsIC(criterion, positive=positive).fit(X, y, sample_weight=weight)
    copied = LassoLarsIC(criterion, positive=positive).fit(X[copies], y[copies])
    np.testing.assert_allclose(weighted.criterion_, copied.criterion_, rtol=1e-10)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9, atol=1e-12)
    assert weighted.noise_variance_ == pytest.approx(copied.noise_variance_, rel=1e-10)


def test_criterion_with_too_few_samples_needs_the_noise():
    X, y = table(rows=10, columns=20)
    with pytest.raises(learnable.DataError, match="noise_variance"):
        LassoLarsIC().fit(X, y)
    model = LassoLarsIC(noise_variance=0.25).fit(X, y)
    assert model.noise_variance_ == 0.25
    assert np.isfinite(model.criterion_).all()


def test_criterion_takes_less_memory_than_the_rows():
    """The residuals of all rows at all knots would take as much again, several times over."""
    X, y = table(rows=20_000, columns=60)
    tracemalloc.start()
    try:
        LassoLarsIC().fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 2
