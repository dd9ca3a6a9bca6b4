import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge as Peer
from sklearn.linear_model import RidgeClassifier as PeerClassifier

from learnable.core import DataError, ParameterError
from learnable.linear_model import LinearRegression, Ridge, RidgeClassifier, ridge_path


def drawn(seed=0, n=50, p=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return X, X @ rng.normal(size=p) + rng.normal(size=n)


def test_closed_form_with_an_unpenalised_intercept():
    """(X'X + alpha I0)^-1 X'y with a zero for the constant, as the penalty must not touch the bias (E-004)."""
    X, y = drawn()
    A = np.column_stack([np.ones(len(y)), X])
    free = np.diag([0.0, *np.ones(5)])
    expected = np.linalg.solve(A.T @ A + 3.0 * free, A.T @ y)
    model = Ridge(3.0).fit(X, y)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-10)


@pytest.mark.parametrize("shape", [(50, 5), (5, 50)])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}, {"solver": "svd"}])
def test_agrees_with_scikit_learn(shape, options):
    X, y = drawn(1, *shape)
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y))
    theirs = Peer(2.0, tol=1e-14, max_iter=200_000, **options).fit(X, y, weight)
    ours = Ridge(2.0, **options).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-7)


def test_one_alpha_per_target():
    X, y = drawn(2)
    Y = np.column_stack([y, -y])
    model = Ridge(np.array([0.1, 100.0])).fit(X, Y)
    for t, alpha in enumerate((0.1, 100.0)):
        np.testing.assert_allclose(model.coef_[t], Ridge(alpha).fit(X, Y[:, t]).coef_, rtol=1e-12)
    with pytest.raises(ParameterError, match="3 values for 2 targets"):
        Ridge(np.ones(3)).fit(X, Y)


def test_sparse_equals_dense_in_both_shapes():
    for shape in ((50, 6), (6, 50)):
        X = sparse.random_array(shape, density=0.4, rng=np.random.default_rng(3), format="csr")
        y = np.random.default_rng(3).normal(size=shape[0])
        np.testing.assert_allclose(Ridge().fit(X, y).coef_, Ridge().fit(X.toarray(), y).coef_, rtol=1e-9)


def test_many_columns_are_weights_of_few_rows():
    """LIN-09: a = (XX' + alpha I)^-1 y, one for each row; the prediction is a sum of inner products with the rows."""
    rng = np.random.default_rng(4)
    X, y, new = rng.normal(size=(8, 60)), rng.normal(size=8), rng.normal(size=(3, 60))
    dual = np.linalg.solve(X @ X.T + 0.7 * np.eye(8), y)
    model = Ridge(0.7, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, X.T @ dual, rtol=1e-9)
    np.testing.assert_allclose(model.predict(new), new @ X.T @ dual, rtol=1e-9)


