import pickle
import warnings

import joblib
import numpy as np
import pandas
import pytest
import sklearn.model_selection as theirs
from joblib._parallel_backends import ThreadingBackend
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as TheirRidge

import learnable
from learnable import Lasso, Ridge, cross_val_predict, cross_val_score, cross_validate
from learnable.core import DataError
from learnable.core.errors import FitFailedWarning

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
TIMES = ("fit_time", "score_time")


def same(ours, other):
    assert set(ours) == set(other)
    for name in set(ours) - {*TIMES, "estimator", "indices"}:
        np.testing.assert_allclose(ours[name], other[name], rtol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cv": 3, "return_train_score": True},
        {"scoring": "neg_mean_absolute_error", "cv": theirs.ShuffleSplit(4, random_state=0)},
        {"scoring": ["r2", "neg_mean_squared_error"], "return_train_score": True},
        {"scoring": {"first": "r2", "second": "neg_max_error"}},
        {"return_estimator": True, "return_indices": True},
    ],
)
def test_everything_is_that_of_scikit_learn(options):
    ours, other = cross_validate(TheirRidge(), X, Y, **options), theirs.cross_validate(TheirRidge(), X, Y, **options)
    same(ours, other)
    if "return_indices" in options:
        for part in ("train", "test"):
            for mine, its in zip(ours["indices"][part], other["indices"][part], strict=True):
                np.testing.assert_array_equal(mine, its)
        assert len(ours["estimator"]) == 5 and hasattr(ours["estimator"][0], "coef_")


def test_classifiers_get_stratified_folds():
    model = LogisticRegression(max_iter=500)
    same(cross_validate(model, *IRIS, scoring="accuracy"), theirs.cross_validate(model, *IRIS, scoring="accuracy"))


def test_our_own_estimator_and_score():
    np.testing.assert_allclose(cross_val_score(Ridge(0.1), X, Y), theirs.cross_val_score(TheirRidge(0.1), X, Y))


def test_frames_keep_their_names():
    table = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    found = cross_validate(Ridge(), table, pandas.Series(Y), return_estimator=True)
    assert list(found["estimator"][0].feature_names_in_) == list(table.columns)
    np.testing.assert_allclose(found["test_score"], cross_validate(Ridge(), X, Y)["test_score"])


def test_weights_count_rows_in_fits_and_in_scores():
    """Folds given, a weight of two is two copies of a row."""
    rng = np.random.default_rng(0)
    weight = rng.integers(1, 4, size=len(Y))
    parts = list(theirs.KFold(4).split(X))
    copies = np.repeat(np.arange(len(Y)), weight)
    ends = np.concatenate([[0], np.cumsum(weight)])
    spread = [tuple(np.concatenate([np.arange(ends[i], ends[i + 1]) for i in rows]) for rows in pair) for pair in parts]
    weighted = cross_validate(Ridge(), X, Y, cv=parts, params={"sample_weight": weight}, return_train_score=True)
    copied = cross_validate(Ridge(), X[copies], Y[copies], cv=spread, return_train_score=True)
    for name in ("test_score", "train_score"):
        np.testing.assert_allclose(weighted[name], copied[name], rtol=1e-10)


def test_groups_reach_the_splitter():
    groups = np.arange(len(Y)) % 7
    ours = cross_validate(Ridge(), X, Y, groups=groups, cv=learnable.GroupKFold(3))
    other = theirs.cross_validate(TheirRidge(), X, Y, groups=groups, cv=theirs.GroupKFold(3))
    np.testing.assert_allclose(ours["test_score"], other["test_score"])
    with pytest.raises(DataError, match="groups is needed"):
        cross_validate(Ridge(), X, Y, cv=learnable.GroupKFold(3))


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_predictions_for_rows_not_seen(method):
    model = LogisticRegression(max_iter=500)
    np.testing.assert_allclose(
        cross_val_predict(model, *IRIS, method=method), theirs.cross_val_predict(model, *IRIS, method=method)
    )


