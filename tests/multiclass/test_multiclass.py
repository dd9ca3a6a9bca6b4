"""Several classes from two, against scikit-learn's and by hand."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import multiclass as theirs
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC as TheirSVC

import learnable
from learnable import SVC, DummyClassifier, GridSearchCV, LinearSVC, cross_val_score
from learnable import multiclass as ours
from learnable.core.errors import DataError, ParameterError
from learnable.kernel_ridge import KernelRidge
from learnable.kernels import Gaussian

OPTIONS = {
    "OneVsRestClassifier": {},
    "OneVsOneClassifier": {},
    "OutputCodeClassifier": {"random_state": 1, "code_size": 2},
}
CASES = [(name, base) for name in OPTIONS for base in (LogisticRegression(), GaussianNB())]


def problem(classes, rows=90, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, 3))
    borders = np.linspace(-1, 1, classes + 1)[1:-1]
    return X, np.array(list("abcd"))[np.digitize(X[:, 0] + 0.5 * draws.normal(size=rows), borders)]


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize(("name", "base"), [*CASES, ("OneVsRestClassifier", LinearRegression())], ids=str)
def test_predictions_are_those_of_scikit_learn(name, base, classes):
    X, y = problem(classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn warns of bits that are the same in all words
        mine = getattr(ours, name)(base, **OPTIONS[name]).fit(X, y)
        peer = getattr(theirs, name)(base, **OPTIONS[name]).fit(X, y)
    assert_array_equal(mine.predict(X), peer.predict(X))
    assert mine.n_classes_ == classes
    for method in ("predict_proba", "decision_function"):
        assert hasattr(mine, method) == hasattr(peer, method)
        counts_probabilities = name == "OneVsOneClassifier" and isinstance(base, GaussianNB)  # ours from one half on
        if hasattr(peer, method) and not counts_probabilities:
            assert_allclose(getattr(mine, method)(X), getattr(peer, method)(X), rtol=1e-6, atol=1e-8)


def test_any_number_of_labels():
    X, _ = problem(2)
    Y = (X[:, :2] > 0.3).astype(int)
    mine, peer = ours.OneVsRestClassifier(GaussianNB()).fit(X, Y), theirs.OneVsRestClassifier(GaussianNB()).fit(X, Y)
    assert mine.multilabel_
    assert_array_equal(mine.predict(X), peer.predict(X))
    assert_allclose(mine.predict_proba(X), peer.predict_proba(X))
    with pytest.warns(UserWarning, match="Every row has the label 1"):
        constant = ours.OneVsRestClassifier(GaussianNB()).fit(X, np.column_stack([Y[:, 0], np.ones(90)]))
    assert (constant.predict(X)[:, 1] == 1).all()
    with pytest.raises(DataError, match="zeros and ones"):
        ours.OneVsRestClassifier(GaussianNB()).fit(X, Y + 1)


@pytest.mark.parametrize("name", OPTIONS)
def test_weights_reach_every_part(name):
    X, y = problem(3)
    copies = np.random.default_rng(3).integers(1, 4, len(X))
    weighted, repeated = (getattr(ours, name)(GaussianNB(), **OPTIONS[name]) for _ in range(2))
    weighted.fit(X, y, copies.astype(float))
    repeated.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_pairs_cut_kernel_matrices():
    X, y = problem(3)
    K = Gaussian(0.5)(X)
    by_matrix = ours.OneVsOneClassifier(KernelRidge(kernel="precomputed")).fit(K, y)
    by_rows = ours.OneVsOneClassifier(KernelRidge(kernel=Gaussian(0.5))).fit(X, y)
    assert_allclose(by_matrix.decision_function(K), by_rows.decision_function(X), atol=1e-8)
    assert len(by_matrix.pairwise_indices_) == 3


def test_what_cannot_be_done_is_reported():
    X, y = problem(2)
    with pytest.raises(DataError, match="pairs need two"):
        ours.OneVsOneClassifier(GaussianNB()).fit(X, np.zeros(len(X)))
    with pytest.raises(ParameterError, match="code_size"):
        ours.OutputCodeClassifier(GaussianNB(), code_size=0.1).fit(X, y)
    assert (ours.OneVsRestClassifier(GaussianNB()).fit(X, np.full(len(X), 7)).predict(X) == 7).all()


def test_words_are_drawn_as_scikit_learn_draws_them():
    X, y = problem(4)
    mine = ours.OutputCodeClassifier(LogisticRegression(), code_size=2, random_state=5).fit(X, y)
    peer = theirs.OutputCodeClassifier(LogisticRegression(), code_size=2, random_state=5).fit(X, y)
    assert_array_equal(mine.code_book_, peer.code_book_)


@pytest.mark.parametrize("name", ["OneVsRestClassifier", "OneVsOneClassifier"])
@pytest.mark.parametrize("classes", [2, 4])
def test_rows_may_come_in_parts(name, classes):
    X, words = problem(classes)
    y = np.searchsorted(np.unique(words), words)  # scikit-learn's pairs cannot go on with words
    mine, peer = (getattr(module, name)(GaussianNB()) for module in (ours, theirs))
    labels = np.unique(y)
    for rows in (slice(0, 30), slice(30, 90)):
        mine.partial_fit(X[rows], y[rows], classes=labels)
        peer.partial_fit(X[rows], y[rows], classes=labels)
    assert_array_equal(mine.predict(X), peer.predict(X))
    with pytest.raises(DataError, match="must be subset"):
        mine.partial_fit(X, np.full(len(X), 9))
    with pytest.raises(DataError, match="first call"):
        getattr(ours, name)(GaussianNB()).partial_fit(X, y)
    assert not hasattr(getattr(ours, name)(LogisticRegression()), "partial_fit")


def test_a_class_whose_rows_have_no_weight_is_never_predicted():
    draws = np.random.default_rng(0)
    y = draws.integers(0, 4, 400)
    points = np.array([[0, 0], [3, 0], [0, 3], [-3, -3]])[y] + draws.normal(size=(400, 2))
    weighed = ours.OneVsRestClassifier(LinearSVC()).fit(points, y, sample_weight=(y > 0) * 1.0)
    without = ours.OneVsRestClassifier(LinearSVC()).fit(points[y > 0], y[y > 0])
    assert_array_equal(weighed.predict(points), without.predict(points))
    assert (weighed.decision_function(points).argmax(axis=1) == weighed.predict(points)).all()


def test_labels_that_all_or_no_rows_have_keep_scores_as_in_scikit_learn():
    points = np.arange(20.0)[:, None]
    labels = np.column_stack([points[:, 0] > 9, np.ones(20), np.zeros(20)]).astype(int)
    with pytest.warns(UserWarning, match="Every row"):
        mine = ours.OneVsRestClassifier(LinearSVC()).fit(points, labels)
    with pytest.warns(UserWarning, match="Label"):
        peer = theirs.OneVsRestClassifier(TheirSVC(tol=1e-8)).fit(points, labels)
    assert_allclose(mine.decision_function(points), peer.decision_function(points), atol=1e-3)
    counted = np.where(labels[:, 0] == 1, 1.0, 0.0)  # every row that counts has the first label
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        mine.fit(points, labels, sample_weight=counted)
    assert (mine.predict(points) == [1, 1, 0]).all()


def test_a_baseline_predicts_the_most_frequent_class():
    y = np.repeat([0, 1, 2], [4, 5, 11])
    model = ours.OneVsRestClassifier(DummyClassifier()).fit(np.zeros((20, 1)), y)
    assert (model.predict(np.zeros((3, 1))) == 2).all()


@pytest.mark.parametrize("name", OPTIONS)
def test_folds_cut_given_similarities_by_rows_and_columns(name):
    X, y = problem(3)
    by_rows, given = (getattr(ours, name)(SVC(kernel=kernel), **OPTIONS[name]) for kernel in ("linear", "precomputed"))
    K = X @ X.T
    scores = cross_val_score(by_rows, X, y, cv=3)
    assert_allclose(cross_val_score(given, K, y, cv=3), scores)
    search = GridSearchCV(given, {"estimator__C": [1.0]}, cv=3).fit(K, y)
    assert search.best_score_ == pytest.approx(scores.mean())
    assert search.best_estimator_.n_features_in_ == len(X)


def test_a_class_without_a_word_of_its_own_is_named():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b", "c"], 4)
    reported = []
    for seed in range(30):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = ours.OutputCodeClassifier(GaussianNB(), random_state=seed).fit(X, y)
        lost = [k for k in range(3) if (model.code_book_[:k] == model.code_book_[k]).all(axis=1).any()]
        assert [str(word.message).count("cannot be predicted") for word in caught] == ([1] if lost else [])
        for k in lost:
            assert repr("abc"[k]) in str(caught[0].message) and "abc"[k] not in model.predict(X)
        reported += lost
    assert reported


@pytest.mark.parametrize(
    "base",
    [
        learnable.LogisticRegression(C=1.0),
        learnable.LinearSVC(C=1.0),
        learnable.SVC(kernel="rbf", gamma=0.5),
        learnable.Perceptron(random_state=0),
        learnable.LeastSquaresClassifier(),
    ],
    ids=lambda base: type(base).__name__,
)
def test_each_class_against_the_rest_by_hand(base):
    """FRM-10, SVM-08: K binary scorers, and the class of the largest score, for every kind of scorer."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], 30)
    X = rng.normal(size=(120, 3)) + np.repeat(3 * rng.normal(size=(4, 3)), 30, axis=0)
    model = learnable.OneVsRestClassifier(base).fit(X, y)
    scores = [base.clone().fit(X, (y == name).astype(int)).decision_function(X) for name in model.classes_]
    np.testing.assert_allclose(model.decision_function(X), np.column_stack(scores), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(scores, axis=0)])
    assert model.score(X, y) > 0.7
