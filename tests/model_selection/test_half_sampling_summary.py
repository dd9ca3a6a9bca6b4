"""`summary()` and `summary(method="halves")`: intervals of scores estimated from halves of their table."""

import pickle

import numpy as np
import pytest

from learnable import (
    DummyClassifier,
    GridSearchCV,
    GroupKFold,
    KFold,
    ParameterError,
    Ridge,
    RidgeClassifier,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    nested_cross_validate,
)
from learnable.core.runtime.random import generator
from learnable.model_selection._row_half_sampling import folds_of_row_halves, interval_by_row_halves

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
CODES, NUMBERS = (X[:, 0] + RNG.normal(size=120) > 0).astype(int), X[:, 0] + RNG.normal(size=120)


@pytest.mark.parametrize("cv", [None, 5, 10, KFold(10, shuffle=True, random_state=0), StratifiedKFold(5)])
def test_proportions_of_rows_get_the_interval_of_compare(cv):
    result = cross_validate(RidgeClassifier(), X, CODES, cv=cv, scoring="accuracy")
    found = result.summary(0.9, method="halves")["score"]
    parts = folds_of_row_halves("test", 120, len(result["test_score"]), CODES, generator(0, 1))
    halves = cross_val_score(RidgeClassifier(), X, CODES, cv=parts, scoring="accuracy")
    scale = result.basis["score"].scale
    assert (found.low, found.high) == interval_by_row_halves(result["test_score"], np.asarray(halves), 120, scale, 0.9)
    assert found.method == "halves" and "by halves of the table" in str(found)
    assert found == result.summary(0.9, method="halves")["score"], "the same rows are drawn each time"


def test_other_scores_need_more_folds_and_say_so():
    few = cross_validate(Ridge(), X, NUMBERS, cv=4, scoring=["r2", "neg_mean_squared_error"])
    found = few.summary(method="halves")
    assert found["r2"].method == "corrected" and "only with 5 folds" in str(found)
    assert (found["r2"].low, found["r2"].high) == (few.summary()["r2"].low, few.summary()["r2"].high)
    many = cross_validate(Ridge(), X, NUMBERS, cv=5, scoring="r2").summary(method="halves")
    assert many["score"].method == "halves" and many["score"].low < many["score"].mean < many["score"].high


def test_halves_show_what_stratified_folds_hide():
    result = cross_validate(RidgeClassifier(), X, CODES, cv=10, scoring="f1")
    assert "do not show" in result.summary(method="corrected")["score"].caveat
    assert result.summary(method="halves")["score"].caveat == ""


def test_halves_that_are_too_small_leave_the_interval_of_the_folds():
    few = cross_validate(RidgeClassifier(), X[:9], [0, 1, 0, 1, 0, 1, 0, 1, 0], cv=3, scoring="accuracy")
    found = few.summary(method="halves")["score"]
    assert found.method != "halves" and "could not be scored" in found.caveat


@pytest.mark.parametrize("options", [{"cv": GroupKFold(4)}, {"cv": [(np.arange(60), np.arange(60, 120))]}, {"cv": 4}])
def test_rows_that_may_belong_together_are_not_drawn_one_by_one(options):
    groups = np.repeat(np.arange(40), 3)
    given = {} if isinstance(options["cv"], list) else {"groups": groups}
    with pytest.raises(ParameterError, match='method="halves" draws rows one by one'):
        cross_validate(Ridge(), X, NUMBERS, **options, **given).summary(method="halves")
    with pytest.raises(ParameterError, match='method="halves" draws rows one by one'):
        cross_val_score(Ridge(), X, NUMBERS)[:3].summary(method="halves")


def test_the_table_says_that_the_usual_interval_is_wide_and_how_to_get_another():
    result = cross_validate(Ridge(), X[:90], NUMBERS[:90])
    words = 'score: the interval is rather too wide than too narrow; summary(method="halves") measures'
    assert words in str(result.summary()) and "too wide" in result.summary()._repr_html_()
    assert "too wide" not in str(result.summary(method="halves")) + str(result.summary(method="student"))
    grouped = cross_validate(Ridge(), X, NUMBERS, groups=np.repeat(np.arange(40), 3), cv=GroupKFold(4))
    nested = nested_cross_validate(GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}), X, NUMBERS, cv=4)
    for words in map(str, (grouped.summary(), nested.summary())):
        assert "too wide" in words and "halves" not in words


def test_a_result_travels_without_its_table():
    result = cross_validate(Ridge(), X, NUMBERS)
    scores = cross_val_score(Ridge(), X, NUMBERS)
    assert pickle.loads(pickle.dumps(result)).halves is None and pickle.loads(pickle.dumps(scores)).halves is None
    known = result.summary(0.9), scores.summary(0.9)
    packed = pickle.dumps((result, scores))
    assert len(packed) < 3 * X.nbytes, "scores of halves, no rows"
    again = [one.summary(0.9) for one in pickle.loads(packed)]
    assert str(again) == str(list(known)) and again[0]["score"].method == "halves"


class Counted(Ridge):
    """Counts how often it is fitted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


def test_halves_are_the_usual_way_where_they_pay():
    Counted.fits = 0
    result = cross_validate(Counted(), X, NUMBERS, scoring=["r2", "neg_max_error"])
    assert Counted.fits == 5
    found = result.summary()
    assert [estimate.method for estimate in found.values()] == ["halves", "halves"] and Counted.fits == 5 + 24 * 5
    assert result.summary(0.8, "halves")["r2"].low > found["r2"].low and Counted.fits == 125, "halves are scored once"
    assert result.summary(method="corrected")["r2"].method == "corrected"


def test_an_array_of_scores_and_a_table_of_them_say_the_same():
    table = cross_validate(RidgeClassifier(), X, CODES).summary()["score"]
    assert cross_val_score(RidgeClassifier(), X, CODES).summary() == table and table.method == "halves"


@pytest.mark.parametrize(
    ("rows", "options"),
    [(99, {}), (120, {"cv": 4}), (120, {"cv": GroupKFold(5), "groups": np.arange(120) // 2})],
    ids=["few rows", "few folds of no share", "groups"],
)
def test_other_tables_get_the_corrected_interval(rows, options):
    found = cross_validate(Ridge(), X[:rows], NUMBERS[:rows], **options).summary()["score"]
    assert found.method == "corrected" and found.caveat == ""


def test_large_tables_get_it_too():
    wide = np.tile(X[:, :1], (42, 1))
    assert cross_val_score(Ridge(), wide, np.tile(NUMBERS, 42)).summary().method == "corrected"


def test_intervals_by_halves_cover():
    """The share of the larger class, whose expectation is known, in 40 tables; the slow tests have more."""
    held = 0
    for run in range(40):
        y = np.random.default_rng([run, 5]).random(100) < 0.3
        found = cross_validate(DummyClassifier(), np.zeros((100, 1)), y, scoring="accuracy").summary(method="halves")
        held += found["score"].low <= 0.7 <= found["score"].high
    assert held >= 36
