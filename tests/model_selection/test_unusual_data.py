"""Tables of other libraries, without rows, and with missing values where they are not allowed."""

import warnings

import numpy as np
import pyarrow
import pytest

import learnable
from learnable import (
    RFECV,
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    KNeighborsClassifier,
    Ridge,
    SequentialFeatureSelector,
    cross_validate,
    log_loss,
    mcnemar_test,
    train_test_split,
    train_validate_test,
)

X = np.random.default_rng(0).normal(size=(20, 2))
TABLE = pyarrow.table({"a": X[:, 0], "b": X[:, 1]})


@pytest.mark.parametrize("y", [pyarrow.array(X[:, 0]), pyarrow.chunked_array([X[:7, 0], X[7:, 0]])])
def test_columns_of_arrow_are_cut_by_rows(y):
    found = cross_validate(Ridge(), TABLE, y, error_score="raise")["test_score"]
    np.testing.assert_allclose(found, cross_validate(Ridge(), X, X[:, 0])["test_score"])
    assert len(train_test_split(y, test_size=5)[1]) == 5


@pytest.mark.parametrize("splitter", ["StratifiedKFold", "StratifiedGroupKFold", "RepeatedStratifiedKFold"])
def test_an_empty_table_cannot_be_split(splitter):
    groups = [[]] if "Group" in splitter else []
    with pytest.raises(learnable.DataError, match="needs rows"):
        list(getattr(learnable, splitter)().split(np.empty((0, 2)), [], *groups))


def test_no_rows_have_no_score():
    with pytest.raises(learnable.DataError, match="y_proba has no rows"):
        log_loss([], [])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_missing_predictions_cannot_be_compared(place):
    predictions = [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    predictions[place] = [0.0, np.nan, 1.0]
    with pytest.raises(learnable.DataError, match=r"mcnemar_test: (y|first|second) is missing in row 1"):
        mcnemar_test(*predictions)


@pytest.mark.parametrize("cv", [4, None, [(np.arange(10), np.arange(10, 20))]], ids=["number", "default", "pairs"])
def test_groups_on_both_sides_of_a_fold_are_named(cv):
    groups = np.array([f"patient {k % 3}" for k in range(20)])
    messages = r"group 'patient 0' has training rows and test rows in fold 0, and so have 2 other groups.*GroupKFold"
    with pytest.warns(UserWarning, match=f"cross_validate: {messages}"):
        cross_validate(Ridge(), X, X[:, 0], groups=groups, cv=cv)
    with pytest.warns(UserWarning, match=f"GridSearchCV: {messages}"):
        GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=cv).fit(X, X[:, 0], groups=groups)
    with pytest.warns(UserWarning, match=f"RFECV: {messages}"):
        RFECV(Ridge(), cv=cv).fit(X, X[:, 0], groups=groups)
    with pytest.warns(UserWarning, match=f"SequentialFeatureSelector: {messages}"):
        SequentialFeatureSelector(Ridge(), cv=5 if cv is None else cv).fit(X, X[:, 0], groups=groups)
    cross_validate(Ridge(), X, X[:, 0], groups=groups, cv=GroupKFold(3))  # a warning would be an error here


INNER = GroupKFold(2)


@pytest.mark.parametrize(
    "chooser",
    [
        GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=INNER),
        HalvingGridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=INNER, min_resources=10),
        RFECV(Ridge(), cv=INNER),
        SequentialFeatureSelector(Ridge(), cv=INNER),
    ],
    ids=lambda chooser: type(chooser).__name__,
)
def test_inner_splitters_receive_the_groups_of_the_training_rows(chooser):
    groups = np.arange(20) % 5
    scoring = None if hasattr(chooser, "score") else lambda model, X, y: model.get_support().sum()
    cross_validate(chooser, X, X[:, 0], groups=groups, cv=GroupKFold(5), scoring=scoring, error_score="raise")
    with pytest.warns(UserWarning, match=f"{type(chooser).__name__}: group .* has training rows and test rows"):
        cross_validate(chooser.set_params(cv=2), X, X[:, 0], groups=groups, cv=GroupKFold(5), scoring=scoring)


def test_candidates_without_any_score_are_taken_in_their_order():
    assert learnable.one_standard_error_rule([[np.nan, 1.0], [np.nan, 2.0]], [1, 2]) == 0


def test_sizes_that_leave_no_training_rows_are_named_as_they_were_given():
    with pytest.raises(learnable.DataError, match=r"validation_size=0\.8 and test_size=0\.3 leave none of 20 rows"):
        train_validate_test(Ridge(), {"alpha": [1.0]}, X, X[:, 0], validation_size=0.8, test_size=0.3)


@pytest.mark.parametrize("instead", [np.nan, -9.0])
def test_scores_that_fail_are_reported_by_shortcuts_too(instead):
    """The squared logarithmic error is undefined for negative numbers, and so is the log loss for a class not seen."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    ridges = GridSearchCV(Ridge(), {"alpha": [3.0, 9.0]}, scoring="neg_mean_squared_log_error", error_score=instead)
    classes = np.r_[2, 2, (y > 0)[2:]]
    options = {"cv": KFold(5), "scoring": "neg_log_loss", "error_score": instead}
    neighbours = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 9]}, **options)
    for search, target, fold in ((ridges, y, "mean"), (neighbours, classes, "split0")):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            found = search.fit(X, target).cv_results_[f"{fold}_test_score"]
        np.testing.assert_array_equal(found, [instead] * 2)
        assert any("The scorer failed on a fold" in str(one.message) for one in seen)
    with pytest.raises(ValueError, match="every target must be above -1"):
        ridges.set_params(error_score="raise").fit(X, y)
