"""The graphical lasso against its optimality conditions, R's glasso and scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn import covariance as peer

from learnable import (
    ConvergenceWarning,
    DataError,
    GraphicalLasso,
    GraphicalLassoCV,
    ParameterError,
    empirical_covariance,
    graphical_lasso,
    load_iris,
)


def network_rows(n=300, p=8, seed=0):
    """Rows of a Markov chain: only neighbouring columns are dependent given the others."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, p))
    X[:, 0] = rng.normal(size=n)
    for j in range(1, p):
        X[:, j] = 0.7 * X[:, j - 1] + np.sqrt(1 - 0.49) * rng.normal(size=n)
    return X


@pytest.mark.parametrize(("n", "p"), [(300, 8), (30, 40)])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_optimality_conditions_hold(n, p, alpha):
    X = network_rows(n, p)
    S = empirical_covariance(X)
    covariance, precision = graphical_lasso(S, alpha, tol=1e-9)
    inverse = np.linalg.inv(precision)
    np.testing.assert_allclose(np.diag(inverse), np.diag(S), atol=1e-3)
    np.testing.assert_allclose(inverse, covariance, atol=1e-3)
    off = ~np.eye(p, dtype=bool)
    assert (np.abs(inverse - S)[off] <= alpha + 1e-3).all()
    active = off & (np.abs(precision) > 1e-3)
    np.testing.assert_allclose((inverse - S)[active], alpha * np.sign(precision[active]), atol=2e-3)
    assert (np.linalg.eigvalsh(precision) > 0).all()


def test_the_objective_is_that_of_scikit_learn():
    X = network_rows(100, 12)
    S = empirical_covariance(X)

    def objective(precision, alpha=0.1):
        penalty = np.abs(precision).sum() - np.abs(np.diag(precision)).sum()
        return (S * precision).sum() - np.linalg.slogdet(precision)[1] + alpha * penalty

    theirs = peer.GraphicalLasso(alpha=0.1, tol=1e-9, enet_tol=1e-9, max_iter=500).fit(X)
    ours = GraphicalLasso(alpha=0.1, tol=1e-9).fit(X)
    assert objective(ours.precision_) <= objective(theirs.precision_) + 1e-9
    np.testing.assert_allclose(ours.precision_, theirs.precision_, atol=1e-4)
    assert ours.costs_[-1][0] == pytest.approx(objective(ours.precision_), abs=1e-9)


def test_iris_as_by_glasso_of_r():
    S = empirical_covariance(load_iris().data)
    covariance, precision = graphical_lasso(S, 1.0)
    expected = [
        [0.68112222, 0.0, 0.265820, 0.02464314],
        [0.0, 0.1887129, 0.0, 0.0],
        [0.26582, 0.0, 3.095503, 0.28697200],
        [0.02464314, 0.0, 0.286972, 0.57713289],
    ]
    inverse = [
        [1.5190747, 0.0, -0.1304475, 0.0],
        [0.0, 5.299055, 0.0, 0.0],
        [-0.1304475, 0.0, 0.3498624, -0.1683946],
        [0.0, 0.0, -0.1683946, 1.8164353],
    ]
    np.testing.assert_allclose(covariance, expected, atol=1e-6)
    np.testing.assert_allclose(precision, inverse, atol=1e-6)


def test_the_network_of_a_chain_is_found():
    model = GraphicalLasso(alpha=0.2).fit(network_rows(3000))
    strong = {(a, b) for a, b, correlation in model.edges() if correlation > 0.1}
    assert strong == {(j, j + 1) for j in range(7)}
    assert len(model.edges()) < 28  # of all pairs some are independent given the others
    assert np.diag(model.partial_correlations_) == pytest.approx(1)


def test_columns_of_any_unit_and_the_penalty_that_fits_them():
    X = network_rows()
    for unit in (2.0**200, 2.0**-200):
        plain, scaled = GraphicalLasso(alpha=0.1).fit(X), GraphicalLasso(alpha=0.1 * unit * unit).fit(X * unit)
        np.testing.assert_allclose(scaled.precision_ * unit * unit, plain.precision_, rtol=1e-9, atol=1e-12)


def test_without_penalty_it_is_the_inverse():
    S = empirical_covariance(network_rows())
    np.testing.assert_allclose(graphical_lasso(S, 0.0)[1], np.linalg.inv(S), rtol=1e-9)
    with pytest.raises(DataError, match="singular"):
        GraphicalLasso(alpha=0).fit(network_rows(4))


def test_a_precomputed_covariance_gives_the_same():
    X = network_rows()
    S = empirical_covariance(X)
    ours = GraphicalLasso(alpha=0.1, covariance="precomputed").fit(S)
    np.testing.assert_allclose(ours.precision_, GraphicalLasso(alpha=0.1).fit(X).precision_, rtol=1e-12)
    with pytest.raises(DataError, match="symmetric"):
        GraphicalLasso(alpha=0.1, covariance="precomputed").fit(X)


def test_few_sweeps_are_confessed():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(10, 30)) @ rng.normal(size=(30, 30))
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = GraphicalLasso(alpha=0.01, max_iter=1).fit(X)
    assert not model.certificate_.holds


def test_a_column_that_does_not_vary_is_named():
    X = network_rows()
    X[:, 3] = 5.0
    with pytest.raises(DataError, match="column 3 does not vary"):
        GraphicalLasso().fit(X)


def test_cross_validation_scores_are_those_of_scikit_learn():
    X = network_rows(120, 5)
    alphas = [0.3, 0.1, 0.03]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer.GraphicalLassoCV(alphas=alphas, tol=1e-7, enet_tol=1e-8, max_iter=1000).fit(X)
    ours = GraphicalLassoCV(alphas=alphas, tol=1e-7).fit(X)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.cv_results_["alphas"], theirs.cv_results_["alphas"])
    penalised = slice(0, len(alphas))  # without penalty, theirs is scored about the mean of the training rows
    for name in ("split0_test_score", "mean_test_score", "std_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name][penalised], theirs.cv_results_[name][penalised], atol=1e-4)


def test_the_grid_is_refined_about_the_best():
    model = GraphicalLassoCV(alphas=3, n_refinements=2, cv=3).fit(network_rows(90, 5))
    assert len(model.cv_results_["alphas"]) == 7
    assert (np.diff(model.cv_results_["alphas"]) < 0).all()
    assert model.certificate_.kind == "duality gap"
    with pytest.raises(ParameterError, match="> 0"):
        GraphicalLassoCV(alphas=[0.0, 1.0]).fit(network_rows(90, 5))


def test_a_grid_has_at_least_one_alpha():
    with pytest.raises(ParameterError, match=r"alphas must be a number of grid points .* got 0"):
        GraphicalLassoCV(alphas=0).fit(np.random.default_rng(0).standard_normal((20, 3)))
