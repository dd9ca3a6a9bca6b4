"""Regression on principal components against scikit-learn's PCA and least squares."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnable
from learnable.linear_model import PrincipalComponentRegression


def table(rows=50, columns=6, seed=0):
    """Columns around three hidden factors, of which two make the target."""
    draws = np.random.default_rng(seed)
    factors = draws.normal(size=(rows, 3)) * [3, 2, 1]
    X = factors @ draws.normal(size=(3, columns)) + 0.1 * draws.normal(size=(rows, columns)) + 5
    return X * draws.uniform(0.5, 2, columns), factors[:, :2] @ [1.0, -1.0] + 0.2 * draws.normal(size=rows)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("count", [1, 3, 6])
def test_agrees_with_a_pipeline(count, scale):
    X, y = table()
    ours = PrincipalComponentRegression(count, scale=scale).fit(X, y)
    steps = [PCA(count, svd_solver="full"), LinearRegression()]
    other = make_pipeline(*([StandardScaler()] if scale else []), *steps).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-9)
    np.testing.assert_allclose(ours.explained_variance_ratio_, steps[0].explained_variance_ratio_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(steps[0].components_), atol=1e-9)
    if not scale:
        np.testing.assert_allclose(ours.explained_variance_, steps[0].explained_variance_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(ours.score_coef_), np.abs(steps[1].coef_), rtol=1e-8)
        np.testing.assert_allclose(ours.score_coef_ @ ours.components_, ours.coef_, rtol=1e-9)


def test_all_components_are_least_squares():
    X, y = table()
    np.testing.assert_allclose(
        PrincipalComponentRegression().fit(X, y).coef_, learnable.LinearRegression().fit(X, y).coef_, rtol=1e-8
    )
    wide, target = table(rows=5, columns=20)
    model = PrincipalComponentRegression().fit(wide, target)
    assert model.n_components_ == 4
    np.testing.assert_allclose(model.coef_, learnable.LinearRegression().fit(wide, target).coef_, atol=1e-9)


def test_a_fraction_of_the_variance():
    X, y = table()
    ratios = PCA().fit(X).explained_variance_ratio_.cumsum()
    for share in (0.3, 0.9, 0.99):
        model = PrincipalComponentRegression(share).fit(X, y)
        assert model.n_components_ == np.searchsorted(ratios, share) + 1


def test_cross_validation_is_that_of_the_pipeline():
    X, y = table(seed=2)
    model = PrincipalComponentRegression("cv", cv=4).fit(X, y)
    assert model.mse_path_.shape == (7, 4)
    for count in range(1, 7):
        other = make_pipeline(PCA(count, svd_solver="full"), LinearRegression())
        for k, (train, test) in enumerate(KFold(4).split(X)):
            error = ((other.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2).mean()
            assert model.mse_path_[count, k] == pytest.approx(error, rel=1e-8)
    assert model.n_components_ == model.mse_path_.mean(axis=1).argmin()
    assert model.n_components_ >= 3
    np.testing.assert_allclose(
        model.coef_, PrincipalComponentRegression(model.n_components_).fit(X, y).coef_, rtol=1e-9
    )


def test_noise_is_predicted_by_its_mean():
    draws = np.random.default_rng(1)
    X, y = draws.normal(size=(40, 4)), draws.normal(size=40)
    model = PrincipalComponentRegression("cv").fit(X, y)
    if model.n_components_ == 0:
        assert (model.coef_ == 0).all()
        assert model.intercept_ == pytest.approx(y.mean())
    assert model.mse_path_[0].mean() == pytest.approx(
        np.mean([((y[test] - y[train].mean()) ** 2).mean() for train, test in KFold(5).split(X)])
    )


def test_several_targets_without_an_intercept():
    X, y = table()
    both = PrincipalComponentRegression(2, fit_intercept=False).fit(X, np.column_stack([y, -y]))
    one = PrincipalComponentRegression(2, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(both.coef_, [one.coef_, -one.coef_], rtol=1e-10)
    assert (both.intercept_ == 0).all()
    assert both.score_coef_.shape == (2, 2)


@pytest.mark.parametrize("wrong", [0, 1.5, 0.0, "pca", 7])
def test_nonsense_is_refused(wrong):
    X, y = table()
    with pytest.raises(learnable.ParameterError, match="n_components must be"):
        PrincipalComponentRegression(wrong).fit(X, y)


def test_a_budget_ends_the_folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 80))
    with learnable.budget(seconds=1e-9), pytest.raises(learnable.BudgetError):
        PrincipalComponentRegression().fit(X, X[:, 0])
