"""Kernel ridge against scikit-learn, ridge regression, brute force and its own certificate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn import kernel_ridge as theirs

import learnable
from learnable.kernel_ridge import KernelRidge
from learnable.linear_model import Ridge
from learnable.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from learnable.parts.kernels import Gaussian, Linear, Polynomial


def problem(rows=60, columns=4, targets=None, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * draws.normal(size=rows)
    return X, y if targets is None else np.column_stack([y * (t + 1) + X[:, t] for t in range(targets)])


@pytest.mark.filterwarnings("ignore:Singular matrix|is singular")  # scikit-learn says so of every indefinite kernel
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid", "cosine"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_solutions_are_those_of_scikit_learn(kernel, weighted, targets):
    X, y = problem(targets=targets)
    new = problem(rows=20, seed=1)[0]
    weight = np.random.default_rng(2).integers(0, 4, len(X)).astype(float) if weighted else None
    options = {"alpha": 0.7, "kernel": kernel, "gamma": 0.3, "degree": 2, "coef0": 0.4}
    ours, peer = KernelRidge(**options).fit(X, y, weight), theirs.KernelRidge(**options).fit(X, y, weight)
    assert_allclose(ours.predict(new), peer.predict(new), rtol=1e-8, atol=1e-8)
    assert_allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-8, atol=1e-8)


def test_an_alpha_for_every_target():
    X, y = problem(targets=3)
    alphas = np.array([0.1, 1.0, 0.1])
    ours, peer = KernelRidge(alphas, kernel="rbf").fit(X, y), theirs.KernelRidge(alpha=alphas, kernel="rbf").fit(X, y)
    assert_allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-9)
    with pytest.raises(ValueError, match="2 values for 3 targets"):
        KernelRidge([1.0, 2.0]).fit(X, y)


@given(st.floats(1e-3, 1e3), st.integers(2, 30), st.integers(1, 6))
def test_the_linear_kernel_is_ridge_regression(alpha, rows, columns):
    X, y = problem(rows, max(columns, 2))
    new = problem(5, max(columns, 2), seed=3)[0]
    ridge = Ridge(alpha, fit_intercept=False).fit(X, y)
    assert_allclose(KernelRidge(alpha).fit(X, y).predict(new), ridge.predict(new), rtol=1e-7, atol=1e-9)


def test_a_kernel_is_a_name_a_function_an_object_or_a_matrix():
    X, y = problem()
    new = problem(10, seed=4)[0]
    by_name = KernelRidge(kernel="rbf", gamma=0.5).fit(X, y).predict(new)
    function = KernelRidge(kernel=lambda x, z, rate: np.exp(-rate * ((x - z) ** 2).sum()), kernel_params={"rate": 0.5})
    known = KernelRidge(kernel="precomputed").fit(Gaussian(0.5)(X), y)
    assert_allclose(function.fit(X, y).predict(new), by_name, rtol=1e-9)
    assert_allclose(KernelRidge(kernel=Gaussian(0.5)).fit(X, y).predict(new), by_name, rtol=1e-12)
    assert_allclose(known.predict(Gaussian(0.5)(new, X)), by_name, rtol=1e-9)
    both = KernelRidge(kernel=Gaussian(0.5) + 2 * Polynomial(2)).fit(X, y)
    by_matrix = KernelRidge(kernel="precomputed").fit(both.kernel_(X), y)
    assert_allclose(both.predict(new), by_matrix.predict(both.kernel_(new, X)), rtol=1e-9)
    with pytest.raises(ValueError, match="square"):
        known.fit(X, y)


def test_kernels_go_into_files(tmp_path):
    X, y = problem()
    model = KernelRidge(kernel=Gaussian(0.5) * Linear()).fit(X, y)
    learnable.save(model, tmp_path / "model.learn")
    assert_allclose(learnable.load(tmp_path / "model.learn").predict(X), model.predict(X), rtol=0)


@pytest.mark.parametrize("as_table", [np.asarray, csr_array])
def test_large_fits_solve_their_system(as_table):
    X, y = problem(rows=1500)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    for alpha in (1.0, 1e-3, 1e-9):  # by single precision, by double
        model = KernelRidge(alpha, kernel="rbf", gamma=0.5).fit(as_table(X), y)
        K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
        off = y - K @ model.dual_coef_ - alpha * model.dual_coef_
        assert np.abs(off).max() <= 1e-12 * (np.abs(K).sum(axis=1).max() * np.abs(model.dual_coef_).max())
        assert model.certificate_.holds


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_leaving_out_is_what_fitting_again_gives(weighted, targets):
    X, y = problem(rows=25, targets=targets)
    weight = np.random.default_rng(5).integers(0, 3, 25).astype(float) if weighted else np.ones(25)
    model = KernelRidge(0.3, kernel="rbf", leave_one_out=True).fit(X, y, weight)
    for i in range(25):
        others = np.arange(25) != i
        again = KernelRidge(0.3, kernel="rbf").fit(X[others], y[others], weight[others])
        assert_allclose(model.loo_predictions_[i], again.predict(X[[i]])[0], rtol=1e-8, atol=1e-9)


def test_a_singular_system_warns_and_is_solved():
    X, y = np.array([[1.0], [1.0], [2.0]]), np.array([1.0, 3.0, 4.0])
    with pytest.warns(UserWarning, match="Singular matrix|is singular"):
        model = KernelRidge(0.0).fit(X, y)
    assert_allclose(model.predict(X), X[:, 0] * (X[:, 0] @ y) / 6)
    indefinite = np.array([[0.0, 1.0], [1.0, 0.0]])
    found = KernelRidge(0.5, kernel="precomputed").fit(indefinite, [1.0, 2.0])  # regular, though it has no factor
    assert_allclose(found.dual_coef_, np.linalg.solve(indefinite + 0.5 * np.eye(2), [1.0, 2.0]), atol=1e-12)


@pytest.mark.parametrize("count", [4, 20])  # by factors, by eigenvectors
@pytest.mark.parametrize("weighted", [False, True])
def test_a_search_over_alphas_gives_what_single_fits_give(count, weighted):
    X, y = problem()
    alphas = np.geomspace(0.01, 10, count)
    weight = np.random.default_rng(6).integers(1, 4, len(X)).astype(float) if weighted else None
    search = GridSearchCV(KernelRidge(kernel="rbf"), {"alpha": list(alphas)}, cv=3).fit(X, y, sample_weight=weight)
    options = {} if weight is None else {"params": {"sample_weight": weight}}
    for alpha, found in zip(alphas, search.cv_results_["mean_test_score"], strict=True):
        single = cross_val_score(KernelRidge(alpha, kernel="rbf"), X, y, cv=3, **options)
        assert_allclose(found, single.mean(), rtol=1e-8)


def test_folds_of_a_kernel_matrix_cut_its_columns_too():
    X, y = problem()
    K, folds = Gaussian(0.3)(X), KFold(4)
    by_matrix = cross_val_predict(KernelRidge(kernel="precomputed"), K, y, cv=folds)
    assert_allclose(by_matrix, cross_val_predict(KernelRidge(kernel="rbf", gamma=0.3), X, y, cv=folds), rtol=1e-9)
    models = KernelRidge(kernel=Gaussian(0.3)), KernelRidge(kernel="precomputed")
    scores = [cross_val_score(model, table, y, cv=folds) for model, table in zip(models, (X, K), strict=True)]
    assert_allclose(*scores, rtol=1e-9)
    from sklearn.model_selection import cross_val_score as their_score

    assert_allclose(their_score(KernelRidge(kernel="precomputed"), K, y, cv=4), scores[0], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:KernelRidge. the kernel matrix")
@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_rows_left_out_of_fewer_columns_than_rows_get_what_least_squares_says(alpha):
    draws = np.random.default_rng(3)
    X, y = draws.normal(size=(40, 3)), draws.normal(size=40)
    hat = X @ np.linalg.pinv(X)
    expected = y - (y - hat @ y) / (1 - np.diag(hat))
    assert_allclose(KernelRidge(alpha, leave_one_out=True).fit(X, y).loo_predictions_, expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:KernelRidge. the kernel matrix")
@pytest.mark.parametrize(
    "rows", [[0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 3]]
)  # where others are alike, and where some are not
def test_rows_left_out_of_a_singular_matrix_get_what_the_others_say(rows):
    X, y = np.array([[0.0], [1.0], [2.5], [4.0]])[rows], np.array([1.0, 2.0, 0.5, -1.0, 3.0, 2.0])[: len(rows)]
    found = KernelRidge(0.0, kernel="rbf", leave_one_out=True).fit(X, y).loo_predictions_
    for i in range(len(rows)):
        again = KernelRidge(0.0, kernel="rbf").fit(np.delete(X, i, axis=0), np.delete(y, i))
        assert found[i] == pytest.approx(again.predict(X[[i]])[0], abs=1e-9)
