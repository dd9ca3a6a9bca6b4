"""Metric and non-metric multidimensional scaling by stress majorisation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold as theirs

from learnable.core import DataError, ParameterError
from learnable.manifold import MDS, smacof

pytestmark = pytest.mark.filterwarnings("ignore:.*stopped by the iteration limit")


@pytest.fixture(scope="module")
def distances():
    return squareform(pdist(np.random.default_rng(0).standard_normal((60, 5))))


def stress(D, Y, weight=None):
    off = (D - squareform(pdist(Y))) ** 2
    return (off if weight is None else weight * off)[np.triu_indices(len(D), 1)].sum()


@pytest.mark.parametrize("metric", [True, False])
@pytest.mark.parametrize("n_init", [1, 3])
def test_runs_are_those_of_scikit_learn(distances, metric, n_init):
    options = {"metric": metric, "n_init": n_init, "n_jobs": 1, "random_state": 4, "return_n_iter": True}
    Y, value, steps = smacof(distances, **options)
    expected, their_value, their_steps = theirs.smacof(distances, **options)
    assert steps == their_steps
    assert value == pytest.approx(their_value, rel=1e-10)
    np.testing.assert_allclose(Y, expected, atol=1e-8)


@pytest.mark.parametrize("metric", [True, False])
def test_coordinates_from_classical_scaling_are_those_of_scikit_learn(distances, metric):
    options = {"metric_mds": metric, "init": "classical_mds", "metric": "precomputed"}
    ours, scikit = MDS(**options).fit(distances), theirs.MDS(**options).fit(distances)
    assert ours.stress_ == pytest.approx(scikit.stress_, rel=1e-5)
    found, expected = pdist(ours.embedding_), pdist(scikit.embedding_)
    np.testing.assert_allclose(found, expected, atol=1e-3 * expected.max())
    np.testing.assert_array_equal(ours.dissimilarity_matrix_, distances)


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 25), st.integers(1, 3), st.integers(0, 2**20), st.booleans())
def test_no_step_raises_the_stress(n, count, seed, weighted):
    rng = np.random.default_rng(seed)
    D = np.triu(rng.random((n, n)) + 0.1, 1)
    weight = np.triu(rng.random((n, n)) + 0.01, 1)
    model = MDS(
        count,
        metric="precomputed",
        init="random",
        random_state=seed,
        max_iter=40,
        pair_weight=weight + weight.T if weighted else None,
    )
    model.fit(D + D.T)
    assert (np.diff(model.trace_["objective"]) <= 1e-12 * model.trace_["objective"][0]).all()
    expected = stress(D + D.T, model.embedding_, weight + weight.T if weighted else None)
    assert model.stress_ == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_weighted_stress_is_that_of_a_general_optimiser():
    rng = np.random.default_rng(3)
    D = squareform(pdist(rng.standard_normal((15, 4))))
    weight = rng.random((15, 15))
    weight = (weight + weight.T) * (weight + weight.T > 0.6)
    np.fill_diagonal(weight, 0)
    model = MDS(2, metric="precomputed", pair_weight=weight, eps=1e-12, max_iter=5000).fit(D)

    def objective(y):
        return stress(D, y.reshape(15, 2), weight)

    best = minimize(objective, model.embedding_.ravel(), method="BFGS")
    assert model.stress_ == pytest.approx(objective(model.embedding_.ravel()), rel=1e-9)
    assert best.fun > model.stress_ * (1 - 1e-5)
    heavier = MDS(2, metric="precomputed", pair_weight=3 * weight, eps=1e-12, max_iter=5000).fit(D)
    np.testing.assert_allclose(pdist(heavier.embedding_), pdist(model.embedding_), atol=1e-5)


def test_missing_pairs_are_filled_in():
    X = np.random.default_rng(5).standard_normal((40, 2))
    D = squareform(pdist(X))
    there = np.random.default_rng(6).random((40, 40)) < 0.5
    there = there | there.T
    D_known = np.where(there, D, 1e3)  # what stands there does not matter
    model = MDS(2, metric="precomputed", pair_weight=there.astype(float), init="random", n_init=8, random_state=0,
                eps=1e-10, max_iter=3000)  # fmt: skip
    model.fit(D_known)
    np.testing.assert_allclose(squareform(pdist(model.embedding_)), D, atol=0.02)


def test_only_the_order_counts_in_non_metric_scaling():
    X = np.random.default_rng(1).standard_normal((30, 2))
    D = squareform(pdist(X))
    options = {"metric": "precomputed", "metric_mds": False, "random_state": 0, "max_iter": 2000, "eps": 1e-9}
    nonlinear = MDS(2, **options).fit(D**3)
    assert nonlinear.stress_ < 0.02  # stress-1: the plane is found although distances are far from straight
    order = np.corrcoef(np.argsort(np.argsort(pdist(nonlinear.embedding_))), np.argsort(np.argsort(pdist(X))))[0, 1]
    assert order > 0.995
    assert MDS(2, **{**options, "metric_mds": True}).fit(D**3).faithfulness().correlation < 0.99
    knots = nonlinear.disparity_map_
    assert (np.diff(knots.y) >= 0).all()


def test_zero_dissimilarities_are_missing_in_non_metric_scaling():
    X = np.random.default_rng(2).standard_normal((20, 2))
    D = squareform(pdist(X))
    known = D.copy()
    known[3, 9] = known[9, 3] = 0.0
    options = {"metric": "precomputed", "metric_mds": False, "random_state": 0, "max_iter": 3000, "eps": 1e-10}
    model = MDS(2, **options).fit(known)
    found = squareform(pdist(model.embedding_))
    factor = (found * D).sum() / (D * D).sum()
    assert found[3, 9] == pytest.approx(factor * D[3, 9], rel=0.15)


@pytest.mark.parametrize("metric_mds", [True, False])
def test_new_rows_are_placed_where_their_stress_is_least(metric_mds):
    X = np.random.default_rng(7).standard_normal((80, 2))
    model = MDS(2, metric_mds=metric_mds, eps=1e-9, max_iter=2000).fit(X[:60])
    placed = model.transform(X[60:])
    together = pdist(np.vstack([model.embedding_, placed]))
    straight = pdist(X)
    if metric_mds:
        np.testing.assert_allclose(together, straight, atol=1e-3)
    assert np.corrcoef(together, straight)[0, 1] > 0.999
    np.testing.assert_array_equal(model.transform(X[:60]), model.embedding_)
    np.testing.assert_allclose(model.transform(X[[70]]), placed[[10]], rtol=1e-9)


def test_older_names_are_accepted(distances):
    old = MDS(2, metric=False, dissimilarity="precomputed", init="classical_mds").fit(distances)
    new = MDS(2, metric_mds=False, metric="precomputed", init="classical_mds").fit(distances)
    np.testing.assert_array_equal(old.embedding_, new.embedding_)
    start = np.random.default_rng(0).random((60, 2))
    Y = MDS(2, metric="precomputed").fit_transform(distances, init=start)
    expected, _ = theirs.smacof(distances, init=start, n_init=1)
    np.testing.assert_allclose(Y, expected, atol=1e-8)


def test_what_cannot_be_is_refused(distances):
    with pytest.raises(DataError, match="symmetric"):
        MDS(metric="precomputed").fit(np.array([[0.0, 1.0], [2.0, 0.0]]))
    with pytest.raises(ParameterError, match="pair_weight must be symmetric"):
        MDS(metric="precomputed", pair_weight=np.ones((3, 3))).fit(distances)
    apart = np.kron(np.eye(2), np.ones((30, 30)))
    with pytest.raises(DataError, match=r"2 sets of rows without a dissimilarity .* \(rows 0 and 30"):
        MDS(metric="precomputed", pair_weight=apart).fit(distances)
    with pytest.raises(DataError, match="init must have the shape"):
        MDS(metric="precomputed").fit(distances, init=np.zeros((3, 2)))
