"""Stochastic gradient descent: scikit-learn's steps, exactly; its own promises about order, weights and ends."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDRegressor as Theirs

import learnable
from learnable import LinearRegression, SGDRegressor
from learnable.core import ConvergenceWarning, DataError, ParameterError


def data(n=500, p=6, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X @ rng.normal(size=p) + 1.5 + noise * rng.normal(size=n)


X, Y = data()
CHOICES = [
    {},
    {"loss": "huber", "epsilon": 0.7},
    {"loss": "epsilon_insensitive"},
    {"loss": "squared_epsilon_insensitive", "epsilon": 0.3},
    {"penalty": "l1", "alpha": 0.05},
    {"penalty": "elasticnet", "alpha": 0.1, "l1_ratio": 0.4},
    {"penalty": None},
    {"learning_rate": "optimal", "alpha": 2.0},
    {"learning_rate": "constant"},
    {"learning_rate": "adaptive", "eta0": 0.05},
    {"power_t": 0.5, "eta0": 0.1},
    {"loss": "epsilon_insensitive", "learning_rate": "pa1", "eta0": 0.3},
    {"loss": "epsilon_insensitive", "learning_rate": "pa2", "eta0": 0.3},
    {"average": True},
    {"average": 100},
    {"average": 10**6},
    {"fit_intercept": False},
]


def both(epochs=1, tol=None, **choice):
    options = {"shuffle": False, "max_iter": epochs, "tol": tol, **choice}
    return SGDRegressor(**options), Theirs(**options)


def same(ours, theirs, tolerance=1e-10):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=tolerance, atol=tolerance)
    assert ours.intercept_.shape == (1,)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ == theirs.t_


@pytest.mark.parametrize("choice", CHOICES, ids=str)
@pytest.mark.parametrize("epochs", [1, 4])
def test_steps_are_scikit_learns(choice, epochs):
    ours, theirs = both(epochs, **choice)
    same(ours.fit(X, Y), theirs.fit(X, Y))


@pytest.mark.parametrize("choice", CHOICES[:13], ids=str)
def test_steps_on_sparse_rows_are_scikit_learns(choice):
    thin = sparse.csr_array(np.where(np.abs(X) > [0, 1, 1, 1, 1, 1], X, 0))
    ours, theirs = both(3, **choice)
    same(ours.fit(thin, Y), theirs.fit(thin, Y))


@pytest.mark.parametrize("choice", [{}, {"learning_rate": "adaptive"}, {"penalty": None, "power_t": 0.4}], ids=str)
def test_the_fit_ends_where_scikit_learns_does(choice):
    ours, theirs = both(1000, tol=1e-3, **choice)
    same(ours.fit(X, Y), theirs.fit(X, Y))
    assert ours.trace_.stopped == "converged"
    assert ours.certificate_.holds
    assert ours.certificate_.value < 1e-3


def test_weights_multiply_the_steps_as_in_scikit_learn():
    weight = np.random.default_rng(1).uniform(0.1, 3, len(Y))
    ours, theirs = both(3)
    same(ours.fit(X, Y, sample_weight=weight), theirs.fit(X, Y, sample_weight=weight))


def test_a_row_of_weight_zero_is_absent():
    weight = np.random.default_rng(1).integers(0, 2, len(Y)).astype(float)
    kept = SGDRegressor(random_state=0).fit(X[weight > 0], Y[weight > 0])
    weighted = SGDRegressor(random_state=0).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(kept.coef_, weighted.coef_)
    assert kept.t_ == weighted.t_


def test_weights_are_copies_in_the_limit_of_small_steps():
    weight = np.random.default_rng(1).integers(0, 4, 60)
    options = {"learning_rate": "constant", "eta0": 1e-3, "tol": None, "max_iter": 1000, "average": 40_000}
    weighted = SGDRegressor(**options, random_state=0).fit(X[:60], Y[:60], sample_weight=weight)
    copied = SGDRegressor(**options, random_state=0).fit(np.repeat(X[:60], weight, axis=0), np.repeat(Y[:60], weight))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=2e-3)


def test_starting_values_and_warm_starts():
    begin = np.arange(6.0)
    ours, theirs = both(2)
    same(ours.fit(X, Y, begin, [3.0]), theirs.fit(X, Y, begin, [3.0]))
    ours, theirs = both(2, warm_start=True)
    same(ours.fit(X, Y).fit(X, Y), theirs.fit(X, Y).fit(X, Y))
    with pytest.raises(DataError, match="coef_init"):
        ours.fit(X, Y, coef_init=np.zeros(3))


@pytest.mark.parametrize("choice", [{}, {"average": 50}, {"penalty": "l1", "alpha": 0.01}], ids=str)
def test_partial_fit_goes_on_from_the_last_call(choice):
    ours, theirs = both(**choice)
    for rows in np.array_split(np.arange(len(Y)), 4):
        ours.partial_fit(X[rows], Y[rows])
        theirs.partial_fit(X[rows], Y[rows])
    same(ours, theirs)


def test_partial_fit_continues_after_saving_and_loading(tmp_path):
    model = SGDRegressor(average=20, random_state=0).partial_fit(X[:100], Y[:100])
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model").partial_fit(X[100:], Y[100:])
    model.partial_fit(X[100:], Y[100:])
    np.testing.assert_array_equal(again.coef_, model.coef_)
    np.testing.assert_array_equal(again.standard_coef_, model.standard_coef_)


def test_partial_fit_refuses_incompatible_options():
    model = SGDRegressor().partial_fit(X, Y)
    with pytest.raises(ValueError, match="5 features"):
        model.partial_fit(X[:, :5], Y)
    with pytest.raises(ParameterError, match="early_stopping"):
        SGDRegressor(early_stopping=True).partial_fit(X, Y)


def test_least_squares_is_reached():
    model = SGDRegressor(alpha=0.0, learning_rate="adaptive", eta0=0.05, tol=1e-7, n_iter_no_change=10, random_state=0)
    model.fit(X, Y)
    exact = LinearRegression().fit(X, Y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=5e-4)
    np.testing.assert_allclose(model.intercept_, exact.intercept_, atol=5e-4)


def test_an_l1_penalty_zeroes_useless_columns():
    noise = np.random.default_rng(5).normal(size=(500, 10))
    model = SGDRegressor(penalty="l1", alpha=0.1, random_state=0).fit(np.column_stack([X, noise]), Y)
    assert (model.coef_[6:] == 0).sum() >= 8
    assert (model.coef_[:6][np.abs(LinearRegression().fit(X, Y).coef_) > 0.2] != 0).all()


def test_sparse_coefficients_predict_alike(tmp_path):
    model = SGDRegressor(penalty="l1", alpha=0.1, random_state=0).fit(X, Y)
    expected = model.predict(X)
    np.testing.assert_allclose(model.sparsify().predict(X), expected)
    assert sparse.issparse(model.coef_)
    learnable.save(model, tmp_path / "thin.model")
    np.testing.assert_allclose(learnable.load(tmp_path / "thin.model").predict(X), expected)
    np.testing.assert_allclose(model.densify().predict(X), expected)
    assert model.coef_.shape == (6,)


def test_early_stopping_uses_a_validation_set():
    model = SGDRegressor(early_stopping=True, random_state=0).fit(X, Y)
    assert model.trace_["validation"].shape == (model.n_iter_,)
    assert model.t_ == 1 + 450 * model.n_iter_
    assert model.score(X, Y) > 0.9
    with pytest.raises(DataError, match="validation_fraction"):
        SGDRegressor(early_stopping=True).fit(X[:1], Y[:1])


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not():
    fits = [SGDRegressor(random_state=seed).fit(X, Y).coef_ for seed in (3, 3, 4)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert (fits[0] != fits[2]).any()


def test_layout_does_not_matter():
    rows, columns = (
        SGDRegressor(random_state=0).fit(layout(X), Y) for layout in (np.ascontiguousarray, np.asfortranarray)
    )
    np.testing.assert_array_equal(rows.coef_, columns.coef_)


def test_single_precision_is_kept():
    model = SGDRegressor(random_state=0).fit(X.astype(np.float32), Y.astype(np.float32))
    assert model.coef_.dtype == model.intercept_.dtype == model.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(model.coef_, SGDRegressor(random_state=0).fit(X, Y).coef_, atol=1e-5)


def test_steps_that_are_too_long_are_named():
    stable = 2 / (1 + (X**2).sum(axis=1).max() * 1e300)
    with pytest.raises(DataError, match=f"eta0=0.01 steps too far.*stable up to a rate of {stable:.3g}"):
        SGDRegressor(random_state=0).fit(X * 1e150, Y)


def test_divergence_without_overflow_is_reported():
    with pytest.warns(ConvergenceWarning, match=r"diverged.*eta0=0\.5.*stable up to a rate of 0\.\d+"):
        model = SGDRegressor(learning_rate="constant", eta0=0.5, random_state=0).fit(X * 3, Y)
    assert model.trace_.stopped == "diverged"
    assert not model.certificate_.holds


def test_running_out_of_epochs_is_reported():
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model = SGDRegressor(max_iter=3, random_state=0).fit(X, Y)
    assert not model.certificate_.holds


def test_a_fit_without_tolerance_does_all_epochs():
    model = SGDRegressor(max_iter=3, tol=None, random_state=0).fit(X, Y)
    assert model.n_iter_ == 3
    assert model.certificate_.holds


@pytest.mark.parametrize(
    "choice, words",
    [
        ({"learning_rate": "optimal", "alpha": 0.0}, "alpha must be above 0"),
        ({"learning_rate": "pa1"}, "epsilon_insensitive"),
        ({"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio"),
        ({"eta0": 0.0}, "eta0"),
        ({"loss": "hinge"}, "loss"),
    ],
    ids=str,
)
def test_incompatible_options_are_refused(choice, words):
    with pytest.raises(ParameterError, match=words):
        SGDRegressor(**choice).fit(X, Y)


def test_rows_without_a_stable_rate_are_reported():
    from types import SimpleNamespace

    from learnable.linear_model._sgd import sgd_base

    method, state = SimpleNamespace(norms=np.array([np.inf])), {"objective": np.nan, "epoch": 1}
    said = sgd_base.divergence_message(SGDRegressor(), sgd_base.SGDConfig("squared_error"), method, state)
    assert "No rate is stable for rows of this length; scale the columns of X" in said and "rate of 0" not in said


def test_clipped_steps_are_not_convergence():
    """Gradients of the loss beyond 1e12 are clipped, so that targets of 1e150 are never reached."""
    X, y = np.random.default_rng(0).normal(size=(2, 50, 1))
    with pytest.warns(ConvergenceWarning, match="rounding"):
        model = SGDRegressor(random_state=0).fit(X, y[:, 0] * 1e150)
    assert model.trace_.stopped == "stalled" and not model.certificate_.holds
    assert "scale y" in model.certificate_.sentence
    assert SGDRegressor(random_state=0).fit(X, y[:, 0] * 10).trace_.stopped == "converged"
