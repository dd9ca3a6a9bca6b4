"""Scorers against scikit-learn's, on estimators of both libraries."""

import pickle
from importlib import import_module

import numpy as np
import pytest
import sklearn
import sklearn.metrics as theirs
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.svm import LinearSVC

import learnable
from learnable import metrics
from learnable.core.errors import ParameterError

REGRESSION = [
    name
    for name in theirs.get_scorer_names()
    if "neg_m" in name or "neg_root" in name or name in ("r2", "explained_variance", "d2_absolute_error_score")
]


def test_every_name_of_scikit_learn_is_known():
    assert set(theirs.get_scorer_names()) <= set(metrics.get_scorer_names())


@pytest.mark.parametrize("name", theirs.get_scorer_names())
def test_scorers_are_made_like_those_of_scikit_learn(name):
    assert repr(metrics.get_scorer(name)) == repr(theirs.get_scorer(name))


@pytest.mark.parametrize("name", REGRESSION)
def test_scores_of_a_regressor(name):
    X, y = make_regression(80, 5, noise=5, random_state=0)
    y = np.exp((y - y.mean()) / y.std())
    weight = np.arange(80) % 3 + 1.0
    model = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp).fit(X, y)
    more = {} if name == "neg_max_error" else {"sample_weight": weight}
    assert metrics.get_scorer(name)(model, X, y, **more) == pytest.approx(theirs.get_scorer(name)(model, X, y, **more))


CLASSIFICATION = [name for name in theirs.get_scorer_names() if not name.endswith("samples") and name not in REGRESSION]


@pytest.mark.filterwarnings("ignore:.*(will result in a perfect score|the score is always perfect)")
@pytest.mark.parametrize("name", CLASSIFICATION)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(10, max_depth=3, random_state=0)])
def test_scores_of_a_classifier(name, classes, model):
    X, y = make_classification(120, 6, n_informative=4, n_classes=classes, random_state=1)
    model.fit(X, y)
    ours, peer = metrics.get_scorer(name), theirs.get_scorer(name)
    try:
        expected = peer(model, X, y)
    except ValueError:
        with pytest.raises(ValueError):
            ours(model, X, y)
        return
    assert ours(model, X, y) == pytest.approx(expected)
    if peer._accept_sample_weight() and "ovo" not in name:
        weight = np.arange(120) % 3 + 1.0
        weighted = peer(model, X, y, sample_weight=weight)
        assert ours(model, X, y, sample_weight=weight) == pytest.approx(weighted)
        assert ours.of(y, ours.predictions(model, X), weight) == pytest.approx(weighted)


@pytest.mark.parametrize("name", ["f1_samples", "jaccard_samples", "precision_samples", "roc_auc", "average_precision"])
def test_scores_of_a_classifier_with_several_labels(name):
    X, y = make_multilabel_classification(60, 5, n_classes=3, random_state=0, allow_unlabeled=False)
    model = RandomForestClassifier(10, random_state=0).fit(X[:30], y[:30])
    more = {}
    assert metrics.get_scorer(name)(model, X, y, **more) == pytest.approx(theirs.get_scorer(name)(model, X, y, **more))


def test_the_positive_class_chooses_column_and_sign():
    X, y = make_classification(80, 5, random_state=2)
    y = np.where(y == 1, "yes", "no")
    weight = np.arange(80) % 2 + 1.0
    for model in (LogisticRegression().fit(X, y), LinearSVC().fit(X, y)):
        for pos_label in ("yes", "no"):
            options = {"response_method": ("decision_function", "predict_proba"), "pos_label": pos_label}
            ours = metrics.make_scorer(metrics.average_precision_score, **options)
            peer = theirs.make_scorer(theirs.average_precision_score, **options)
            assert ours(model, X, y, weight) == pytest.approx(peer(model, X, y, sample_weight=weight))


def test_our_estimators_are_scored():
    X, y = make_regression(40, 3, noise=3, random_state=0)
    model = learnable.Ridge().fit(X, y)
    assert metrics.get_scorer("r2")(model, X, y) == pytest.approx(model.score(X, y))
    assert metrics.check_scoring(model)(model, X, y) == model.score(X, y)


