"""Intervals of mean scores that are no narrower than what is known, and words where little is."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import learnable
from learnable import (
    BudgetError,
    GridSearchCV,
    KFold,
    ParameterError,
    Ridge,
    RidgeClassifier,
    compare,
    cross_val_score,
    cross_validate,
    learning_curve,
    nested_cross_validate,
    rotating_cross_validate,
    validation_curve,
)
from learnable.metrics._score_range import Scale
from learnable.model_selection._cv_estimate import Basis, Estimate
from learnable.parts.confidence_intervals import corrected_resampled, wilson

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(120, 3)), np.repeat([0, 1], [102, 18])
NUMBERS = X @ [1.0, 2.0, 3.0] + 0.1 * RNG.normal(size=120)
GRID = {"alpha": [1.0, 10.0]}


@pytest.mark.parametrize("scoring", [None, "accuracy", "f1_micro"])
def test_stratified_folds_do_not_make_an_accuracy_sure(scoring):
    found = cross_val_score(DummyClassifier(), X, Y, scoring=scoring, cv=6).summary(0.9, "corrected")
    assert found.deviation == 0 and (found.low, found.high) == wilson(102, 120, 0.9)
    assert found.method == "wilson" and "Wilson's" in str(found)


def test_searches_and_curves_are_as_honest():
    search = GridSearchCV(RidgeClassifier(), GRID, cv=6).fit(X, Y)
    options = {"param_name": "alpha", "param_range": [1.0, 10.0], "cv": 6}
    summaries = [
        search.summary()["score"],
        nested_cross_validate(search, X, Y, cv=6).summary()["score"],
        rotating_cross_validate(RidgeClassifier(), GRID, X, Y, cv=6).summary()["score"],
        validation_curve(RidgeClassifier(), X, Y, **options).summary()[1.0],
        learning_curve(RidgeClassifier(), X, Y, train_sizes=[1.0], cv=6).summary()[100],
    ]
    for found in summaries:
        low, high = wilson(found.mean * 120, 120)
        assert found.high - found.low >= high - low


def test_a_wider_corrected_interval_stays():
    noisy = np.r_[Y[::2], Y[1::2]]
    scores = cross_val_score(RidgeClassifier(), X, noisy, cv=KFold(4))
    found = scores.summary(method="corrected")
    low, high = corrected_resampled(scores, 0.25)
    assert found.method == "corrected" and (found.low, found.high) == (low, min(high, 1.0))


@pytest.mark.parametrize("method", ["wald", "wilson"])
def test_intervals_of_proportions_are_refused_for_other_scores(method):
    with pytest.raises(ParameterError, match="proportions of rows, such as accuracy; this one is not"):
        cross_val_score(RidgeClassifier(), X, Y, scoring="roc_auc").summary(method=method)
    with pytest.raises(ParameterError, match="proportions of rows"):
        cross_val_score(Ridge(), X, NUMBERS).summary(method=method)


def test_a_user_function_may_be_declared_a_proportion():
    scores = cross_val_score(RidgeClassifier(), X, Y, scoring=lambda model, X, y: np.mean(model.predict(X) == y))
    found = scores.summary(method="wilson")
    assert (found.low, found.high) == wilson(found.mean * 120, 120)


@pytest.mark.parametrize("method", ["corrected", "student", "bootstrap"])
def test_no_interval_leaves_the_scale(method):
    scores = np.array([0.7, 1.0, 0.95, 1.0])
    assert corrected_resampled(scores, 0.25)[1] > 1
    found = Estimate.of(scores, Basis(0.25, 100.0, Scale(0.0, 1.0, False)), method=method)
    assert 0 <= found.low < found.high <= 1 and found.method == method


def test_folds_that_all_score_the_same_are_uninformative():
    found = cross_validate(DummyClassifier(), X, Y, scoring=["balanced_accuracy", "f1"]).summary()
    assert (found["balanced_accuracy"].low, found["balanced_accuracy"].high) == (0.0, 1.0)
    assert "balanced_accuracy, f1: all folds have the same score" in str(found) and "same score" in found._repr_html_()


def test_what_stratified_folds_hide_is_said_where_no_better_interval_is_known():
    result = cross_validate(RidgeClassifier(), X, X[:, 0] > 0, scoring=["f1", "roc_auc", "accuracy"])
    found = result.summary(method="corrected")
    assert "do not show how these shares vary" in found["f1"].caveat
    assert found["roc_auc"].caveat == found["accuracy"].caveat == ""


def test_rows_of_unequal_weight_count_for_fewer():
    weights = np.where(np.arange(120) < 60, 1.0, 3.0)
    found = cross_validate(DummyClassifier(), X, Y, params={"sample_weight": weights})
    assert found.basis["score"].rows == pytest.approx(240**2 / 600)


class Slow(Ridge):
    """Its third fit finds that time is up."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Slow.fits += 1
        if Slow.fits > 2:
            raise BudgetError("no time is left")
        return super().fit(X, y, sample_weight)


