"""Poisson, gamma and Tweedie regression against statsmodels, scikit-learn, closed forms and known optima."""

from functools import partial

import numpy as np
import pytest
import sklearn.linear_model as peer
import statsmodels.api as sm
from scipy import sparse

import learnable
from learnable.core import ConvergenceWarning, DataError
from learnable.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from learnable.linear_model._glm import glm_fit

SOLVERS = ["lbfgs", "newton-cholesky"]


def counts(n=400, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return (
        X,
        rng.poisson(np.exp(X @ np.linspace(-0.5, 0.5, p) + 0.3)).astype(float),
        rng.integers(1, 4, n).astype(float),
    )


def amounts(n=400, p=4, seed=0):
    X, _, weight = counts(n, p, seed)
    rng = np.random.default_rng(seed + 1)
    return X, rng.gamma(2.0, np.exp(X @ np.linspace(-0.5, 0.5, p) + 0.3) / 2), weight


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "model, data, family",
    [
        (PoissonRegressor(alpha=0), counts(), sm.families.Poisson()),
        (GammaRegressor(alpha=0), amounts(), sm.families.Gamma(sm.families.links.Log())),
        (TweedieRegressor(alpha=0), amounts(), sm.families.Gaussian()),
        (TweedieRegressor(alpha=0, link="log"), amounts(), sm.families.Gaussian(sm.families.links.Log())),
        (TweedieRegressor(power=1.5, alpha=0), amounts(), sm.families.Tweedie(sm.families.links.Log(), 1.5)),
        (TweedieRegressor(power=3, alpha=0), amounts(), sm.families.InverseGaussian(sm.families.links.Log())),
    ],
)
def test_without_penalty_it_is_the_fit_of_statsmodels(model, data, family, solver):
    X, y, weight = data
    ours = model.clone().set_params(solver=solver).fit(X, y, sample_weight=weight)
    theirs = sm.GLM(y, sm.add_constant(X), family, freq_weights=weight).fit(tol=1e-13, maxiter=300)
    assert ours.certificate_.holds and ours.trace_.stopped == "converged"
    np.testing.assert_allclose(np.append(ours.intercept_, ours.coef_), theirs.params, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("name", ["PoissonRegressor", "GammaRegressor"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_equals_scikit_learn_at_a_tight_tolerance(name, alpha, solver, fit_intercept):
    X, y, weight = counts() if name == "PoissonRegressor" else amounts()
    options = {"alpha": alpha, "fit_intercept": fit_intercept}
    ours = getattr(learnable, name)(solver=solver, tol=1e-6, **options).fit(X, y, weight)
    theirs = getattr(peer, name)(solver="newton-cholesky", tol=1e-12, **options).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-8)
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight), abs=1e-10)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)


@pytest.mark.parametrize("power, link", [(-1.0, "auto"), (0.0, "log"), (1.2, "auto"), (1.0, "identity"), (2.5, "log")])
def test_tweedie_equals_scikit_learn(power, link):
    X, y, weight = amounts()
    X, y = np.abs(X), y + 5
    ours = TweedieRegressor(power=power, link=link, alpha=0.5).fit(X, y, weight)
    theirs = peer.TweedieRegressor(power=power, link=link, alpha=0.5, tol=1e-10, max_iter=10_000).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-6)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-6)


def test_the_default_is_far_closer_to_the_optimum_than_scikit_learn():
    X, y, _ = counts(2000, 10)
    exact = peer.PoissonRegressor(alpha=0.01, solver="newton-cholesky", tol=1e-12).fit(X, y)
    ours, theirs = PoissonRegressor(alpha=0.01).fit(X, y), peer.PoissonRegressor(alpha=0.01).fit(X, y)
    assert np.abs(ours.coef_ - exact.coef_).max() < np.abs(theirs.coef_ - exact.coef_).max() / 100


@pytest.mark.parametrize(
    "model", [PoissonRegressor(alpha=0), GammaRegressor(alpha=0), TweedieRegressor(power=1.5, alpha=0)]
)
def test_the_mean_of_the_fit_is_that_of_the_target_and_a_group_variable_gives_group_means(model):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 90)
    y = rng.gamma(1.0 + group, 2.0)
    X = np.eye(3)[group]
    fitted = model.fit(X, y).predict(np.eye(3))
    np.testing.assert_allclose(fitted, [y[group == g].mean() for g in range(3)], rtol=1e-8)
    np.testing.assert_allclose(model.coef_.sum(), 0, atol=1e-7)  # the shortest of many optima


def test_columns_without_information_leave_the_best_constant():
    y = np.array([1.0, 2.0, 6.0, 7.0])
    for cls in (PoissonRegressor, GammaRegressor):
        model = cls().fit(np.ones((4, 2)), y)
        np.testing.assert_allclose(model.coef_, 0, atol=1e-15)
        assert model.intercept_ == pytest.approx(np.log(4.0), rel=1e-14)
        assert model.score(np.ones((4, 2)), y) == pytest.approx(0, abs=1e-14)


def test_sparse_columns_and_zero_weights():
    X, y, weight = counts()
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0
    weight[::3] = 0
    dense = PoissonRegressor(alpha=0.1).fit(X, y, weight)
    thin = PoissonRegressor(alpha=0.1).fit(sparse.csc_array(X), y, weight)
    kept = PoissonRegressor(alpha=0.1).fit(np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int)))
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-8)
    np.testing.assert_allclose(kept.coef_, dense.coef_, rtol=1e-8)


def test_counts_that_are_all_zero_have_the_mean_zero():
    model = PoissonRegressor().fit(np.arange(8.0).reshape(4, 2), np.zeros(4))
    assert model.coef_.tolist() == [0.0, 0.0] and model.trace_.stopped == "exact"
    assert model.predict([[3.0, 4.0]])[0] < 1e-15 and model.certificate_.holds


