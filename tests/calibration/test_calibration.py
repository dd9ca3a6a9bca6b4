"""Calibrated probabilities against scikit-learn's, closed forms and what calibration means."""

import numpy as np
import pandas
import polars
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import calibration as theirs
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import learnable
from learnable.calibration import CalibratedClassifierCV, calibration_curve
from learnable.core.errors import DataError, ParameterError
from learnable.dummy import DummyClassifier
from learnable.metrics import brier_score_loss, log_loss


def problem(classes=2, rows=300, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, 4))
    score = X[:, 0] + 0.5 * X[:, 1] + draws.logistic(size=rows)
    labels = np.array(["no", "yes"] if classes == 2 else ["no", "perhaps", "yes"])
    return X, labels[np.digitize(score, [0.0] if classes == 2 else [-1.0, 1.0])]


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("base", [GaussianNB(), LogisticRegression(C=0.01)], ids=str)
def test_probabilities_are_those_of_scikit_learn(method, ensemble, classes, base):
    X, y = problem(classes)
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    options = {"method": method, "ensemble": ensemble, "cv": 3}
    mine = CalibratedClassifierCV(base, **options).fit(X, y, weight)
    peer = theirs.CalibratedClassifierCV(base, **options).fit(X, y, sample_weight=weight)
    assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=2e-4)  # theirs stops early
    assert len(mine.calibrated_classifiers_) == len(peer.calibrated_classifiers_)
    assert_allclose(mine.calibrated_classifiers_[0].predict_proba(X).sum(axis=1), 1)


def test_an_uninformative_classifier_predicts_the_class_frequency():
    X, y = problem()
    found = CalibratedClassifierCV(DummyClassifier(strategy="prior"), method="isotonic", cv=3).fit(X, y)
    assert_allclose(found.predict_proba(X[:1])[0, 1], np.mean(y == "yes"), atol=0.01)


def test_calibration_mends_what_naive_bayes_overstates():
    X, y = problem(rows=2000)
    doubled = np.hstack([X] * 6)  # columns that naive Bayes takes for independent
    train, test = np.arange(1000), np.arange(1000, 2000)
    plain = GaussianNB().fit(doubled[train], y[train]).predict_proba(doubled[test])[:, 1]
    for method in ("sigmoid", "isotonic", "temperature"):
        model = CalibratedClassifierCV(GaussianNB(), method=method).fit(doubled[train], y[train])
        said = model.predict_proba(doubled[test])[:, 1]
        assert brier_score_loss(y[test] == "yes", said) < brier_score_loss(y[test] == "yes", plain) - 0.005
        assert log_loss(y[test] == "yes", said) < log_loss(y[test] == "yes", plain) - 0.1


def test_folds_without_a_class_give_it_zero_probability():
    X, y = problem(3)
    folds = [(np.flatnonzero(y != "yes"), np.flatnonzero(y == "yes")[:40]), (np.arange(150, 300), np.arange(150))]
    model = CalibratedClassifierCV(GaussianNB(), cv=folds).fit(X, y)
    assert_array_equal(model.calibrated_classifiers_[0].predict_proba(X)[:, 2], 0)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_weights_that_the_classifier_cannot_use_are_reported():
    X, y = problem()
    with pytest.warns(UserWarning, match="does not accept sample_weight"):
        CalibratedClassifierCV(KNeighborsClassifier(), cv=3).fit(X, y, np.ones(len(X)))
    with pytest.raises(DataError, match="200 folds need 200 rows"):
        CalibratedClassifierCV(GaussianNB(), cv=200).fit(X, y)
    with pytest.raises(DataError, match="a fold of one row"):
        CalibratedClassifierCV(GaussianNB(), cv=learnable.LeaveOneOut()).fit(X, y)
    with pytest.raises(DataError, match="every row exactly once"):
        CalibratedClassifierCV(GaussianNB(), ensemble=False, cv=[(np.arange(200), np.arange(200, 300))]).fit(X, y)


