import numpy as np
import pytest
from sklearn.linear_model import Ridge as PeerRidge
from sklearn.linear_model import RidgeCV as Peer
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GridSearchCV as PeerSearch

from learnable.linear_model import Ridge, RidgeCV
from learnable.model_selection import GridSearchCV

ALPHAS = np.geomspace(0.01, 1000, 15)


def drawn(seed=0, n=40, p=5, targets=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 2
    y = X @ rng.normal(size=(p, targets)) + 2 * rng.normal(size=(n, targets))
    return X, y[:, 0] if targets == 1 else y


@pytest.mark.parametrize("shape", [(30, 4), (12, 30)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_is_really_leaving_one_out(shape, fit_intercept):
    X, y = drawn(0, *shape)
    model = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True).fit(X, y)
    for k in (0, 7, 14):
        for i in (0, 5):
            others = np.arange(len(y)) != i
            left_out = Ridge(ALPHAS[k], fit_intercept=fit_intercept).fit(X[others], y[others])
            assert model.cv_results_[i, k] == pytest.approx(float((left_out.predict(X[[i]])[0] - y[i]) ** 2), rel=1e-7)
    assert model.alpha_ == ALPHAS[model.cv_results_.mean(axis=0).argmin()]


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
@pytest.mark.parametrize(
    "options",
    [{}, {"cv": 4}, {"scoring": "r2"}, {"cv": 3, "scoring": "neg_mean_absolute_error"}, {"alpha_per_target": True},
     {"scoring": make_scorer(mean_absolute_error, greater_is_better=False)}],
)  # fmt: skip
def test_agrees_with_scikit_learn(shape, options):
    X, y = drawn(1, *shape, targets=2)
    ours, theirs = RidgeCV(ALPHAS, **options).fit(X, y), Peer(ALPHAS, **options).fit(X, y)
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-7)


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
def test_weights_are_copies_also_in_leave_one_out(shape):
    X, y = drawn(2, *shape)
    copies = np.random.default_rng(2).integers(1, 4, len(y))
    weighted, repeated = (
        RidgeCV(ALPHAS).fit(X, y, copies),
        RidgeCV(ALPHAS).fit(X.repeat(copies, axis=0), y.repeat(copies)),
    )
    assert weighted.alpha_ == repeated.alpha_
    assert weighted.best_score_ == pytest.approx(repeated.best_score_, rel=1e-8)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)


def test_folds_by_subtraction_equal_folds_fitted_apart():
    X, y = drawn(3, 45, 4)
    pairs = [(np.flatnonzero(np.arange(45) % 3 != k), np.flatnonzero(np.arange(45) % 3 == k)) for k in range(3)]
    scores = [
        np.mean([Ridge(alpha).fit(X[train], y[train]).score(X[test], y[test]) for train, test in pairs])
        for alpha in ALPHAS
    ]
    model = RidgeCV(ALPHAS, cv=pairs).fit(X, y)
    assert model.alpha_ == ALPHAS[np.argmax(scores)]
    assert model.best_score_ == pytest.approx(max(scores), rel=1e-9)


@pytest.mark.parametrize("shape", [(40, 5), (8, 12)])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("scale", [1e-310, 1e-155, 1e155, 1e300])
@pytest.mark.filterwarnings("error")
def test_the_alpha_does_not_depend_on_the_unit_of_the_target(shape, cv, scale):
    X, y = drawn(3, *shape)
    there = RidgeCV(ALPHAS, cv=cv).fit(X, y * scale)
    here = RidgeCV(ALPHAS, cv=cv).fit(X, y)
    assert there.alpha_ == here.alpha_
    np.testing.assert_allclose(there.coef_ / scale, here.coef_, rtol=1e-6 if scale > 1e-305 else 1e-2)


@pytest.mark.parametrize("shape", [(40, 5), (8, 12)])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-155, 1e155, 1e300])
@pytest.mark.filterwarnings("error")
def test_columns_of_any_size_are_fitted(shape, cv, scale):
    X, y = drawn(4, *shape)
    model = RidgeCV(cv=cv).fit(X * scale, y)
    np.testing.assert_allclose(model.coef_, Ridge(model.alpha_).fit(X * scale, y).coef_, rtol=1e-9)
    assert np.isfinite(model.best_score_)


@pytest.mark.parametrize("large", ["columns", "target"])
def test_a_fold_that_is_much_larger_takes_no_digits_from_the_others(large):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    (X if large == "columns" else y)[:12] *= 1e8
    searches = GridSearchCV, PeerSearch
    ours, theirs = (
        search(ridge(), {"alpha": [0.1, 1.0, 10.0]}, cv=5, scoring="neg_mean_squared_error").fit(X, y).cv_results_
        for search, ridge in zip(searches, (Ridge, PeerRidge), strict=True)
    )
    for fold in range(5):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9)
    best = RidgeCV([0.1, 1.0, 10.0], cv=5, scoring="neg_mean_squared_error").fit(X, y)
    assert best.best_score_ == pytest.approx(np.max(theirs["mean_test_score"]), rel=1e-9)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("scoring", [None, "r2"])
def test_rows_of_weight_zero_are_among_the_results(several, scoring):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 2) if several else 8)
    weight = np.array([0.0, 1, 2, 1, 1, 0, 3, 1])
    found = RidgeCV([0.1, 1.0], scoring=scoring, store_cv_results=True).fit(X, y, weight).cv_results_
    counted = weight > 0
    fewer = RidgeCV([0.1, 1.0], scoring=scoring, store_cv_results=True).fit(X[counted], y[counted], weight[counted])
    np.testing.assert_allclose(found[counted], fewer.cv_results_)
    predicted = Ridge(0.1).fit(X[counted], y[counted], weight[counted]).predict(X[:1])[0]
    np.testing.assert_allclose(found[0, ..., 0], predicted if scoring else (y[0] - predicted) ** 2)
