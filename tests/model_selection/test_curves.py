import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.model_selection as theirs
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Ridge as TheirRidge

from learnable import GaussianNB, Lasso, Ridge, learning_curve, permutation_test_score, validation_curve
from learnable.core import DataError, ParameterError
from learnable.core.errors import FitFailedWarning

X, Y = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
ALPHAS = np.geomspace(1e-3, 1e3, 13)


@pytest.mark.parametrize("model", [TheirRidge(), Ridge()])
def test_scores_against_a_parameter(model):
    options = {"param_name": "alpha", "param_range": ALPHAS, "cv": 4}
    ours = validation_curve(model, X, Y, **options)
    other = theirs.validation_curve(TheirRidge(), X, Y, **options)
    for mine, its in zip(ours, other, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-7)


def test_marks_of_the_curve():
    curve = validation_curve(Ridge(), X, Y, param_name="alpha", param_range=ALPHAS, cv=10)
    mean = curve[1].mean(axis=1)
    assert curve.best == ALPHAS[mean.argmax()]
    limit = mean.max() - curve.standard_errors()[mean.argmax()]
    assert curve.one_standard_error() == ALPHAS[mean >= limit].max()
    assert curve.one_standard_error("smaller") == ALPHAS[mean >= limit].min()
    summary = curve.summary()
    assert len(summary) == 13 and summary[curve.best].low < mean.max() < summary[curve.best].high


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "random_state": 1}, {"train_sizes": [20, 100, 300]}])
def test_scores_against_the_number_of_rows(options):
    ours = learning_curve(TheirRidge(), X, Y, **options)
    for mine, its in zip(ours, theirs.learning_curve(TheirRidge(), X, Y, **options), strict=True):
        np.testing.assert_allclose(mine, its)
    assert len(learning_curve(TheirRidge(), X, Y, return_times=True, **options)) == 5
    assert set(ours.summary()) == set(ours[0].tolist())


def test_learning_in_steps():
    features, labels = IRIS
    options = {"exploit_incremental_learning": True, "shuffle": True, "random_state": 0, "train_sizes": [0.5, 1.0]}
    model = SGDClassifier(random_state=0)
    ours = learning_curve(model, features, labels, **options)
    for mine, its in zip(ours, theirs.learning_curve(model, features, labels, **options), strict=True):
        np.testing.assert_allclose(mine, its)
    with pytest.raises(ParameterError, match="partial_fit"):
        learning_curve(Lasso(), X, Y, exploit_incremental_learning=True)


class Fragile(BaseEstimator):
    """Learns incrementally up to a number of rows, then fails; its score is that number."""

    def __init__(self, most=50):
        self.most = most

    def partial_fit(self, X, y=None):
        self.rows = getattr(self, "rows", 0) + len(X)
        if self.rows > self.most:
            raise ValueError(f"too many rows: {self.rows}")
        return self

    def fit(self, X, y=None):
        return self.partial_fit(X, y)

    def score(self, X, y=None):
        return float(self.rows)


def test_steps_that_fail_score_error_score():
    steps = {"exploit_incremental_learning": True, "train_sizes": [20, 40, 60, 80], "cv": 3}
    with pytest.warns(FitFailedWarning, match=r"6 of 12 fits failed, and their scores are -1(?s:.*)too many rows: 60"):
        _, train, test = learning_curve(Fragile(), X, Y, error_score=-1, **steps)
    np.testing.assert_array_equal(test, np.repeat([[20.0], [40.0], [-1.0], [-1.0]], 3, axis=1))
    np.testing.assert_array_equal(train, test)
    with pytest.raises(ValueError, match="too many rows: 60"):
        learning_curve(Fragile(), X, Y, error_score="raise", **steps)
    with pytest.raises(DataError, match="All 12 fits failed"):
        learning_curve(Fragile(10), X, Y, **steps)


def test_scores_that_fail_after_a_step_are_error_score():
    def scorer(model, X, y):
        if model.rows > 30:
            raise ValueError("no score")
        return 1.0

    steps = {"exploit_incremental_learning": True, "train_sizes": [20, 40], "cv": 3, "scoring": scorer}
    with pytest.warns(UserWarning, match="no score"):
        _, _, test = learning_curve(Fragile(), X, Y, **steps)
    np.testing.assert_array_equal(test, [[1.0] * 3, [np.nan] * 3])


@pytest.mark.parametrize("times", [False, True])
def test_a_learning_curve_draws_itself(times):
    ours = learning_curve(Ridge(), X, Y, train_sizes=[50, 100, 200], return_times=times)
    display = ours.plot()
    np.testing.assert_array_equal(display.lines_[0].get_xdata(), ours[0])
    np.testing.assert_allclose(display.lines_[1].get_ydata(), ours[2].mean(axis=1))
    assert ours.plot(ax=display.ax_).ax_ is display.ax_


def test_sizes_that_make_no_sense():
    with pytest.raises(ParameterError, match="fractions"):
        learning_curve(Ridge(), X, Y, train_sizes=[0.5, 1.5])
    with pytest.raises(ParameterError, match="numbers of rows"):
        learning_curve(Ridge(), X, Y, train_sizes=[10, 10**6])
    with pytest.warns(RuntimeWarning, match="duplicate"):
        learning_curve(Ridge(), X, Y, train_sizes=[50, 50])


@pytest.mark.parametrize("groups", [None, np.arange(150) % 3])
def test_shuffled_targets(groups):
    features, labels = IRIS
    model = LogisticRegression(max_iter=300)
    options = {"n_permutations": 8, "random_state": 2, "groups": groups, "cv": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = permutation_test_score(model, features, labels, **options)
        other = theirs.permutation_test_score(model, features, labels, **options)
    assert ours[0] == pytest.approx(other[0]) and ours[2] == pytest.approx(other[2])
    np.testing.assert_allclose(ours[1], other[1])


def test_weights_reach_a_model_that_learns_in_steps():
    weight = np.random.default_rng(0).integers(1, 20, len(IRIS[1])).astype(float)
    steps = {"exploit_incremental_learning": True, "shuffle": True, "random_state": 0, "train_sizes": [30, 120]}
    _, train, test = learning_curve(GaussianNB(), *IRIS, params={"sample_weight": weight}, **steps)
    del steps["exploit_incremental_learning"]
    _, whole_train, whole_test = learning_curve(GaussianNB(), *IRIS, params={"sample_weight": weight}, **steps)
    np.testing.assert_allclose(train, whole_train)
    np.testing.assert_allclose(test, whole_test)
    _, _, plain = learning_curve(GaussianNB(), *IRIS, **steps)
    assert not np.allclose(test, plain)


@pytest.mark.parametrize("curve", [learning_curve, partial(validation_curve, param_name="alpha", param_range=[1, 2])])
def test_a_curve_is_of_one_score(curve):
    with pytest.raises(ParameterError, match="scoring must be one score; got r2, neg_max_error"):
        curve(Ridge(), X, Y, scoring=["r2", "neg_max_error"])
