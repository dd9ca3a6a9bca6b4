"""Classifiers of two classes with a threshold of their own, against scikit-learn's."""

import numpy as np
import pytest
import sklearn.metrics
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import learnable
from learnable import DummyClassifier, FixedThresholdClassifier, TunedThresholdClassifierCV
from learnable.metrics import fbeta_score, make_scorer

X, Y = make_classification(n_samples=300, weights=[0.85], class_sep=0.6, random_state=0)
WORDS = np.array(["no", "yes"])[Y]
MODELS = [LogisticRegression(), GaussianNB(), LinearSVC()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("threshold", ["auto", 0.2, -0.5])
@pytest.mark.parametrize(("y", "label"), [(Y, None), (Y, 0), (WORDS, None), (WORDS, "no")])
def test_a_fixed_threshold(model, threshold, y, label):
    ours = FixedThresholdClassifier(model, threshold=threshold, pos_label=label).fit(X, y)
    other = theirs.FixedThresholdClassifier(model, threshold=threshold, pos_label=label).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    np.testing.assert_array_equal(ours.classes_, other.classes_)
    assert ours.score(X, y) == pytest.approx(other.score(X, y))
    for method in ("predict_proba", "predict_log_proba", "decision_function"):
        assert hasattr(ours, method) == hasattr(other, method)
        if hasattr(ours, method):
            np.testing.assert_array_equal(getattr(ours, method)(X), getattr(other, method)(X))


TUNED = [
    {},
    {"scoring": "f1", "thresholds": 37},
    {"scoring": "recall", "thresholds": np.array([0.1, 0.3, 0.35])},
    {"cv": 0.3, "random_state": 1},
    {"cv": 0.3, "random_state": 1, "refit": False},
    {"cv": theirs.StratifiedKFold(3, shuffle=True, random_state=0), "response_method": "predict_proba"},
    {"scoring": "accuracy", "n_jobs": 2},
]


@pytest.mark.parametrize("options", TUNED)
@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()], ids=lambda model: type(model).__name__)
def test_a_tuned_threshold(model, options):
    options = {"store_cv_results": True, "thresholds": 23, **options}
    ours = TunedThresholdClassifierCV(model, **options).fit(X, Y)
    other = theirs.TunedThresholdClassifierCV(model, **options).fit(X, Y)
    np.testing.assert_allclose(ours.cv_results_["thresholds"], other.cv_results_["thresholds"])
    np.testing.assert_allclose(ours.cv_results_["scores"], other.cv_results_["scores"], rtol=1e-10)
    assert ours.best_threshold_ == pytest.approx(other.best_threshold_)
    assert ours.best_score_ == pytest.approx(other.best_score_)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    assert len(ours.trace_.rows) >= len(ours.cv_results_["scores"])


@pytest.mark.parametrize("label", ["no", "yes"])
def test_scorers_say_which_class_is_positive(label):
    ours = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=make_scorer(fbeta_score, beta=2, pos_label=label), thresholds=15
    ).fit(X, WORDS)
    metric = sklearn.metrics.make_scorer(sklearn.metrics.fbeta_score, beta=2, pos_label=label)
    other = theirs.TunedThresholdClassifierCV(LogisticRegression(), scoring=metric, thresholds=15).fit(X, WORDS)
    assert ours.best_threshold_ == pytest.approx(other.best_threshold_)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    again = TunedThresholdClassifierCV(LogisticRegression(), scoring=metric, thresholds=15).fit(X, WORDS)
    assert again.best_threshold_ == ours.best_threshold_


def test_classifiers_that_are_fitted_already():
    model = LogisticRegression().fit(X[:200], Y[:200])
    ours = TunedThresholdClassifierCV(model, cv="prefit", refit=False).fit(X[200:], Y[200:])
    other = theirs.TunedThresholdClassifierCV(model, cv="prefit", refit=False).fit(X[200:], Y[200:])
    assert ours.best_threshold_ == pytest.approx(other.best_threshold_) and ours.estimator_ is model
    at_once = FixedThresholdClassifier(model, threshold=0.3)
    np.testing.assert_array_equal(at_once.predict(X), (model.predict_proba(X)[:, 1] >= 0.3).astype(int))


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=60, max_size=60).filter(lambda counts: sum(counts[:30]) * sum(counts[30:])))
def test_weights_are_copies_with_given_folds(counts):
    rows = np.concatenate([np.flatnonzero(Y == 0)[:30], np.flatnonzero(Y == 1)[:30]])
    counts, data, y = np.array(counts), X[rows], Y[rows]
    copies = np.repeat(np.arange(60), counts)
    fold = np.arange(60) % 2
    for part in (0, 1):
        for label in (0, 1):
            if counts[(fold == part) & (y == label)].sum() < 2:
                return  # a fold without rows of a class has nothing to compare
    pairs = [(np.flatnonzero(fold == part), np.flatnonzero(fold != part)) for part in (0, 1)]
    repeated = [(np.flatnonzero(fold[copies] == part), np.flatnonzero(fold[copies] != part)) for part in (0, 1)]
    cuts = np.linspace(0.05, 0.95, 19)
    weighted = TunedThresholdClassifierCV(GaussianNB(), cv=pairs, thresholds=cuts, store_cv_results=True)
    several = TunedThresholdClassifierCV(GaussianNB(), cv=repeated, thresholds=cuts, store_cv_results=True)
    weighted.fit(data, y, sample_weight=counts.astype(float))
    several.fit(data[copies], y[copies])
    scores = weighted.cv_results_["scores"], several.cv_results_["scores"]
    np.testing.assert_allclose(*scores, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TunedThresholdClassifierCV(DummyClassifier()).fit(X, Y), "every row the same score"),
        (lambda: TunedThresholdClassifierCV(GaussianNB(), cv="prefit").fit(X, Y), "set refit=False"),
        (lambda: TunedThresholdClassifierCV(GaussianNB(), refit=False).fit(X, Y), "needs a single split"),
        (lambda: TunedThresholdClassifierCV(GaussianNB(), cv=1.5).fit(X, Y), "cv must be"),
        (lambda: TunedThresholdClassifierCV(GaussianNB(), scoring=lambda *a: 0).fit(X, Y), "make_scorer"),
        (lambda: TunedThresholdClassifierCV(GaussianNB(), thresholds=0).fit(X, Y), "thresholds must be at least 1"),
        (lambda: FixedThresholdClassifier(GaussianNB(), threshold="half").fit(X, Y), 'threshold must be.*"auto"'),
        (lambda: FixedThresholdClassifier(GaussianNB(), pos_label=7).fit(X, Y).predict(X), "not one of the classes"),
        (lambda: FixedThresholdClassifier(GaussianNB()).fit(X, np.arange(300) % 3), "y has 3"),
        (lambda: FixedThresholdClassifier(GaussianNB()).fit(X, np.zeros(300)), "y has one: 0"),
        (lambda: FixedThresholdClassifier(learnable.Ridge()).fit(X, Y), "estimator must be a classifier"),
        (lambda: FixedThresholdClassifier(GaussianNB()).predict(X), "not fitted"),
        (lambda: TunedThresholdClassifierCV(GaussianNB().fit(X, Y)).predict(X), "not fitted"),
    ],
)  # fmt: skip
def test_refusals_say_why(make, message):
    with pytest.raises(ValueError, match=message):
        make()
