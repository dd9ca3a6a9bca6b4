"""What is known of scores: their range, and whether they are shares of rows."""

import inspect
from math import inf

import numpy as np
import pytest
import sklearn.metrics as theirs
from scipy.stats import uniform
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.svm import SVC

from learnable import GridSearchCV, LogisticRegression, Pipeline, Ridge, RidgeClassifier, StandardScaler, cross_validate
from learnable.core.declare.registry import all_estimators
from learnable.metrics import check_scoring, get_scorer, get_scorer_names, make_scorer, zero_one_loss
from learnable.metrics._score_range import ACCURACY, EXPLAINED, UNKNOWN, Scale, scale_of
from learnable.parts.confidence_intervals import wilson

Y = [0, 1, 0, 1]


@pytest.mark.parametrize("name", get_scorer_names())
def test_every_scorer_has_a_scale_and_so_has_that_of_scikit_learn(name):
    ours = scale_of(get_scorer(name), RidgeClassifier(), Y)
    assert ours.of_rows is not None and np.isfinite([ours.lowest, ours.highest]).any()
    assert scale_of(theirs.get_scorer(name), RidgeClassifier(), Y) == ours


def test_which_scores_are_proportions_of_rows():
    shares = [name for name in get_scorer_names() if scale_of(get_scorer(name), RidgeClassifier(), Y).of_rows]
    assert shares == ["accuracy", "f1_micro", "precision_micro", "recall_micro", "top_k_accuracy"]
    several = np.array([[0, 1], [1, 1]])
    assert not scale_of(get_scorer("f1_micro"), None, several).of_rows
    assert scale_of(make_scorer(zero_one_loss, greater_is_better=False), None) == Scale(-1.0, 0.0, True)
    counted = make_scorer(zero_one_loss, greater_is_better=False, normalize=False)
    assert scale_of(counted, None) == Scale(-inf, 0.0, False)


@pytest.mark.parametrize(
    ("estimator", "share"),
    [
        (RidgeClassifier(), True),
        (TheirLogistic(), True),
        (SVC(), True),
        (HistGradientBoostingClassifier(), True),
        (Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())]), True),
        (GridSearchCV(RidgeClassifier(), {"alpha": [1.0]}), True),
        (GridSearchCV(RidgeClassifier(), {"alpha": [1.0]}, scoring="roc_auc"), False),
        (Ridge(), False),
    ],
)
def test_the_scale_of_what_estimators_call_their_score(estimator, share):
    assert scale_of(check_scoring(estimator), estimator).of_rows is share


ROWS = np.random.default_rng(0).normal(size=(60, 2))
TUNED = [
    name
    for name, cls in all_estimators().items()
    if hasattr(cls, "score") and "scoring" in inspect.signature(cls).parameters and "BayesianNetwork" not in name
]  # the score of a Bayesian network is one of structures


@pytest.mark.parametrize("name", TUNED)
def test_the_scale_is_that_of_the_score_whatever_scoring_an_estimator_has(name):
    """It works as it comes, and if `score` goes by `scoring`, so does the scale: errors are at most 0."""
    cls, classes = all_estimators()[name], "Class" in name or "Logistic" in name
    inner = RidgeClassifier() if "Class" in name else Ridge()
    takes = {
        "estimator": inner,
        "param_grid": {"alpha": [1.0]},
        "param_distributions": {"alpha": uniform(1, 2)},
        "cv": 2,
    }
    model = cls(**{key: value for key, value in takes.items() if key in inspect.signature(cls).parameters})
    y = (ROWS[:, 0] > 0).astype(int) if classes else ROWS[:, 0] + ROWS[:, 1] ** 2
    assert cross_validate(model, ROWS, y, cv=2).basis["score"].scale == (ACCURACY if classes else EXPLAINED)
    model.set_params(scoring="neg_mean_squared_error")
    by_scoring = model.fit(ROWS, y).score(ROWS, y) <= 0
    assert (scale_of(check_scoring(model), model).highest == 0) == by_scoring


def test_nothing_is_known_of_a_function_of_a_user():
    def accuracy_score(y, predictions):
        return 100.0

    assert scale_of(make_scorer(accuracy_score), Ridge()) == UNKNOWN
    assert scale_of(lambda model, X, y: 0.5, RidgeClassifier()).by_classes


def test_scores_that_depend_on_class_frequencies():
    messages = {name: scale_of(get_scorer(name), None, Y).by_classes for name in get_scorer_names()}
    assert messages["f1"] and messages["neg_log_loss"] and messages["recall_weighted"]
    assert not (
        messages["recall"]
        or messages["roc_auc"]
        or messages["balanced_accuracy"]
        or messages["accuracy"]
        or messages["r2"]
    )


def test_an_honest_interval():
    share, other = Scale(0.0, 1.0, True), Scale(-inf, 1.0, False)
    assert share.honest((0.9, 0.9), 0.9, 200, 0.95) == wilson(180, 200)
    assert share.honest((0.5, 1.2), 0.9, 200, 0.95) == (0.5, 1.0)
    assert other.honest((0.5, 1.2), 0.9, 200, 0.95) == (0.5, 1.0)
    assert other.honest((0.9, 0.9), 0.9, 200, 0.95) == (-inf, 1.0)
    assert Scale(-1.0, 0.0, True).honest((-0.1, -0.1), -0.1, 200, 0.95) == pytest.approx(
        [end - 1 for end in wilson(180, 200)]
    )