def test_alpha_zero_is_least_squares_and_infinity_is_the_mean():
    X, y = drawn(4)
    np.testing.assert_allclose(Ridge(0.0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)
    np.testing.assert_allclose(Ridge(1e15).fit(X, y).coef_, 0, atol=1e-9)
    assert Ridge(1e15).fit(X, y).intercept_ == pytest.approx(y.mean())


def test_half_mean_squared_error_scaling_needs_n_times_alpha():
    """Minimising |y - Xw|^2 / 2n + lambda |w|^2 / 2 is ridge with n lambda, not lambda (E-188)."""
    X, y = drawn(5)
    A, b = X - X.mean(axis=0), y - y.mean()
    gradient = lambda w: -A.T @ (b - A @ w) / len(y) + 0.3 * w  # noqa: E731 - the formula reads best on one line
    np.testing.assert_allclose(gradient(Ridge(0.3 * len(y)).fit(X, y).coef_), 0, atol=1e-12)


def test_bias_covariance_and_shrinkage():
    """E w = (G + a)^-1 G beta, Cov w = s^2 (G + a)^-1 G (G + a)^-1, and fitted values shrink along singular vectors."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 3))
    X -= X.mean(axis=0)
    beta, alpha = np.array([1.0, -2.0, 0.5]), 8.0
    G = X.T @ X
    inverse = np.linalg.inv(G + alpha * np.eye(3))
    Y = X @ beta[:, None] + rng.normal(size=(40, 20_000))
    fitted = Ridge(alpha).fit(X, Y).coef_
    np.testing.assert_allclose(fitted.mean(axis=0), inverse @ G @ beta, atol=0.01)
    np.testing.assert_allclose(np.cov(fitted.T), inverse @ G @ inverse, atol=0.001)
    U, d, _ = np.linalg.svd(X, full_matrices=False)
    y = Y[:, 0] - Y[:, 0].mean()
    shrunk = U @ (d**2 / (d**2 + alpha) * (U.T @ y))
    np.testing.assert_allclose(Ridge(alpha).fit(X, y).predict(X), shrunk, atol=1e-12)
    error = Ridge(alpha).fit(X, Y[:, 0]).summary().table["std_err"][1:]
    spread = np.sqrt(np.diag(inverse @ G @ inverse))
    np.testing.assert_allclose(error / spread, error[0] / spread[0], rtol=1e-10)


def test_ridge_is_the_mode_of_the_posterior_under_a_gaussian_prior():
    """Noise variance 2 and prior variance 0.5 give alpha = 4; the posterior mean is the ridge solution."""
    X, y = drawn(7)
    A, b = X - X.mean(axis=0), y - y.mean()
    posterior = np.linalg.solve(A.T @ A / 2 + np.eye(5) / 0.5, A.T @ b / 2)
    np.testing.assert_allclose(Ridge(2 / 0.5).fit(X, y).coef_, posterior, rtol=1e-10)


def test_summary_says_that_p_values_do_not_apply():
    X, y = drawn(8)
    assert "do not apply" in str(Ridge(1.0).fit(X, y).summary())
    assert "p" in Ridge(0.0).fit(X, y).summary().table


@pytest.mark.parametrize("shape", [(50, 5), (5, 50)])
def test_path_equals_single_fits(shape):
    X, y = drawn(9, *shape)
    alphas, coefs, intercepts = ridge_path(X, y, alphas=[0.01, 1.0, 100.0])
    for k, alpha in enumerate(alphas):
        model = Ridge(alpha).fit(X, y)
        np.testing.assert_allclose(coefs[:, k], model.coef_, rtol=1e-8)
        assert intercepts[k] == pytest.approx(model.intercept_)
    assert ridge_path(X, y)[1].shape == (shape[1], 100)


@pytest.mark.parametrize("shape", [(50, 5), (5, 50)])
@pytest.mark.parametrize(
    ("solver", "method"),
    [("auto", "cholesky"), ("cholesky", "cholesky"), ("svd", "qr|svd"), ("lsqr", "lsmr"), ("sag", "lsmr")],
)
def test_the_requested_solver_is_used(shape, solver, method):
    X, y = drawn(5, *shape)
    model, exact = Ridge(2.0, solver=solver).fit(X, y), Ridge(2.0).fit(X, y)
    assert any(name in model.method_ for name in method.split("|"))
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-8, atol=1e-10)
    assert model.n_iter_ == 1 if method != "lsmr" else model.n_iter_.shape == (1,) and model.n_iter_[0] > 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"])
@pytest.mark.parametrize("cls", [(Ridge, Peer), (RidgeClassifier, PeerClassifier)])
def test_solver_and_iterations_are_those_of_scikit_learn(kind, solver, cls):
    X, y = drawn(5)
    X, y = kind(X), y if cls[0] is Ridge else y > np.median(y)
    options = {"fit_intercept": False, "solver": solver, "positive": solver == "lbfgs", "tol": 0.1}
    options |= {"max_iter": 10_000} if solver != "cholesky" else {}
    if (kind is np.asarray) or solver != "svd":  # theirs takes no sparse data there
        ours, theirs = (each(**options).fit(X, y) for each in cls)
        assert ours.solver_ == theirs.solver_
        if theirs.n_iter_ is not None:  # ours are there for every solver
            assert np.shape(ours.n_iter_) == np.shape(theirs.n_iter_)


def test_iterations_of_each_target_are_kept():
    X, y = drawn(6)
    model = Ridge(np.array([0.1, 10.0]), solver="lsqr").fit(X, np.column_stack([y, y**2]))
    assert model.n_iter_.shape == (2,)


@pytest.mark.parametrize("shape", [(50, 5), (4, 6)])
@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-160, 1e-155])
@pytest.mark.filterwarnings("error")
def test_beside_tiny_columns_the_penalty_is_everything(shape, positive, scale):
    """X'X vanishes beside alpha, so w = X'(y - mean) / alpha."""
    X, y = drawn(7, *shape)
    expected = scale * (X - X.mean(axis=0)).T @ (y - y.mean()) / 2
    expected = np.maximum(expected, 0) if positive else expected
    model = Ridge(2.0, positive=positive).fit(X * scale, y)
    np.testing.assert_allclose(model.coef_ / scale, expected / scale, rtol=1e-6 if scale > 1e-305 else 1e-2)
    assert model.intercept_ == pytest.approx(y.mean()) and model.certificate_.holds


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e155, 1e300])
@pytest.mark.filterwarnings("error")
def test_alpha_in_the_units_of_the_columns_is_the_same_fit(scale):
    X, y = drawn(8)
    tiny = Ridge(3.0 * 1e-100**2).fit(X * 1e-100, y).coef_ * 1e-100
    np.testing.assert_allclose(tiny, Ridge(3.0).fit(X, y).coef_, rtol=1e-9)
    unshrunk = Ridge(0.0).fit(X * scale, y).coef_ * scale
    np.testing.assert_allclose(unshrunk, LinearRegression().fit(X, y).coef_, rtol=1e-9)


def test_coefficients_that_overflow_are_refused():
    X, y = drawn(9)
    with pytest.raises(DataError, match="beyond the range"):
        LinearRegression().fit(X * 1e-310, y)


@pytest.mark.parametrize("scale", [1e-160, 1e-100, 1e100, 1e160])
@pytest.mark.filterwarnings("error")
def test_a_path_is_the_same_in_other_units(scale):
    X, y = drawn(10)
    alphas, coefs, intercepts = ridge_path(X, y, n_alphas=5)
    _, in_target_units, moved = ridge_path(X, y * scale, alphas=alphas)
    np.testing.assert_allclose(in_target_units / scale, coefs, rtol=1e-9)
    np.testing.assert_allclose(moved / scale, intercepts, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.filterwarnings("error")
def test_the_alphas_of_a_path_scale_with_the_columns(scale):
    X, y = drawn(11)
    _, coefs, intercepts = ridge_path(X, y, n_alphas=5)
    _, in_column_units, constants = ridge_path(X * scale, y, n_alphas=5)
    np.testing.assert_allclose(in_column_units * scale, coefs, rtol=1e-9)
    np.testing.assert_allclose(constants, intercepts, rtol=1e-9)


@pytest.mark.parametrize(("scale", "weight"), [(1e200, 1.0), (1.0, 1e300)])
def test_paths_say_that_squares_leave_the_range_of_floats(scale, weight):
    X, y = drawn(11)
    with pytest.raises(DataError, match="ridge_path: squares of the data"):
        ridge_path(scale * X, y, sample_weight=np.full(len(y), weight))
