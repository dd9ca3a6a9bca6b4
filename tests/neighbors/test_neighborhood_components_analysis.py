"""Neighbourhood components analysis: gradients by differences, scikit-learn's objective, initialisations."""

import numpy as np
import pytest
from sklearn.neighbors import NeighborhoodComponentsAnalysis as Scikit

from learnable.core import DataError, ParameterError
from learnable.datasets import load_iris, load_wine
from learnable.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from learnable.neighbors._neighbourhood_components import NeighbourhoodAccuracy
from learnable.preprocessing import StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore::learnable.core.ConvergenceWarning")  # of fits that are cut short


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def accuracy_by_definition(A, X, codes):
    E = X @ A.T
    P = np.exp(-((E[:, None] - E) ** 2).sum(axis=2))
    np.fill_diagonal(P, 0)
    P /= P.sum(axis=1, keepdims=True)
    return (P * (codes[:, None] == codes)).sum(axis=1).mean()


def test_the_objective_and_its_gradient(monkeypatch):
    rng = np.random.default_rng(0)
    X, codes, A = rng.standard_normal((30, 4)), rng.integers(0, 3, 30), rng.standard_normal((2, 4))
    for block in (2**21, 100):  # all rows at once, and three at a time
        monkeypatch.setattr("learnable.neighbors._neighbourhood_components.BLOCK", block)
        objective = NeighbourhoodAccuracy(X, codes)
        value, gradient = objective(A.ravel())
        assert -value == pytest.approx(accuracy_by_definition(A, X, codes), rel=1e-12)
        for k in range(8):
            step = np.zeros(8)
            step[k] = 1e-6
            difference = (objective(A.ravel() + step)[0] - objective(A.ravel() - step)[0]) / 2e-6
            assert gradient[k] == pytest.approx(difference, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("init", ["identity", "pca", "lda"])
def test_the_optimum_is_not_below_that_of_scikit_learn(wine, init):
    X, y = wine
    given = {"n_components": 2, "init": init, "max_iter": 200, "random_state": 0}
    ours, scikit = NeighborhoodComponentsAnalysis(**given).fit(X, y), Scikit(**given).fit(X, y)
    reached = accuracy_by_definition(ours.components_, X, y)
    assert reached > accuracy_by_definition(scikit.components_, X, y) - 0.002
    assert ours.trace_["objective"][-1] == pytest.approx(-reached, rel=1e-9)
    assert (np.diff(ours.trace_["objective"]) <= 1e-12).all()
    assert ours.certificate_.holds


def test_neighbours_classify_better_after_the_map():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    noisy = np.column_stack([X, 3 * rng.standard_normal((150, 4))])
    model = NeighborhoodComponentsAnalysis(2, random_state=0, max_iter=100).fit(noisy[::2], y[::2])
    plain = KNeighborsClassifier(3).fit(noisy[::2], y[::2]).score(noisy[1::2], y[1::2])
    mapped = KNeighborsClassifier(3).fit(model.transform(noisy[::2]), y[::2])
    assert mapped.score(model.transform(noisy[1::2]), y[1::2]) > max(plain + 0.05, 0.9)


def test_discriminants_are_the_start_where_classes_have_enough_directions(wine):
    X, y = wine
    first = NeighborhoodComponentsAnalysis(2, max_iter=1, tol=0).fit(X, y)
    lda = NeighborhoodComponentsAnalysis(2, init="lda", max_iter=1, tol=0).fit(X, y)
    np.testing.assert_array_equal(first.components_, lda.components_)
    auto = NeighborhoodComponentsAnalysis(5, max_iter=1, tol=0).fit(X, y)
    np.testing.assert_array_equal(
        auto.components_, NeighborhoodComponentsAnalysis(5, init="pca", max_iter=1, tol=0).fit(X, y).components_
    )


def test_warm_starts_go_on_and_callbacks_are_called(wine):
    X, y = wine
    seen = []
    model = NeighborhoodComponentsAnalysis(
        2, warm_start=True, max_iter=5, callback=lambda a, step: seen.append((len(a), step))
    ).fit(X, y)
    assert seen == [(26, k) for k in range(model.n_iter_)]
    before = model.trace_["objective"][-1]
    assert model.fit(X, y).trace_["objective"][0] <= before
    start = np.eye(2, 13)
    given = NeighborhoodComponentsAnalysis(init=start, max_iter=3).fit(X, y)
    assert given.components_.shape == (2, 13)


def test_what_cannot_be_is_refused(wine):
    X, y = wine
    with pytest.raises(ParameterError, match="n_components=14 is above the number of columns, 13"):
        NeighborhoodComponentsAnalysis(14).fit(X, y)
    with pytest.raises(ParameterError, match="the initial A has the shape"):
        NeighborhoodComponentsAnalysis(init=np.eye(3)).fit(X, y)
    with pytest.raises(DataError, match="continuous"):
        NeighborhoodComponentsAnalysis().fit(X, X[:, 0])