@pytest.mark.filterwarnings("ignore:the columns separate rows whose target is zero")
def test_a_group_without_counts_has_a_mean_near_zero():
    X = np.repeat([[0.0], [1.0]], 50, axis=0)
    y = np.where(X[:, 0] == 0, 2.0, 0.0)
    for solver in SOLVERS:
        model = PoissonRegressor(alpha=0, solver=solver).fit(X, y)
        assert model.certificate_.holds
        np.testing.assert_allclose(model.predict([[0.0], [1.0]]), [2.0, 0.0], atol=1e-7)


def test_huge_and_tiny_targets():
    X, y, _ = amounts()
    one = GammaRegressor(alpha=0).fit(X, y)
    for scale in (1e200, 1e-200):
        other = GammaRegressor(alpha=0).fit(X, y * scale)
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-7)
        assert other.intercept_ - one.intercept_ == pytest.approx(np.log(scale), rel=1e-9)
    large = PoissonRegressor(alpha=0).fit(X, y * 1e12)
    np.testing.assert_allclose(large.predict(X).mean(), (y * 1e12).mean(), rtol=1e-8)


def test_a_warm_start_goes_on_from_before():
    X, y, _ = counts()
    with pytest.warns(ConvergenceWarning, match="PoissonRegressor: stopped by the iteration limit after 1"):
        model = PoissonRegressor(alpha=0.1, warm_start=True, max_iter=1).fit(X, y)
    begun = model.trace_["objective"][-1]
    model.set_params(max_iter=100).fit(X, y)
    assert model.trace_["objective"][0] < begun
    assert model.fit(X, y).n_iter_ == 1


def test_targets_outside_the_range_are_refused():
    X = np.ones((3, 1))
    with pytest.raises(DataError, match=r"y\[1\] is -1"):
        PoissonRegressor().fit(X, [1.0, -1.0, 2.0])
    with pytest.raises(DataError, match="y > 0"):
        GammaRegressor().fit(X, [1.0, 0.0, 2.0])
    with pytest.raises(DataError, match="y >= 0"):
        TweedieRegressor(power=1.5).fit(X, [1.0, -1.0, 2.0])
    with pytest.raises(DataError, match="TweedieRegressor: with the identity link"):
        TweedieRegressor(power=1.5, link="identity", fit_intercept=False).fit(X, [1.0, 1.0, 2.0])


def test_the_score_of_a_perfect_and_of_a_hopeless_fit():
    X, y = [[0.0], [1.0], [2.0]], [1.0, np.e, np.e**2]
    assert PoissonRegressor(alpha=0).fit(X, y).score(X, y) == pytest.approx(1, abs=1e-12)
    assert GammaRegressor().fit(X, [2.0, 2.0, 2.0]).score(X, [2.0, 2.0, 2.0]) in (0.0, 1.0)


def test_more_columns_than_rows_is_quick_and_optimal():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3000)), rng.poisson(2, 60).astype(float)
    model = PoissonRegressor(alpha=1.0).fit(X, y)
    gradient = X.T @ (model.predict(X) - y) / 60 + model.coef_
    assert np.abs(gradient).max() < 1e-8 and model.certificate_.holds


def zeros_apart(kind):
    """Counts that are zero in a group which the columns separate from the others."""
    draws = np.random.default_rng(3)
    X, group = draws.normal(size=(80, 3)), np.arange(80) % 4 == 0
    X[:, 1] = group if kind == "indicator" else np.where(group, draws.uniform(size=80), 0.0)
    if kind == "turned":
        X = X @ draws.normal(size=(3, 3))
    return X, np.where(group, 0, draws.poisson(2.0, size=80) + 1).astype(float)


@pytest.mark.parametrize("kind", ["indicator", "amount", "turned"])
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("cls", [PoissonRegressor, partial(TweedieRegressor, power=1.5)])
def test_separated_zeros_have_no_finite_optimum_and_a_warning(kind, solver, cls):
    X, y = zeros_apart(kind)
    with pytest.warns(learnable.ConvergenceWarning, match="likelihood has no maximum.*give alpha a value above 0"):
        model = cls(alpha=0, solver=solver, max_iter=1000).fit(X, y)
    assert "likelihood has no maximum" in model.certificate_.sentence
    assert model.predict(X)[y == 0].max() < 1e-3 < model.predict(X)[y > 0].min()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("change", ["one count", "a penalty", "no zeros"])
@pytest.mark.filterwarnings("error")
def test_data_that_have_an_optimum_are_not_warned_of(change, intercept):
    X, y = zeros_apart("indicator")
    if change == "one count":
        y[0] = 1.0
    elif change == "no zeros":
        y += 0.5
    model = PoissonRegressor(alpha=1e-6 if change == "a penalty" else 0, fit_intercept=intercept, max_iter=1000)
    assert "maximum" not in model.fit(X, y).certificate_.sentence


@pytest.mark.parametrize("cls", [PoissonRegressor, GammaRegressor])
def test_a_search_started_from_a_sample_finds_the_same_optimum(cls, monkeypatch):
    """A search started from a sample of the rows: fewer steps, the same solution, also with weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = rng.poisson(np.exp(0.5 + X @ [0.3, -0.2, 0.5])) + 0.5
    weight = rng.uniform(0.5, 2, size=4000)
    plain = cls(alpha=0.0).fit(X, y, weight)
    monkeypatch.setattr(glm_fit, "ENOUGH", 400)
    ahead = cls(alpha=0.0).fit(X, y, weight)
    assert ahead.n_iter_ < plain.n_iter_ and ahead.certificate_.holds
    np.testing.assert_allclose(ahead.coef_, plain.coef_, rtol=1e-6)
