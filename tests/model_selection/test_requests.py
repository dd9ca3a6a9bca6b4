"""What estimators said about weights (`set_fit_request`, `set_score_request`) holds for all who fit and score them."""

import numpy as np
import pytest
import sklearn

import learnable
from learnable import GridSearchCV, HalvingGridSearchCV, Ridge, cross_val_predict, cross_validate, make_scorer
from learnable.metrics import r2_score
from learnable.model_selection import learning_curve, validation_curve

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
Y = X @ [1.0, 2.0, 3.0] + rng.normal(size=80)
WEIGHT = np.arange(80) % 4 + 0.0
TRAIN, TEST = np.arange(50), np.arange(50, 80)
FOLDS = [(TRAIN, TEST)]
ALPHAS = (1.0, 1e3)


def expected(model, fit_weighted, score_weighted):
    model.fit(X[TRAIN], Y[TRAIN], WEIGHT[TRAIN] if fit_weighted else None)
    return r2_score(Y[TEST], model.predict(X[TEST]), sample_weight=WEIGHT[TEST] if score_weighted else None)


def asking(model, **wanted):
    with sklearn.config_context(enable_metadata_routing=True):
        return model.set_fit_request(**wanted)


@pytest.mark.parametrize("module", [learnable, sklearn.linear_model])
@pytest.mark.parametrize("refit", [False, True])
def test_a_search_fits_without_weights_where_its_estimator_declines_them(module, refit):
    model = asking(module.Ridge(), sample_weight=False)
    scorer = make_scorer(r2_score)
    search = GridSearchCV(model, {"alpha": list(ALPHAS)}, cv=FOLDS, scoring=scorer, refit=refit)
    search.fit(X, Y, sample_weight=WEIGHT)
    found = [expected(module.Ridge(alpha=alpha), False, True) for alpha in ALPHAS]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], found, rtol=1e-9)
    if refit:
        np.testing.assert_allclose(search.best_estimator_.coef_, module.Ridge().fit(X, Y).coef_, rtol=1e-9)


def test_a_halving_search_too():
    search = HalvingGridSearchCV(asking(Ridge(), sample_weight=False), {"alpha": list(ALPHAS)}, cv=3)
    plain = HalvingGridSearchCV(Ridge(), {"alpha": list(ALPHAS)}, cv=3).fit(X, Y)
    np.testing.assert_allclose(
        search.fit(X, Y, sample_weight=WEIGHT).best_estimator_.coef_, plain.best_estimator_.coef_
    )


@pytest.mark.parametrize("fit", [True, False, None])
@pytest.mark.parametrize("score", [True, False, None])
def test_cross_validation_heeds_both_requests(fit, score):
    model = Ridge().set_fit_request(sample_weight=fit).set_score_request(sample_weight=score)
    found = cross_validate(model, X, Y, cv=FOLDS, params={"sample_weight": WEIGHT})["test_score"]
    np.testing.assert_allclose(found, [expected(Ridge(), fit is not False, score is not False)], rtol=1e-9)


def test_an_argument_may_come_under_another_name():
    model = asking(Ridge(), sample_weight="importance")
    found = cross_validate(model, X, Y, cv=FOLDS, params={"importance": WEIGHT})["test_score"]
    np.testing.assert_allclose(found, [expected(Ridge(), True, False)], rtol=1e-9)
    search = GridSearchCV(model, {"alpha": list(ALPHAS)}, cv=FOLDS).fit(X, Y, importance=WEIGHT)
    both = [expected(Ridge(alpha), True, False) for alpha in ALPHAS]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], both, rtol=1e-9)


def test_curves_and_predictions_too():
    model, given = Ridge().set_fit_request(sample_weight=False), {"sample_weight": WEIGHT}
    by_value = validation_curve(
        model, X, Y, param_name="alpha", param_range=ALPHAS, cv=FOLDS, params=given, scoring="r2"
    )[1]
    found = [[expected(Ridge(alpha), False, True)] for alpha in ALPHAS]
    np.testing.assert_allclose(by_value, found, rtol=1e-9)
    by_size = learning_curve(model, X, Y, train_sizes=[1.0], cv=FOLDS, params=given, scoring="r2")[2]
    np.testing.assert_allclose(by_size, [found[0]], rtol=1e-9)
    np.testing.assert_allclose(cross_val_predict(model, X, Y, params=given), cross_val_predict(Ridge(), X, Y))
