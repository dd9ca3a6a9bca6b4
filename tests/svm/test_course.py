"""Support vector machines beside what a course says of them."""

import numpy as np
import pandas
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from learnable import (
    SVC,
    SVR,
    LinearSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OneVsRestClassifier,
    SGDClassifier,
    StandardScaler,
    make_pipeline,
)
from learnable.kernels import Gaussian
from tests import references


def three_groups(seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 40)
    return rng.normal(size=(120, 2)) + 2.5 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y], y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_several_classes_are_the_largest_score_of_one_against_the_rest(kernel):
    """SVM-08: argmax of w_k x + b_k, each plane from a machine of class k against all others."""
    X, y = three_groups()
    model = OneVsRestClassifier(SVC(kernel=kernel)).fit(X, y)
    scores = [SVC(kernel=kernel).fit(X, y == k).decision_function(X) for k in range(3)]
    assert_allclose(model.decision_function(X), np.column_stack(scores), atol=1e-10)
    assert_array_equal(model.predict(X), np.argmax(scores, axis=0))
    planes = LinearSVC(random_state=0).fit(X, y)
    assert_array_equal(planes.predict(X), (X @ planes.coef_.T + planes.intercept_).argmax(axis=1))


def test_steps_on_the_hinge_end_where_the_dual_does():
    """SVM-06, E-093: 1/2 |w|^2 + C sum of slacks is the hinge with strength 1 / (2 C), so that alpha = 1 / (C n)."""
    X, y = three_groups(1)
    X, y = X[:80], y[:80]
    dual = SVC(kernel="linear", C=0.1).fit(X, y)
    primal = SGDClassifier(alpha=1 / (0.1 * len(X)), average=True, max_iter=500, tol=None, random_state=0).fit(X, y)
    assert_allclose(primal.coef_, dual.coef_, atol=0.02)
    assert np.mean(primal.predict(X) == dual.predict(X)) > 0.98


def test_units_of_columns_decide_unless_they_are_scaled_away():
    """SVM-10: a column in thousandths drowns the others, which is said; after scaling its unit does not matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(int)
    units = np.array([1.0, 1000.0])
    plain = SVC().fit(X[:200], y[:200]).score(X[200:], y[200:])
    with pytest.warns(
        UserWarning, match=r"SVC: column 1 has more than 99% of the variance of X.*scale the columns first"
    ):
        drowned = SVC().fit(X[:200] * units, y[:200]).score(X[200:] * units, y[200:])
    assert plain > 0.9 > drowned + 0.05
    scaled = [make_pipeline(StandardScaler(), SVC()).fit(rows, y).decision_function(rows) for rows in (X, X * units)]
    assert_allclose(*scaled, atol=1e-6)


@pytest.mark.parametrize("machine", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_a_column_that_dominates_the_kernel_is_named(machine):
    """SVM-10: where the default kernel sees one column alone; not where others are constant, sparse or chosen so."""
    X, y = three_groups()
    X, y = X[:80], y[:80]
    loud = pandas.DataFrame(X * [40.0, 1.0], columns=["income", "age"])
    with pytest.warns(UserWarning, match=rf"^{machine.__name__}: column 'income' has more than 99%"):
        machine().fit(loud, y)
    for silent in (X * [5.0, 1.0], X * [40.0, 0.0], X[:, :1] * 40.0, sparse.csr_array(X * [40.0, 1.0])):
        machine().fit(silent, y)
    for chosen in ({"kernel": "linear"}, {"gamma": 1e-3}, {"kernel": Gaussian(1e-3)}):
        machine(**chosen).fit(loud, y)


def test_the_intercept_is_the_mean_over_rows_on_the_margin_alone():
    """SVM-04, E-010, E-011: b = mean of y_i - f(x_i) where 0 < a_i < C; rows at their bound would spoil it."""
    X, y = three_groups(2)
    X, y = X[:80], np.where(y[:80] == 1, 1.0, -1.0)
    model = SVC(kernel="linear", C=0.5, tol=1e-8).fit(X, y)
    alpha, f = np.zeros(len(X)), X @ model.coef_[0]
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    free, bound = (alpha > 1e-9) & (alpha < 0.5 - 1e-9), alpha >= 0.5 - 1e-9
    assert free.any() and bound.any() and alpha.max() <= 0.5 + 1e-12
    assert model.intercept_[0] == pytest.approx(np.mean((y - f)[free]), abs=1e-6)
    assert abs(np.mean((y - f)[free | bound]) - model.intercept_[0]) > 1e-3
    assert (1 - y * model.decision_function(X))[bound].min() >= -1e-6  # E-009: the slack at the bound may be zero


def test_the_sample_of_libsvm_at_its_defaults():
    """What svm-train prints for heart_scale: nSV = 132, nBSV = 107, obj = -100.877, rho = 0.4245, 86.6667 %."""
    X, y = references.heart_scale()
    model = SVC(gamma=1 / 13, C=1.0).fit(X, y)
    report = model.kkt_report(X, y)
    assert model.score(X, y) == pytest.approx(0.866667, abs=1e-6)
    assert len(model.support_) == 132 and report.counts["inside"] + report.counts["wrong"] == 107
    assert report.dual == pytest.approx(100.877, abs=1e-3)
    assert abs(model.intercept_[0]) == pytest.approx(0.4245, abs=5e-4)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_the_hinge_of_columns_of_zeros_and_ones_is_solved_to_the_end(C):
    """Levels of categories, as in the census data of LIBSVM: many rows are alike and stand on the same kink."""
    rng = np.random.default_rng(0)
    level, worth = rng.integers(0, 8, (1500, 12)), rng.normal(size=(12, 8))
    y = (worth[np.arange(12), level].sum(axis=1) + 2 * rng.normal(size=1500) > 1).astype(int)
    columns = (level + 8 * np.arange(12)).ravel()
    X = sparse.csr_array((np.ones(columns.size), columns, 12 * np.arange(1501)), shape=(1500, 96))
    model = LinearSVC(loss="hinge", C=C).fit(X, y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    theirs = sklearn.svm.LinearSVC(loss="hinge", C=C, tol=1e-3, max_iter=50_000, random_state=0).fit(X.toarray(), y)

    def value(machine):
        w, b = machine.coef_[0], machine.intercept_[0]
        return (w @ w + b * b) / 2 + C * np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ w + b)).sum()

    assert value(model) <= value(theirs) * (1 + 1e-6)


@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_an_l1_penalty_is_solved_at_any_cost(C):
    """More columns than rows: at a large C no row violates its margin, and few columns suffice."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 200))
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    model = LinearSVC(penalty="l1", dual=False, C=C, tol=1e-6).fit(X, y)
    assert model.certificate_.holds and model.n_iter_ < 100
    sign, weights = np.where(y == 1, 1, -1), np.append(model.coef_, model.intercept_)
    lacking = np.maximum(1 - sign * model.decision_function(X), 0)
    pull = 2 * C * np.column_stack([X, np.ones(40)]).T @ (lacking * sign)
    assert np.abs(pull).max() <= 1 + 1e-3  # no weight would gain: the conditions of an optimum, recomputed
    assert pull @ weights == pytest.approx(np.abs(weights).sum(), rel=1e-3)