@pytest.fixture
def slow():
    Slow.fits = 0
    return Slow()


def test_a_budget_keeps_the_folds_that_are_done(slow):
    with pytest.warns(UserWarning, match="cross_validate: the budget ended after 2 of 5 fits"):
        found = cross_validate(slow, X, NUMBERS, error_score=-1.0)
    np.testing.assert_array_equal(found["test_score"][:2], cross_val_score(Ridge(), X, NUMBERS)[:2])
    assert np.isnan(found["test_score"][2:]).all() and found.left_out == 3
    estimate = found.summary()["score"]
    assert estimate.folds == 2 and estimate.caveat == "3 of 5 folds have no score"


def test_a_curve_keeps_the_values_that_are_done(slow):
    with pytest.warns(UserWarning, match="learning_curve: the budget ended after 2 of 4 fits"):
        _, _, test = learning_curve(slow, X, NUMBERS, train_sizes=[0.5, 1.0], cv=2)
    assert np.isfinite(test[0]).all() and np.isnan(test[1]).all()


def test_what_needs_all_fits_says_how_far_a_budget_went(slow):
    with pytest.raises(BudgetError, match="rotating_cross_validate: the budget ended after 2 of 3 fits"):
        rotating_cross_validate(slow, {"alpha": [1.0, 2.0, 3.0]}, X, NUMBERS, cv=3)
    Slow.fits = 0
    with pytest.raises(BudgetError, match=r"compare: the budget ended before slow .* \(2 were scored\)"):
        compare({"slow": slow}, X, NUMBERS, cv=5)
    with (
        learnable.budget(seconds=1e-9),
        pytest.raises(BudgetError, match="cross_validate: the budget ended before the first of 5 fits"),
    ):
        cross_validate(Ridge(), X, NUMBERS)


@pytest.mark.parametrize("function", [cross_validate, cross_val_score, learning_curve, nested_cross_validate])
def test_a_class_is_not_an_estimator(function):
    with pytest.raises(ParameterError, match=r"got <class .*Ridge.>, a class; Ridge\(\) makes one of it"):
        function(Ridge, X, NUMBERS)


def test_an_estimator_without_candidates_is_not_a_search():
    with pytest.raises(ParameterError, match="Ridge does not tune hyperparameters"):
        nested_cross_validate(Ridge(), X, NUMBERS, cv=2)
    with pytest.raises(ParameterError, match="not a class"):
        GridSearchCV(Ridge, GRID).fit(X, NUMBERS)


def test_rows_in_both_training_and_test_folds_are_reported():
    rows = np.arange(120)
    with pytest.warns(UserWarning, match="cross_validate: 120 of the 120 test rows of fold 0 are training rows too"):
        cross_val_score(Ridge(), X, NUMBERS, cv=[(rows, rows)])


def test_permutations_are_counted():
    with pytest.raises(ParameterError, match="n_permutations must be at least 1"):
        learnable.permutation_test_score(Ridge(), X, NUMBERS, n_permutations=0)