def test_scorers_are_pickled_and_serve_scikit_learn():
    X, y = make_regression(40, 3, noise=3, random_state=0)
    scorer = pickle.loads(pickle.dumps(metrics.get_scorer("neg_mean_squared_error")))
    assert scorer == metrics.get_scorer("neg_mean_squared_error")
    result = cross_validate(Ridge(), X, y, scoring={"ours": scorer, "theirs": "neg_mean_squared_error"})
    np.testing.assert_allclose(result["test_ours"], result["test_theirs"])
    search = GridSearchCV(learnable.Ridge(), {"alpha": [0.1, 1e4]}, scoring=scorer).fit(X, y)
    assert search.best_params_ == {"alpha": 0.1}


def test_engines_share_the_scorers():
    X, y = make_regression(60, 4, noise=3, random_state=0)
    weight = np.arange(60) % 3 + 1.0
    by_name = learnable.RidgeCV([0.1, 10.0], scoring="neg_max_error").fit(X, y, weight)
    by_scorer = learnable.RidgeCV([0.1, 10.0], scoring=metrics.get_scorer("neg_max_error")).fit(X, y, weight)
    assert by_name.best_score_ == pytest.approx(by_scorer.best_score_)


def test_several_scores_ask_the_estimator_once():
    X, y = make_regression(40, 3, noise=3, random_state=0)
    calls = []
    model = Ridge().fit(X, y)
    model.predict = lambda X, inner=model.predict: calls.append(1) or inner(X)
    scores = metrics.check_scoring(model, ["r2", "neg_max_error", "neg_mean_squared_error"])(model, X, y)
    assert len(calls) == 1 and set(scores) == {"r2", "neg_max_error", "neg_mean_squared_error"}
    assert scores["r2"] == pytest.approx(theirs.r2_score(y, Ridge().fit(X, y).predict(X)))


def test_a_failing_score_is_reported():
    X, y = make_regression(20, 3, random_state=0)
    model = Ridge().fit(X, y)
    scorer = metrics.check_scoring(model, {"bad": "accuracy", "good": "r2"}, raise_exc=False)
    scores = scorer(model, X, y)
    assert "Traceback" in scores["bad"] and scores["good"] > 0.9


@pytest.mark.parametrize(
    ("scoring", "words"),
    [
        ("best", "No scorer is called"),
        (metrics.accuracy_score, "make_scorer"),
        (theirs.accuracy_score, "make_scorer"),
        ([], "at least one"),
        (["r2", "r2"], "named twice"),
        ([metrics.get_scorer("r2")], "a dict from name to scorer"),
        ({1: "r2"}, "must be texts"),
        (3.5, "scoring must be"),
    ],
)
def test_what_is_not_a_scoring_is_refused(scoring, words):
    with pytest.raises(ParameterError, match=words):
        metrics.check_scoring(Ridge(), scoring)


def test_an_estimator_needs_a_score():
    with pytest.raises(TypeError, match="is not an estimator with a `score` method"):
        metrics.check_scoring(object())
    assert metrics.check_scoring(object(), allow_none=True) is None
    assert metrics.check_scoring(KMeans(2), "rand_score") is not None
    with pytest.raises(AttributeError, match="has no"):
        metrics.get_scorer("neg_log_loss")(LinearSVC(), [[0.0]], [0])


def test_displays_are_found_where_scikit_learn_has_them():
    from learnable import plot

    assert metrics.RocCurveDisplay is plot.RocCurveDisplay
    with pytest.raises(AttributeError, match="nothing"):
        _ = metrics.nothing


@pytest.mark.parametrize("library", [sklearn, learnable])
@pytest.mark.parametrize("requested", [True, False])
def test_a_scorer_receives_weights_where_they_count(library, requested):
    X, y = make_regression(30, 3, noise=5, random_state=0)
    weight = np.arange(30) % 4 + 0.5
    scorer = metrics.make_scorer(metrics.mean_absolute_error).set_score_request(sample_weight=requested)
    with sklearn.config_context(enable_metadata_routing=True):
        model = learnable.Ridge().set_fit_request(sample_weight=True)
        folds = [(np.arange(20), np.arange(20, 30))]
        run = import_module(f"{library.__name__}.model_selection").cross_validate
        found = run(model, X, y, params={"sample_weight": weight}, cv=folds, scoring=scorer)["test_score"][0]
    error = np.abs(y - model.fit(X[:20], y[:20], sample_weight=weight[:20]).predict(X))[20:]
    assert found == pytest.approx(np.average(error, weights=weight[20:] if requested else None), rel=1e-9)
