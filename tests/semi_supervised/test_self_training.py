"""Self-training against scikit-learn's, and what its rows without a label may be."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

from learnable import DataError, GaussianNB, LogisticRegression, ParameterError, Perceptron, SelfTrainingClassifier

RNG = np.random.default_rng(0)
truth = RNG.integers(0, 3, 120)
X = RNG.normal(size=(120, 2)) + 2.5 * np.eye(3)[truth][:, :2]
y = np.where(RNG.random(120) < 0.2, truth, -1)


@pytest.mark.parametrize(
    "given",
    [{}, {"threshold": 0.9}, {"criterion": "k_best", "k_best": 7}, {"max_iter": None, "threshold": 0.5}],
    ids=["default", "threshold", "k_best", "no limit"],
)
def test_labels_are_those_of_scikit_learn(given):
    base = TheirRegression()
    one, other = SelfTrainingClassifier(base, **given).fit(X, y), Theirs(base, **given).fit(X, y)
    np.testing.assert_array_equal(one.transduction_, other.transduction_)
    np.testing.assert_array_equal(one.labeled_iter_, other.labeled_iter_)
    assert one.n_iter_ == other.n_iter_ and one.termination_condition_ == other.termination_condition_
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-12)
    assert one.score(X, truth) == other.score(X, truth)


def test_missing_labels_are_unlabelled_rows():
    expected = SelfTrainingClassifier(GaussianNB()).fit(X, y)
    names = np.array(["a", "b", "c"], dtype=object)
    for target in (
        np.where(y < 0, np.nan, y.astype(float)),
        np.array([None if label < 0 else label for label in y], dtype=object),
        np.array([-1 if label < 0 else names[label] for label in y], dtype=object),
    ):
        found = SelfTrainingClassifier(GaussianNB()).fit(X, target)
        np.testing.assert_array_equal(found.labeled_iter_, expected.labeled_iter_)
        labels = [-1 if label < 0 else names[label] for label in expected.transduction_]
        same = labels if target.dtype == object and "a" in found.classes_.tolist() else expected.transduction_.tolist()
        assert found.transduction_.tolist() == same


def test_labels_of_others_help_few_rows():
    two = RNG.integers(0, 2, 300)
    rows, few = RNG.normal(size=(300, 4)) + 1.6 * two[:, None], np.full(300, -1)
    for k in range(2):
        few[np.flatnonzero(two == k)[:4]] = k
    alone = LogisticRegression().fit(rows[few >= 0], few[few >= 0]).score(rows, two)
    model = SelfTrainingClassifier(LogisticRegression(), threshold=0.8, max_iter=None).fit(rows, few)
    assert model.score(rows, two) > alone - 0.02 and (model.transduction_ >= 0).mean() > 0.9


def test_bad_targets_are_named():
    with pytest.raises(DataError, match="no labels, only -1"):
        SelfTrainingClassifier(GaussianNB()).fit(X, np.full(120, -1))
    with pytest.raises(DataError, match="dtype string"):
        SelfTrainingClassifier(GaussianNB()).fit(X, np.where(y < 0, "-1", "a"))
    with pytest.warns(UserWarning, match="no unlabeled samples"):
        SelfTrainingClassifier(LogisticRegression()).fit(X, truth)
    with pytest.warns(UserWarning, match="k_best is larger"):
        SelfTrainingClassifier(LogisticRegression(), criterion="k_best", k_best=500).fit(X, y)


def test_the_classifier_needs_probabilities():
    with pytest.raises(ParameterError, match="estimator must be a classifier"):
        SelfTrainingClassifier(LogisticRegression).fit(X, y)
    with pytest.raises(AttributeError, match="with predict_proba; Perceptron has none"):
        SelfTrainingClassifier(Perceptron()).fit(X, y)
