"""The comparison of models: what it declares, how it groups ties, how it shows itself."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from learnable.core import DataError, ParameterError
from learnable.inference import compare, corrected_resampled_t_test, holm
from learnable.inference.compare_models import compared, rows_of_splits
from learnable.linear_model import Lasso, LinearRegression, PoissonRegressor, Ridge
from learnable.model_selection import KFold, cross_val_score
from learnable.parts.confidence_intervals import corrected_resampled, wilson


def numbers(seed=0, n=100):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, X @ [2.0, 1.0, 0.0, 0.0, 0.0] + rng.normal(size=n)


def classes(seed=0, n=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 4)) + y[:, None], np.array(["no", "yes"])[y]


MODELS = {"least squares": LinearRegression(), "ridge": Ridge(0.1), "shrunk": Ridge(300.0), "flat": Ridge(1e9)}


def test_models_are_compared_with_the_baseline_and_ties_are_grouped():
    X, y = numbers()
    found = compare(MODELS, X, y, baseline="flat")
    assert set(found.better) == {"least squares", "ridge", "shrunk"} and set(found.best) == {"least squares", "ridge"}
    group = {row.name: row.group for row in found.rows}
    assert group["least squares"] == group["ridge"] == 1 < group["shrunk"] < group["flat"]
    assert [row.score for row in found.rows] == sorted((row.score for row in found.rows), reverse=True)


def test_numbers_of_the_table_are_those_of_the_tests():
    X, y = numbers(1)
    found = compare(MODELS, X, y, baseline="flat", cv=5)
    rows = {row.name: row for row in found.rows}
    assert found.test_share == pytest.approx(0.2) and len(found.scores["ridge"]) == 5
    np.testing.assert_allclose((rows["ridge"].low, rows["ridge"].high), corrected_resampled(found.scores["ridge"], 0.2))
    names = [name for name in MODELS if name != "flat"]
    alone = [corrected_resampled_t_test(found.scores[name], found.scores["flat"], 0.2).p_value for name in names]
    assert [rows[name].p_baseline for name in names] == pytest.approx(holm(alone).adjusted.tolist())
    assert np.isnan(rows["flat"].p_baseline) and np.isnan(found.rows[0].p_best)


def test_classifiers_of_scikit_learn_with_their_own_splitter():
    X, y = classes()
    models = [LogisticRegression(), KNeighborsClassifier(3), KNeighborsClassifier(9)]
    found = compare(
        models, X, y, baseline=DummyClassifier(), scoring="accuracy",
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    )  # fmt: skip
    assert list(found.scores) == [
        "LogisticRegression", "KNeighborsClassifier 1", "KNeighborsClassifier 2", "DummyClassifier",
    ]  # fmt: skip
    assert found.baseline == "DummyClassifier" and "LogisticRegression" in found.better


def test_without_a_baseline_it_is_one_that_ignores_the_columns():
    X, y = numbers()
    found = compare([LinearRegression()], X, y)
    assert found.baseline == "DummyRegressor" and found.better == ["LinearRegression"]
    X, y = classes()
    found = compare([LogisticRegression()], X, y)
    assert found.baseline == "DummyClassifier" and found.better == ["LogisticRegression"]


def test_a_seed_gives_the_same_numbers_and_repeats_narrow_intervals():
    X, y = numbers(2, 60)
    once, again = (compare(MODELS, X, y, baseline="flat", random_state=1) for _ in "ab")
    assert once.rows[0] == again.rows[0]
    other = compare(MODELS, X, y, baseline="flat", random_state=2)
    assert not np.array_equal(other.scores["ridge"], once.scores["ridge"])
    many = compare(MODELS, X, y, baseline="flat", repeats=4)
    assert len(many.scores["ridge"]) == 40
    assert many.rows[0].high - many.rows[0].low < once.rows[0].high - once.rows[0].low


@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression()])
def test_groups_stay_together_and_classes_keep_their_frequencies(model):
    X, y = classes(3) if isinstance(model, LogisticRegression) else numbers(3, 120)
    groups = np.repeat(np.arange(30), 4)
    for train, test in rows_of_splits(model, X, y, 5, 1, groups, 0):
        assert not set(groups[train]) & set(groups[test])
    if isinstance(model, LogisticRegression):
        shares = [np.mean(y[test] == "yes") for _, test in rows_of_splits(model, X, y, 5, 1, None, 0)]
        assert np.ptp(shares) < 0.1


def test_folds_of_groups_are_redrawn_for_every_repeat():
    X, y = numbers()
    groups = np.arange(len(y)) // 5
    once, twice = (rows_of_splits(Ridge(), X, y, 4, count, groups, 0) for count in (1, 2))
    assert len(twice) == 8
    for one, same in zip(once, twice[:4], strict=True):
        np.testing.assert_array_equal(one[1], same[1])
    assert not any(np.array_equal(one[1], other[1]) for one, other in zip(once, twice[4:], strict=True))


def test_equal_models_are_no_difference_and_one_group():
    X, y = numbers(4)
    found = compare({"a": Ridge(1.0), "b": Ridge(1.0)}, X, y, baseline="a")
    assert found.better == [] and found.best == ["a", "b"] and found.rows[1].p_best == 1
    assert found.sentence == "No model was observed to be better than the baseline, a."


def test_text_html_and_frames():
    X, y = numbers()
    found = compare({**MODELS, "a<b": Lasso(0.1)}, X, y, baseline="flat")
    text, page = str(found), found._repr_html_()
    assert (
        text.splitlines()[0]
        == "r2 on 10 test sets; intervals by halves, corrected resampled t tests, Holm's correction"
    )
    assert "Better than the baseline, flat: " in text and "does not prove equality" in text
    assert "a&lt;b" in page and "a<b" not in page and page.count("<tr>") == 6
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame) and list(frame["name"]) == [row.name for row in found.rows]
    assert isinstance(found.to_frame("polars"), pl.DataFrame)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "benjamini-hochberg", "none"])
def test_corrections_only_raise_p_values(correction):
    X, y = numbers(5)
    found = compare(MODELS, X, y, baseline="flat", correction=correction)
    plain = compare(MODELS, X, y, baseline="flat", correction="none")
    assert all(row.p_best >= one.p_best - 1e-15 for row, one in zip(found.rows[1:], plain.rows[1:], strict=True))


def test_what_cannot_be_used_is_named():
    X, y = numbers()
    with pytest.raises(ParameterError, match="baseline must be one of a, an estimator or None; got 'b'"):
        compare({"a": Ridge()}, X, y, baseline="b")
    with pytest.raises(ParameterError, match="at least one model"):
        compare({}, X, y)
    with pytest.raises(ParameterError, match="models must be estimators; 'a' is 3"):
        compare({"a": 3}, X, y)
    with pytest.raises(ParameterError, match='correction must be "holm", "bonferroni"'):
        compare({"a": Ridge()}, X, y, baseline=Ridge(), correction="tukey")
    with pytest.raises(ParameterError, match=r'interval must be "auto", "halves" or "corrected"; got .wide.'):
        compare({"a": Ridge()}, X, y, baseline=Ridge(), interval="wide")
    with pytest.raises(ParameterError, match=r"'Ridge' is <class .*>; make one of the class, Ridge\(\)"):
        compare([Ridge], X, y)
    with pytest.raises(ParameterError, match=r"compare: alpha must be above 0 and below 1; got 1\.5"):
        compare({"a": Ridge()}, X, y, alpha=1.5)
    with pytest.raises(ParameterError, match="give one that repeats, such as RepeatedKFold"):
        compare({"a": Ridge()}, X, y, cv=KFold(5), repeats=3)
    with pytest.raises(ParameterError, match="needs at least 8 folds that test every row once"):
        compare({"a": Ridge()}, X, y, baseline=Ridge(), interval="halves", cv=5)
    with pytest.raises(ParameterError, match="a model besides the baseline"):
        compare({"a": Ridge()}, X, y, baseline="a")
    with pytest.raises(DataError):
        compare({"a": Ridge()}, X, y[:-1], baseline=Ridge())
    for gap in (np.where(np.arange(len(y)) == 3, np.nan, y), np.where(np.arange(len(y)) == 3, None, y > 0)):
        with pytest.raises(DataError, match="compare: Input y contains NaN in row 3"):
            compare({"a": Ridge()}, X, gap)


def test_intervals_are_those_of_halves_where_folds_divide_the_table():
    X, y = numbers(6)
    found = {kind: compare(MODELS, X, y, baseline="flat", interval=kind) for kind in ("auto", "halves", "corrected")}
    assert [one.interval for one in found.values()] == ["halves", "halves", "corrected"]
    assert found["auto"].rows == found["halves"].rows != found["corrected"].rows
    assert compare(MODELS, X, y, baseline="flat", cv=5).interval == "corrected"
    assert compare(MODELS, X, y, baseline="flat", repeats=2).interval == "corrected"
    assert compare(MODELS, X[:99], y[:99], baseline="flat").interval == "corrected", "its halves are too small"


def test_halves_that_cannot_be_scored_leave_the_corrected_interval():
    X, y = numbers(7, 24)
    result = compare({"choosy": Choosy()}, X, y, cv=8, interval="halves")
    row = next(row for row in result.rows if row.name == "choosy")
    assert (row.low, row.high) == pytest.approx(corrected_resampled(result.scores["choosy"], result.test_share))


class Choosy(Ridge):
    """Refuses to learn from few rows."""

    def fit(self, X, y, sample_weight=None):
        if len(X) < 15:
            raise DataError("fifteen rows are needed")
        return super().fit(X, y, sample_weight)


@pytest.mark.filterwarnings("ignore")
def test_a_test_set_without_a_score_is_named():
    X, y = numbers(0, 12)
    with pytest.raises(DataError, match="no score on test set 2, which has 1 row; see the warnings"):
        compare({"a": Ridge()}, X, y)


def test_models_of_several_kinds_have_no_common_score():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    with pytest.raises(ParameterError, match=r"line is a regressor; curve is a classifier.*; give scoring"):
        compare({"line": LinearRegression(), "curve": LogisticRegression()}, X, y)


def test_regressors_are_compared_by_one_score_though_their_own_differ():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = rng.poisson(np.exp(X[:, 0])).astype(float)
    found = compare({"counts": PoissonRegressor(), "squares": Ridge()}, X, y, cv=3)
    alone = cross_val_score(PoissonRegressor(), X, y, cv=KFold(3, shuffle=True, random_state=0), scoring="r2")
    assert found.measure == "r2"
    np.testing.assert_allclose(found.scores["counts"], alone)


def test_accuracies_of_uneven_classes_vary_as_proportions_of_rows():
    X, y = np.zeros((100, 1)), np.arange(100) % 5 < 2
    found = compare({"a guess": DummyClassifier()}, X, y)
    row = next(row for row in found.rows if row.name == "a guess")
    assert (row.low, row.high) == pytest.approx(wilson(60, 100), abs=0.03)


@pytest.mark.parametrize("scoring", [["r2", "neg_max_error"], lambda model, X, y: {"one": 1.0, "two": 2.0}])
def test_models_are_compared_by_one_score(scoring):
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ParameterError, match=r"compare: scoring must be one score; got (r2, neg_max_error|one, two)"):
        compare({"line": Ridge()}, X, X[:, 0], scoring=scoring)


@pytest.mark.parametrize("seed", range(20))
def test_groups_say_of_the_baseline_what_the_verdicts_say(seed):
    rng = np.random.default_rng(seed)
    names = [f"model {k}" for k in range(8)]
    scores = {name: rng.normal(0.6 + 0.015 * k, 0.03, 10) for k, name in enumerate(names)} | {
        "b": rng.normal(0.6, 0.03, 10)
    }
    ends = dict.fromkeys(scores, (0.0, 1.0))
    rows = compared(scores, ends, "b", 0.2, 0.05, "holm")
    base = next(row for row in rows if row.name == "b")
    leader = next(row for row in rows if row.group == base.group)
    assert leader.verdict in ("", "no difference observed")
    if rows[0] is not base:
        assert base.p_best == rows[0].p_baseline
