"""What estimators said about weights (`set_fit_request`, `set_score_request`) holds for all who fit and score them."""

from typing import ClassVar

import numpy as np
import pytest
import sklearn

import learnable
from learnable import GridSearchCV, HalvingGridSearchCV, Ridge, cross_val_predict, cross_validate, make_scorer
from learnable.exceptions import UnsetMetadataPassedError
from learnable.metrics import mean_squared_error, r2_score
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


def asking(model, **requested):
    with sklearn.config_context(enable_metadata_routing=True):
        return model.set_fit_request(**requested)


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


def plain_scorer(model, X, y, sample_weight=None):
    return -mean_squared_error(y, model.predict(X), sample_weight=sample_weight)


THEIRS = sklearn.metrics.make_scorer(sklearn.metrics.mean_squared_error, greater_is_better=False)


@pytest.mark.parametrize("scorer", [THEIRS, plain_scorer, make_scorer(mean_squared_error, greater_is_better=False)])
@pytest.mark.parametrize("several", [False, True])
def test_weights_count_in_scores_of_scorers_that_others_made(scorer, several):
    scoring = {"score": scorer} if several else scorer
    model = Ridge().fit(X[TRAIN], Y[TRAIN], WEIGHT[TRAIN])
    found = cross_validate(Ridge(), X, Y, cv=FOLDS, params={"sample_weight": WEIGHT}, scoring=scoring)["test_score"]
    np.testing.assert_allclose(found, [plain_scorer(model, X[TEST], Y[TEST], WEIGHT[TEST])], rtol=1e-9)


@pytest.mark.parametrize("module", [sklearn.metrics, learnable.metrics], ids=["theirs", "ours"])
@pytest.mark.parametrize("requested", [None, False])
def test_ridge_cv_weighs_scores_of_any_scorer_unless_it_declines(module, requested):
    scorer = module.make_scorer(module.mean_squared_error, greater_is_better=False)
    if requested is False:
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = scorer.set_score_request(sample_weight=False)
    found = learnable.RidgeCV(ALPHAS, cv=FOLDS, scoring=scorer).fit(X, Y, WEIGHT).best_score_
    models = [Ridge(alpha).fit(X[TRAIN], Y[TRAIN], WEIGHT[TRAIN]) for alpha in ALPHAS]
    tested = WEIGHT[TEST] if requested is None else None
    assert found == pytest.approx(max(plain_scorer(model, X[TEST], Y[TEST], tested) for model in models), rel=1e-9)


def asking_inside(inner):
    """Composites of a model that asks for weights in its fits and scores."""
    alphas, scaler = {"alpha": list(ALPHAS)}, learnable.StandardScaler().set_fit_request(sample_weight=True)
    return [
        learnable.make_pipeline(scaler, inner),
        learnable.TransformedTargetRegressor(inner),
        learnable.VotingRegressor([("one", inner)]),
        GridSearchCV(inner, alphas, cv=3),
        learnable.make_pipeline(scaler, GridSearchCV(inner, alphas, cv=3)),
    ]


@pytest.mark.parametrize("place", range(5))
def test_searches_of_scikit_learn_route_weights_to_components_that_request_them(place):
    inner = Ridge().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    model = asking_inside(inner)[place]
    with sklearn.config_context(enable_metadata_routing=True):
        search = sklearn.model_selection.GridSearchCV(model, {}, cv=FOLDS).fit(X, Y, sample_weight=WEIGHT)
    expected = model.clone().fit(X[TRAIN], Y[TRAIN], sample_weight=WEIGHT[TRAIN])
    score = expected.score(X[TEST], Y[TEST], sample_weight=WEIGHT[TEST])
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], [score], rtol=1e-9)


def test_a_composite_gives_each_component_what_it_requests():
    class Recorded(Ridge):
        seen: ClassVar[list] = []

        def fit(self, X, y, sample_weight=None):
            self.seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    requests = {"weighted": True, "plain": False, "renamed": "importance"}
    parts = [(name, Recorded().set_fit_request(sample_weight=one)) for name, one in requests.items()]
    model = learnable.VotingRegressor(parts)
    with learnable.config_context(enable_metadata_routing=True):
        model.fit(X, Y, sample_weight=WEIGHT, importance=WEIGHT[::-1])
        weighted, plain, renamed = Recorded.seen
        np.testing.assert_array_equal(weighted, WEIGHT)
        np.testing.assert_array_equal(renamed, WEIGHT[::-1])
        assert plain is None
        with pytest.raises(TypeError, match="unexpected argument"):
            model.fit(X, Y, sample_weight=WEIGHT, groups=WEIGHT)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            learnable.VotingRegressor([("unset", Ridge())]).fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        model.fit(X, Y, importance=WEIGHT)


def test_groups_reach_our_splitters_in_searches_of_scikit_learn():
    groups = np.arange(80) % 7
    plain = cross_validate(Ridge(), X, Y, cv=learnable.GroupKFold(3), groups=groups)["test_score"]
    for name, splitter in (
        ("groups", learnable.GroupKFold(3)),
        ("towns", learnable.GroupKFold(3).set_split_request(groups="towns")),
    ):
        with sklearn.config_context(enable_metadata_routing=True):
            given = {name: groups}
            found = sklearn.model_selection.cross_validate(Ridge(), X, Y, cv=splitter, params=given)["test_score"]
        np.testing.assert_allclose(found, plain, rtol=1e-9)
    assert not hasattr(learnable.KFold(), "set_split_request")