def test_predictions_where_a_fold_lacks_a_class():
    features, labels = IRIS
    with pytest.warns(RuntimeWarning, match="StratifiedKFold"):
        ours = cross_val_predict(DummyClassifier(), features, labels, method="predict_proba", cv=learnable.KFold(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = theirs.cross_val_predict(
            DummyClassifier(), features, labels, method="predict_proba", cv=theirs.KFold(3)
        )
    np.testing.assert_allclose(ours, other)


def test_predictions_need_folds_that_partition_the_rows():
    with pytest.raises(DataError, match="partitions"):
        cross_val_predict(Ridge(), X, Y, cv=learnable.ShuffleSplit(3, random_state=0))


class Moody(TheirRidge):
    """Fails on some folds."""

    def fit(self, X, y):
        if len(X) % 2:
            raise ValueError("an odd number of rows")
        return super().fit(X, y)


def test_failures_are_reported_and_scored():
    parts = [(np.arange(10), np.arange(10, 20)), (np.arange(11), np.arange(11, 20))]
    with pytest.warns(FitFailedWarning, match="an odd number of rows"):
        scores = cross_validate(Moody(), X, Y, cv=parts, error_score=-7.0)["test_score"]
    assert scores[1] == -7.0 and scores[0] != -7.0
    with pytest.raises(ValueError, match="an odd number"):
        cross_validate(Moody(), X, Y, cv=parts, error_score="raise")
    with pytest.raises(ValueError, match="All 1 fits failed"):
        cross_validate(Moody(), X, Y, cv=parts[1:])


def test_the_summary_is_the_corrected_interval():
    found = cross_validate(Ridge(), X, Y, cv=5, scoring=["r2", "neg_max_error"])
    scores = found["test_r2"]
    summary = found.summary(confidence=0.9, method="corrected")
    from scipy.stats import t

    half = t.ppf(0.95, 4) * scores.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert summary["r2"].low == pytest.approx(scores.mean() - half, rel=1e-3)
    assert summary["r2"].high == pytest.approx(scores.mean() + half, rel=1e-3)
    assert "neg_max_error" in str(summary) and "<table>" in summary._repr_html_()
    one = cross_val_score(Ridge(), X, Y)
    assert one.summary(method="student").high < one.summary(method="corrected").high
    assert one.summary(method="bootstrap").low > one.min() - 1e-12
    assert pickle.loads(pickle.dumps(one)).basis == one.basis


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_any_number_of_workers_gives_the_same(backend):
    alone = cross_validate(Lasso(0.1), X, Y, cv=4)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = cross_validate(Lasso(0.1), X, Y, cv=4)
    np.testing.assert_array_equal(alone["test_score"], found["test_score"])
    np.testing.assert_array_equal(alone["test_score"], cross_validate(Lasso(0.1), X, Y, cv=4, n_jobs=2)["test_score"])


def test_workers_report_to_watchers_and_obey_budgets():
    seen = []
    with learnable.watch(lambda event: seen.append(type(event.estimator).__name__) and None):
        cross_validate(Ridge(), X, Y, n_jobs=2)
    assert seen == ["Ridge"] * 5
    with learnable.budget(seconds=1e-9), pytest.raises(learnable.BudgetError):
        cross_validate(Ridge(), X, Y, n_jobs=2)


class _AllAtTheEnd(ThreadingBackend):
    """A backend that, as Ray's, cannot hand over results one by one."""

    supports_return_generator = False


def test_backends_that_give_all_results_at_the_end():
    joblib.register_parallel_backend("all_at_the_end", _AllAtTheEnd)
    alone = cross_val_score(Ridge(), X, Y, cv=4)
    with joblib.parallel_config(backend="all_at_the_end", n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(Ridge(), X, Y, cv=4), alone)


def test_the_summary_by_the_intervals_that_have_names():
    from learnable.parts import confidence_intervals

    found = cross_validate(LogisticRegression(max_iter=1000), *IRIS, cv=5, scoring=["accuracy", "neg_log_loss"])
    share = float(found["test_accuracy"].mean())
    wald, wilson = (
        cross_val_score(LogisticRegression(max_iter=1000), *IRIS).summary(0.9, method) for method in ("wald", "wilson")
    )
    assert (wald.low, wald.high) == pytest.approx(confidence_intervals.wald(share, 150, 0.9))
    assert (wilson.low, wilson.high) == pytest.approx(confidence_intervals.wilson(share * 150, 150, 0.9))
    assert "Wilson's, of a share of the rows tested" in str(wilson)
    named, plain = (found.summary(method=method)["neg_log_loss"] for method in ("nadeau-bengio", "corrected"))
    assert (named.low, named.high) == (plain.low, plain.high)
    with pytest.raises(
        ValueError,
        match="for scores that are proportions of rows, such as accuracy; this one is not, and its mean is -0",
    ):
        found.summary(method="wilson")
    with pytest.raises(ValueError, match="method must be one of auto, corrected, nadeau-bengio, student"):
        found.summary(method="exact")
    repeated = cross_validate(DummyClassifier(), *IRIS, cv=theirs.ShuffleSplit(30, test_size=0.2, random_state=0))
    assert repeated.basis["score"].rows == 150 - len(
        set(range(150))
        - set(
            np.concatenate([test for _, test in theirs.ShuffleSplit(30, test_size=0.2, random_state=0).split(IRIS[0])])
        )
    ), "rows count once"


@pytest.mark.parametrize("reduced", [np.mean, np.std, np.min, np.max, np.median, np.sum, lambda scores: scores.mean()])
def test_a_number_made_of_scores_is_a_number(reduced):
    scores = cross_val_score(Ridge(), X, Y, cv=4)
    assert type(reduced(scores)) is np.float64
    assert reduced(scores) == reduced(np.array(scores))
    assert type(-scores) is type(scores) and type(np.sqrt(np.abs(scores))) is type(scores)