def test_margins_become_probabilities():
    X, y = problem()
    mine = CalibratedClassifierCV(LinearSVC(random_state=0), cv=3).fit(X, y)
    peer = theirs.CalibratedClassifierCV(LinearSVC(random_state=0), cv=3).fit(X, y)
    assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=2e-4)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("bins", [1, 3, 10])
def test_the_curve_is_that_of_scikit_learn(strategy, bins):
    draws = np.random.default_rng(2)
    said = draws.random(200)
    happened = draws.random(200) < said**2
    mine = calibration_curve(happened, said, n_bins=bins, strategy=strategy)
    for ours, peer in zip(mine, theirs.calibration_curve(happened, said, n_bins=bins, strategy=strategy), strict=True):
        assert_allclose(ours, peer)


def test_the_curve_counts_weights_as_copies():
    draws = np.random.default_rng(3)
    said, copies = draws.random(50), draws.integers(0, 4, 50)
    happened = draws.random(50) < said
    weighted = calibration_curve(happened, said, sample_weight=copies.astype(float))
    assert_allclose(weighted, calibration_curve(np.repeat(happened, copies), np.repeat(said, copies)))


def test_what_is_not_a_probability_is_refused():
    with pytest.raises(DataError, match=r"outside \[0, 1\]"):
        calibration_curve([0, 1], [0.5, 1.5])
    with pytest.raises(ParameterError, match="strategy"):
        calibration_curve([0, 1], [0.5, 0.6], strategy="odd")
    with pytest.raises(ParameterError, match="n_bins"):
        calibration_curve([0, 1], [0.5, 0.6], n_bins=0)


@pytest.mark.parametrize("ensemble", [True, False])
def test_given_similarities_are_calibrated_as_the_rows_themselves(ensemble, tmp_path):
    X, y = problem(3, rows=90)
    by_rows, given = (
        CalibratedClassifierCV(learnable.SVC(kernel=kernel), cv=3, ensemble=ensemble)
        for kernel in ("linear", "precomputed")
    )
    K = X @ X.T
    requested = by_rows.fit(X, y).predict_proba(X)
    assert_allclose(given.fit(K, y).predict_proba(K), requested, atol=1e-6)
    assert given.n_features_in_ == len(X)
    learnable.save(given, tmp_path / "model")
    assert_array_equal(learnable.load(tmp_path / "model").predict_proba(K), given.predict_proba(K))
    scores = learnable.cross_val_score(by_rows, X, y, cv=3)
    assert_allclose(learnable.cross_val_score(given, K, y, cv=3), scores)


def test_a_frozen_classifier_is_not_said_to_be_fitted_without_weights(recwarn):
    X, y = problem()
    frozen = learnable.FrozenEstimator(learnable.GaussianNB().fit(X, y))
    CalibratedClassifierCV(frozen, cv=3).fit(X, y, sample_weight=np.ones(len(y)))
    assert not recwarn.list


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame, np.ndarray.tolist])
def test_kernel_matrices_in_tables_and_lists(kind):
    X, y = problem(3, rows=60)
    K = X @ X.T
    model = CalibratedClassifierCV(learnable.SVC(kernel="precomputed"), cv=3)
    requested = model.fit(K, y).predict_proba(K)
    table = kind(K)
    assert_array_equal(model.fit(table, y).predict_proba(table), requested)
    scores = [learnable.cross_val_score(learnable.SVC(kernel="precomputed"), given, y, cv=3) for given in (K, table)]
    assert_array_equal(*scores)


@pytest.mark.parametrize("classes", [3, 4])  # three of which have as many pairs as classes
def test_decisions_of_pairs_are_refused(classes):
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(20 * classes, 2)), np.repeat(range(classes), 20)
    pairs = classes * (classes - 1) // 2
    machine = learnable.SVC(decision_function_shape="ovo")
    for model in (machine, learnable.make_pipeline(learnable.StandardScaler(), machine)):
        with pytest.raises(ParameterError, match=f"{pairs} decisions for {classes} classes"):
            CalibratedClassifierCV(model, cv=2).fit(X, y)
        with pytest.raises(ParameterError, match="a score for each class"):
            learnable.metrics.get_scorer("top_k_accuracy")(model.fit(X, y), X, y)
