"""Label propagation and spreading against scikit-learn's iterations, random walks and rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn import semi_supervised as peer

from learnable import DataError, LabelPropagation, LabelSpreading, load_digits, load_iris
from learnable.semi_supervised._harmonic import absorption


def half_labelled(seed=0, share=0.15):
    data = load_iris()
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(len(data.target)) < share, data.target, -1)
    return data.data, y, data.target


@pytest.mark.parametrize("kernel", ["rbf", "knn"])
def test_spreading_is_where_the_iterations_of_scikit_learn_end(kernel):
    X, y, _ = half_labelled()
    X = X + np.random.default_rng(5).normal(scale=0.01, size=X.shape)  # no two distances are equal
    ours = LabelSpreading(kernel=kernel, gamma=1.0).fit(X, y)
    theirs = peer.LabelSpreading(kernel=kernel, gamma=1.0, max_iter=1000, tol=1e-12).fit(X, y)
    reached = theirs.label_distributions_.sum(axis=1) > 0  # theirs are zero without a path to a label
    np.testing.assert_allclose(ours.label_distributions_[reached], theirs.label_distributions_[reached], atol=1e-9)
    if reached.all():
        np.testing.assert_allclose(ours.predict_proba(X + 0.01), theirs.predict_proba(X + 0.01), atol=1e-9)


def test_propagation_is_where_the_iterations_of_scikit_learn_end():
    X, y, truth = half_labelled()
    ours = LabelPropagation(gamma=2.0).fit(X, y)
    theirs = peer.LabelPropagation(gamma=2.0, max_iter=100_000, tol=1e-11).fit(X, y)
    np.testing.assert_allclose(ours.label_distributions_, theirs.label_distributions_, atol=1e-6)
    assert (ours.transduction_[y >= 0] == y[y >= 0]).all()
    assert (ours.transduction_ == truth).mean() > 0.85
    assert ours.certificate_.holds


def test_probabilities_are_those_with_which_a_random_walk_ends():
    # Gambler's ruin: from place k of 0..5 a fair walk ends at 5 with probability k / 5.
    P = np.zeros((6, 6))
    for k in range(1, 5):
        P[k, k - 1] = P[k, k + 1] = 0.5
    labelled = np.array([True, False, False, False, False, True])
    Y = np.array([[1.0, 0.0], *[[0.0, 0.0]] * 4, [0.0, 1.0]])
    found, reached = absorption(P, labelled, Y)
    assert reached.all()
    np.testing.assert_allclose(found[:, 1], [0.2, 0.4, 0.6, 0.8], rtol=1e-14)


def test_walks_that_hardly_ever_leave_are_exact_in_every_digit():
    tiny = 2.0**-700  # twice as likely to leave for the first label as for the second
    P = np.array([[0, 1.0, 2 * tiny, tiny], [1.0, 0, tiny, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    labelled = np.array([False, False, True, True])
    found, _ = absorption(P, labelled, np.array([[0, 0], [0, 0], [1.0, 0], [0, 1.0]]))
    first = Fraction(3, 4)  # of both rows, up to a term of the size of `tiny`
    np.testing.assert_allclose(found[:, 0], float(first), rtol=1e-15)


def test_rows_far_from_all_others_have_probabilities():
    X = np.array([[0.0], [0.1], [1.0], [100.0], [100.1]])
    y = np.array([0, -1, 1, -1, -1])
    for cls in (LabelPropagation, LabelSpreading):
        model = cls().fit(X, y)
        assert np.isfinite(model.label_distributions_).all()
        assert model.transduction_[3:].tolist() == [1, 1]  # the nearest label
        far = model.predict_proba([[1e6], [-1e6]])
        assert np.isfinite(far).all()
        np.testing.assert_allclose(far.sum(axis=1), 1)


def test_a_part_of_a_sparse_graph_without_labels_takes_the_nearest():
    X = np.concatenate([np.linspace(0, 1, 10), np.linspace(50, 51, 10)])[:, None]
    y = np.full(20, -1)
    y[[0, 9]] = 0, 1
    model = LabelPropagation(kernel="knn", n_neighbors=3).fit(X, y)
    assert (model.transduction_[10:] == 1).all()


def test_wrong_labels_are_outvoted_by_spreading_alone():
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(0, 0.3, (40, 2)), rng.normal(3, 0.3, (40, 2))])
    truth = np.repeat([0, 1], 40)
    y = truth.copy()
    y[0] = 1
    assert LabelSpreading(gamma=1.0, alpha=0.9).fit(X, y).transduction_[0] == 0
    assert LabelPropagation(gamma=1.0).fit(X, y).transduction_[0] == 1


def test_digits_with_few_labels():
    data = load_digits()
    X, truth = data.data[:300], data.target[:300]
    y = np.full(300, -1)
    y[:40] = truth[:40]
    model = LabelSpreading(gamma=0.25 / 100, max_iter=20).fit(X, y)
    theirs = peer.LabelSpreading(gamma=0.25 / 100, max_iter=200, tol=1e-12).fit(X, y)
    assert (model.transduction_ == theirs.transduction_).all()


def test_a_function_may_be_the_kernel():
    X, y, _ = half_labelled()
    rbf = LabelSpreading(gamma=1.0).fit(X, y)
    own = LabelSpreading(kernel=lambda A, B: np.exp(-((A[:, None] - B) ** 2).sum(axis=2))).fit(X, y)
    np.testing.assert_allclose(own.label_distributions_, rbf.label_distributions_, atol=1e-9)


def test_labels_are_needed():
    with pytest.raises(DataError, match="no labels"):
        LabelPropagation().fit([[0.0], [1.0]], [-1, -1])


@pytest.mark.parametrize("estimator", [LabelPropagation, LabelSpreading])
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite"),
        (lambda A, B: A @ B.T - 100.0, "at least 0"),
        (lambda A, B: np.ones(3), "shape"),
        (lambda A, B: None, "shape|numbers"),
        (lambda A, B: "text", "numbers"),
    ],
)
def test_kernels_of_the_caller_are_checked(estimator, kernel, message):
    rows, labels = np.arange(12.0).reshape(6, 2), [0, 1, -1, -1, -1, -1]
    with pytest.raises(DataError, match=f"{estimator.__name__}: kernel must .*({message})"):
        estimator(kernel=kernel).fit(rows, labels)


@pytest.mark.parametrize("estimator", [LabelPropagation, LabelSpreading])
def test_kernels_of_the_caller_are_checked_when_predicting(estimator):
    rows, labels = np.arange(12.0).reshape(6, 2), [0, 1, -1, -1, -1, -1]
    model = estimator(kernel=lambda A, B: np.exp(-np.abs(A[:, :1] - B[:, 0])) if len(A) == 6 else np.ones(2))
    with pytest.raises(DataError, match=r"kernel must .*shape"):
        model.fit(rows, labels).predict(rows[:2])
