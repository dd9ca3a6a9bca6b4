"""Missing values are marginalised: the model says of a row with gaps what summing over all fillings says."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import norm

import learnable

NAN = np.nan


def fillings(row, values):
    """The row with every combination of values in its gaps."""
    gaps = np.flatnonzero(np.isnan(row))
    for combination in itertools.product(values, repeat=len(gaps)):
        filled = row.copy()
        filled[gaps] = combination
        yield filled


@pytest.mark.parametrize("pattern", [[NAN, 1, 0], [1, NAN, NAN], [NAN, NAN, NAN]])
def test_bernoulli_sums_over_both_values(pattern):
    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 3)) < 0.4).astype(float), rng.integers(0, 3, 60)
    model, row = learnable.BernoulliNB().fit(X, y), np.array(pattern, dtype=float)
    every = np.array(list(fillings(row, [0.0, 1.0])))
    wanted = logsumexp(model.predict_joint_log_proba(every), axis=0)
    np.testing.assert_allclose(model.predict_joint_log_proba([row])[0], wanted, rtol=1e-12)


@pytest.mark.parametrize("pattern", [[NAN, 1, 0], [2, NAN, NAN], [NAN, NAN, NAN]])
def test_categorical_sums_over_all_levels(pattern):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (80, 3)).astype(float), rng.integers(0, 2, 80)
    X[:4] = np.arange(4)[:, None]
    model, row = learnable.CategoricalNB().fit(X, y), np.array(pattern, dtype=float)
    wanted = logsumexp(model.predict_joint_log_proba(np.array(list(fillings(row, range(4))))), axis=0)
    np.testing.assert_allclose(model.predict_joint_log_proba([row])[0], wanted, rtol=1e-12)


def test_gaussian_integrates_over_the_gap():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    model = learnable.GaussianNB().fit(X + y[:, None], y)
    said = model.predict_joint_log_proba([[0.3, NAN]])[0]
    for k in range(2):

        def density(t, k=k):
            return np.exp(model.predict_joint_log_proba([[0.3, t]])[0, k])

        whole, _ = quad(density, -12, 12)
        assert said[k] == pytest.approx(np.log(whole), abs=1e-7)


def test_estimates_use_the_values_that_are_there():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)) * [1, 5, 0.1], rng.integers(0, 2, 200)
    X[rng.random(X.shape) < 0.3] = NAN
    weight = rng.random(200)
    model = learnable.GaussianNB(var_smoothing=0).fit(X, y, sample_weight=weight)
    for k in range(2):
        for j in range(3):
            there = (y == k) & ~np.isnan(X[:, j])
            mean = np.average(X[there, j], weights=weight[there])
            assert model.theta_[k, j] == pytest.approx(mean)
            assert model.var_[k, j] == pytest.approx(np.average((X[there, j] - mean) ** 2, weights=weight[there]))
    rows = X[:20]
    wanted = np.log(model.class_prior_) + np.nansum(
        norm.logpdf(rows[:, None], model.theta_, np.sqrt(model.var_)), axis=2
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(rows), wanted, rtol=1e-9)


def test_a_column_that_a_class_never_shows_says_nothing():
    X = np.array([[1.0, NAN], [2.0, NAN], [1.0, 5.0], [2.0, 7.0]])
    model = learnable.GaussianNB().fit(X, ["blank", "blank", "full", "full"])
    np.testing.assert_allclose(model.predict_proba([[1.5, 6.0]]), [[0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(model.predict_proba([[NAN, NAN]]), [[0.5, 0.5]])


def test_gaps_in_sparse_rows():
    from scipy import sparse

    rng = np.random.default_rng(0)
    X, y = (rng.random((60, 5)) < 0.4).astype(float), rng.integers(0, 3, 60)
    X[rng.random(X.shape) < 0.1] = NAN
    dense, thin = learnable.BernoulliNB().fit(X, y), learnable.BernoulliNB().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.feature_log_prob_, dense.feature_log_prob_)
    np.testing.assert_allclose(thin.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), rtol=1e-10)


def test_an_infinite_value_is_refused():
    with pytest.raises(ValueError, match="infinity"):
        learnable.GaussianNB().fit([[np.inf], [0.0]], [0, 1])
