"""Several targets from one, against scikit-learn's and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn import multioutput as theirs
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

from learnable import SVC, DecisionTreeClassifier, cross_val_score
from learnable import multioutput as ours
from learnable.core.errors import DataError, ParameterError, ParameterTypeError
from learnable.linear_model import Ridge

draws = np.random.default_rng(0)
X = draws.normal(size=(60, 3))
NUMBERS = np.column_stack([X[:, 0] + 0.1 * draws.normal(size=60), X[:, 1] * X[:, 0], X.sum(axis=1)])
LABELS = (NUMBERS + 0.3 * draws.normal(size=(60, 3)) > 0).astype(int)
NEW = draws.normal(size=(9, 3))


def test_a_copy_for_each_target():
    mine, peer = ours.MultiOutputRegressor(LinearRegression()), theirs.MultiOutputRegressor(LinearRegression())
    assert_allclose(mine.fit(X, NUMBERS).predict(NEW), peer.fit(X, NUMBERS).predict(NEW))
    assert_allclose(mine.score(X, NUMBERS), peer.score(X, NUMBERS))
    mine, peer = ours.MultiOutputClassifier(LogisticRegression()), theirs.MultiOutputClassifier(LogisticRegression())
    assert_array_equal(mine.fit(X, LABELS).predict(NEW), peer.fit(X, LABELS).predict(NEW))
    assert_allclose(mine.predict_proba(NEW), peer.predict_proba(NEW))
    assert mine.score(X, LABELS) == peer.score(X, LABELS)
    assert [list(classes) for classes in mine.classes_] == [[0, 1]] * 3


def test_texts_are_labels_too():
    words = np.array([["no", "yes"][label] for label in LABELS[:, 0]])
    both = np.column_stack([words, words[::-1]])
    found = ours.MultiOutputClassifier(LogisticRegression()).fit(X, both).predict(X)
    assert_array_equal(found[:, 0], LogisticRegression().fit(X, words).predict(X))


@pytest.mark.parametrize(
    "options", [{}, {"order": [2, 0, 1]}, {"order": "random", "random_state": 3}, {"cv": 3}], ids=str
)
def test_chains_are_those_of_scikit_learn(options):
    for table, new in ((X, NEW), (csr_array(X), csr_array(NEW))):
        mine = ours.RegressorChain(LinearRegression(), **options).fit(table, NUMBERS)
        peer = theirs.RegressorChain(LinearRegression(), **options).fit(table, NUMBERS)
        assert_array_equal(mine.order_, peer.order_)
        assert_allclose(mine.predict(new), peer.predict(new), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", ["predict", "predict_proba", ["decision_function", "predict"]], ids=str)
@pytest.mark.parametrize("cv", [None, 3])
def test_chains_of_classifiers(method, cv):
    mine = ours.ClassifierChain(LogisticRegression(), chain_method=method, cv=cv).fit(X, LABELS)
    peer = theirs.ClassifierChain(LogisticRegression(), chain_method=method, cv=cv).fit(X, LABELS)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        assert_allclose(getattr(mine, method)(NEW), getattr(peer, method)(NEW), rtol=1e-6, atol=1e-8)
    assert mine.chain_method_ == peer.chain_method_ and mine.score(X, LABELS) == peer.score(X, LABELS)


def test_a_single_target_is_that_of_the_classifier():
    words = np.array(["no", "yes"])[LABELS[:, 0]]
    plain = LogisticRegression().fit(X, words)
    for cls in (ours.MultiOutputClassifier, ours.ClassifierChain):
        model = cls(LogisticRegression()).fit(X, words)
        assert_array_equal(model.predict(NEW), plain.predict(NEW))
        assert_allclose(model.predict_proba(NEW), plain.predict_proba(NEW))
        assert list(model.classes_) == ["no", "yes"]


def test_weights_are_copies_along_a_chain():
    copies = draws.integers(1, 4, 60)
    weighted = ours.RegressorChain(Ridge()).fit(X, NUMBERS, copies.astype(float))
    repeated = ours.RegressorChain(Ridge()).fit(np.repeat(X, copies, axis=0), np.repeat(NUMBERS, copies, axis=0))
    assert_allclose(weighted.predict(NEW), repeated.predict(NEW), rtol=1e-8)


def test_what_cannot_be_done_is_reported():
    with pytest.raises(DataError, match="a column for each target"):
        ours.MultiOutputRegressor(Ridge()).fit(X, NUMBERS[:, 0])
    with pytest.raises(ParameterTypeError, match="takes no sample_weight"):
        ours.MultiOutputRegressor(KNeighborsRegressor()).fit(X, NUMBERS, np.ones(60))
    with pytest.raises(ParameterError, match="invalid order"):
        ours.RegressorChain(Ridge(), order=[0, 0, 1]).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="choose another chain_method"):
        ours.ClassifierChain(Ridge(), chain_method="predict_proba").fit(X, LABELS)
    words = np.where(LABELS > 0, "yes", "no")
    with pytest.raises(DataError, match=r"y holds '(yes|no)' in row 0, but the labels are features") as raised:
        ours.ClassifierChain(LogisticRegression()).fit(X, words)
    assert "regression" not in str(raised.value)


def test_rows_may_come_in_parts():
    mine, peer = (module.MultiOutputClassifier(GaussianNB()) for module in (ours, theirs))
    for rows in (slice(0, 20), slice(20, 60)):
        mine.partial_fit(X[rows], LABELS[rows], classes=[[0, 1]] * 3)
        peer.partial_fit(X[rows], LABELS[rows], classes=[[0, 1]] * 3)
    assert_array_equal(mine.predict(NEW), peer.predict(NEW))


def test_folds_cut_given_similarities_by_rows_and_columns():
    draws = np.random.default_rng(0)
    X = draws.normal(size=(60, 3))
    y = (X[:, :2] + 0.3 * draws.normal(size=(60, 2)) > 0).astype(int)
    by_rows, given = (ours.MultiOutputClassifier(SVC(kernel=kernel)) for kernel in ("linear", "precomputed"))
    assert_allclose(cross_val_score(given, X @ X.T, y, cv=3), cross_val_score(by_rows, X, y, cv=3))


def test_probabilities_of_zero_have_logarithms_too():
    X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 0], [1, 1]]
    chain = ours.ClassifierChain(DecisionTreeClassifier(random_state=0)).fit(X, Y)
    np.testing.assert_array_equal(np.exp(chain.predict_log_proba(X)), chain.predict_proba(X))
