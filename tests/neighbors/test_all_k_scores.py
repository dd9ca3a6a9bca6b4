"""The scores of every number of neighbours are those of the estimator that was given."""

import numpy as np
import pandas as pd
import pytest

import learnable as ours
from learnable.metrics import pairwise_distances, r2_score

RNG = np.random.default_rng(3)
X = RNG.normal(size=(48, 3))
LABELS = (X[:, 0] + 0.4 * RNG.normal(size=48) > 0).astype(int)
NUMBERS = X[:, 0] + RNG.exponential(size=48)
MIXED = pd.DataFrame({"size": X[:, 0], "colour": RNG.choice(["red", "blue", "green"], 48)})


def score_left_out(model, rows, y):
    """The leave-one-out score by one fit for each row."""
    predicted = []
    for i in range(len(y)):
        keep = np.delete(np.arange(len(y)), i)
        predicted.append(model.clone().fit(rows.iloc[keep], y[keep]).predict(rows.iloc[[i]])[0])
    return np.mean(np.array(predicted) == y) if isinstance(model, ours.KNeighborsClassifier) else r2_score(y, predicted)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize(
    "model, y",
    [
        (ours.KNeighborsRegressor(average="median"), NUMBERS),
        (ours.KNeighborsRegressor(), NUMBERS),
        (ours.KNeighborsClassifier(feature_weights=[1, 0, 0]), LABELS),
        (ours.KNeighborsRegressor(feature_weights=[1, 0, 2]), NUMBERS),
    ],
)
def test_they_are_those_of_fits_without_the_row(model, y, weights):
    model = model.clone().set_params(weights=weights)
    found = ours.score_every_k(X, y, estimator=model, most=6).scores
    expected = [score_left_out(model.set_params(n_neighbors=k), pd.DataFrame(X), y) for k in range(1, 7)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_rows_of_categories_and_numbers_are_compared_by_gower():
    model = ours.KNeighborsClassifier(metric="gower")
    found = ours.score_every_k(MIXED, LABELS, estimator=model, most=4, cv=4).scores
    expected = [
        ours.cross_val_score(ours.KNeighborsClassifier(k, metric="gower"), MIXED, LABELS, cv=4).mean()
        for k in range(1, 5)
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("cv", [None, 5])
def test_given_distances_are_as_good_as_rows(cv):
    given = ours.KNeighborsClassifier(metric="precomputed")
    found = ours.score_every_k(pairwise_distances(X), LABELS, estimator=given, most=5, cv=cv)
    np.testing.assert_array_equal(found.fold_scores, ours.score_every_k(X, LABELS, most=5, cv=cv).fold_scores)


def test_a_constant_target_is_met():
    assert ours.score_every_k(X, np.full(48, 1.5), most=3).scores.tolist() == [1, 1, 1]


def test_several_numeric_targets_score_as_the_estimator_does():
    Y = np.column_stack([NUMBERS, 100 * X[:, 1] + RNG.normal(size=48)])
    found = ours.score_every_k(X, Y, most=3, cv=3).scores
    expected = [ours.cross_val_score(ours.KNeighborsRegressor(k), X, Y, cv=3).mean() for k in (1, 2, 3)]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    "rows, y, model, message",
    [
        (X, np.column_stack([LABELS, LABELS]), None, "y should be a 1d array of 48 entries"),
        (X, np.where(LABELS, np.nan, 0.5), None, "y contains NaN in row"),
        (X, None, None, "requires y to be passed"),
        (np.abs(X), LABELS, ours.KNeighborsClassifier(metric="precomputed"), "distances of all rows to all"),
        (X, LABELS, ours.KNeighborsClassifier(feature_weights="learn"), "depends on n_neighbors"),
        (X, LABELS, ours.KNeighborsClassifier(feature_weights=[1, 2]), "feature_weights must be 3 numbers"),
    ],
)
def test_what_cannot_be_scored_is_refused(rows, y, model, message):
    with pytest.raises(ValueError, match=message):
        ours.score_every_k(rows, y, estimator=model, most=3)


def test_a_sparse_table_of_distances_must_hold_enough():
    from scipy import sparse

    near = sparse.csr_array(np.where(pairwise_distances(X) < 0.5, pairwise_distances(X), 0))
    with pytest.raises(ValueError, match="has fewer"):
        ours.score_every_k(near, LABELS, estimator=ours.KNeighborsClassifier(metric="precomputed"), most=9)


def test_a_search_compares_medians_in_one_pass_too():
    model = ours.KNeighborsRegressor(average="median", weights="distance")
    search = ours.GridSearchCV(model, {"n_neighbors": [1, 3, 4]}, cv=4).fit(X, NUMBERS)
    expected = [
        ours.cross_val_score(model.clone().set_params(n_neighbors=k), X, NUMBERS, cv=4).mean() for k in (1, 3, 4)
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
