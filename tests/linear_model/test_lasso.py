"""Lasso and elastic net against closed forms, scikit-learn and symmetry."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import linear_model as theirs

import learnable
from learnable import ElasticNet, Lasso, MultiTaskElasticNet, MultiTaskLasso

TIGHT = {"tol": 1e-12, "max_iter": 100_000}
NAMES = [
    "Lasso", "ElasticNet", "MultiTaskLasso", "MultiTaskElasticNet",
    "LassoCV", "ElasticNetCV", "MultiTaskLassoCV", "MultiTaskElasticNetCV",
]  # fmt: skip


def table(n=40, p=15, targets=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    w = rng.standard_normal((p, targets or 1)) * (rng.random((p, 1)) < 0.4)
    Y = X @ w + 0.5 * rng.standard_normal((n, targets or 1)) + 2
    return X, (Y if targets else Y[:, 0])


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_scikit_learn(name):
    ours = inspect.signature(getattr(learnable, name)).parameters
    for parameter in inspect.signature(getattr(theirs, name)).parameters.values():
        assert ours[parameter.name].default == parameter.default
        assert ours[parameter.name].kind == parameter.kind
    assert set(ours) - set(inspect.signature(getattr(theirs, name)).parameters) <= {"rule"}


@pytest.mark.parametrize("name", ["lasso_path", "enet_path"])
def test_path_parameters_are_those_of_scikit_learn(name):
    ours, other = (inspect.signature(getattr(module, name)) for module in (learnable, theirs))
    assert [(p.name, p.default, p.kind) for p in ours.parameters.values()] == [
        (p.name, p.default, p.kind) for p in other.parameters.values()
    ]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"fit_intercept": False}, {"positive": True}, {"l1_ratio": 0.0}, {"l1_ratio": 0.3, "positive": True},
        {"l1_ratio": 1.0}, {"selection": "random", "random_state": 0},
    ],
)  # fmt: skip
def test_equal_to_scikit_learn(form, options, weighted):
    X, y = table()
    weight = np.random.default_rng(1).random(40) if weighted else None
    ours, other = (model(alpha=0.05, **TIGHT, **options) for model in (ElasticNet, theirs.ElasticNet))
    ours.fit(form(X), y, sample_weight=weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other.fit(form(X), y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=2e-6)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=2e-5)
    np.testing.assert_allclose(ours.predict(form(X)), other.predict(form(X)), atol=1e-5)
    assert ours.certificate_.holds and ours.certificate_.kind == "duality gap"
    assert ours.sparse_coef_.toarray().tolist() == [ours.coef_.tolist()]


@pytest.mark.parametrize(
    "ours, other", [(MultiTaskLasso, theirs.MultiTaskLasso), (MultiTaskElasticNet, theirs.MultiTaskElasticNet)]
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_several_tasks_equal_to_scikit_learn(ours, other, form):
    X, Y = table(targets=3)
    mine, reference = ours(alpha=0.1, **TIGHT).fit(form(X), Y), other(alpha=0.1, **TIGHT).fit(form(X), Y)
    np.testing.assert_allclose(mine.coef_, reference.coef_, atol=1e-6)
    np.testing.assert_allclose(mine.intercept_, reference.intercept_, atol=1e-5)
    np.testing.assert_allclose(mine.eps_, reference.eps_)


def test_several_targets_are_fitted_one_by_one():
    X, Y = table(targets=3)
    model, reference = Lasso(alpha=0.1, **TIGHT).fit(X, Y), theirs.Lasso(alpha=0.1, **TIGHT).fit(X, Y)
    np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-6)
    assert model.dual_gap_.shape == (3,) and len(model.n_iter_) == 3
    for t in range(3):
        np.testing.assert_array_equal(Lasso(alpha=0.1, **TIGHT).fit(X, Y[:, t]).coef_, model.coef_[t])


@pytest.mark.parametrize("alpha", [0.1, 0.7])
def test_orthonormal_columns_are_soft_thresholded(alpha):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((30, 6)))[0] * np.sqrt(30)
    y = rng.standard_normal(30)
    plain = Q.T @ y / 30
    shrunk = np.sign(plain) * np.maximum(0, np.abs(plain) - alpha / 2)
    model = ElasticNet(alpha=alpha, l1_ratio=0.5, fit_intercept=False, **TIGHT).fit(Q, y)
    np.testing.assert_allclose(model.coef_, shrunk / (1 + alpha / 2), atol=1e-9)
    model = Lasso(alpha=alpha / 2, fit_intercept=False, **TIGHT).fit(Q, y)
    np.testing.assert_allclose(model.coef_, shrunk, atol=1e-9)


def test_without_a_penalty_it_is_least_squares():
    X, y = table()
    model = Lasso(alpha=0, **TIGHT).fit(X, y)
    exact = learnable.LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-6)
    assert model.certificate_.kind == "squared gradient" and model.certificate_.holds


def test_the_strongest_penalty_is_exactly_where_the_last_coefficient_goes():
    X, y = table()
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    assert not Lasso(alpha=largest * (1 + 1e-9)).fit(X, y).coef_.any()
    assert np.count_nonzero(Lasso(alpha=largest * 0.99, **TIGHT).fit(X, y).coef_) == 1


@given(seed=st.integers(0, 1000), alpha=st.floats(0.01, 0.5), ratio=st.floats(0.1, 1.0))
def test_symmetries(seed, alpha, ratio):
    X, y = table(25, 6, seed=seed)
    rng = np.random.default_rng(seed)
    order, signs = rng.permutation(6), rng.choice([-1.0, 1.0], 6)

    def coef(X, y, alpha=alpha, weight=None):
        return ElasticNet(alpha=alpha, l1_ratio=ratio, **TIGHT).fit(X, y, sample_weight=weight).coef_

    plain = coef(X, y)
    np.testing.assert_allclose(coef(X[:, order], y), plain[order], atol=1e-6)  # columns in another order
    np.testing.assert_allclose(coef(X * signs, y), plain * signs, atol=1e-6)  # columns turned round
    np.testing.assert_allclose(coef(X, y + 7), plain, atol=1e-6)  # another zero of the target
    np.testing.assert_allclose(coef(np.r_[X, X], np.r_[y, y]), plain, atol=1e-6)  # every row twice
    np.testing.assert_allclose(coef(X, y, weight=np.full(25, 3.0)), plain, atol=1e-6)  # every row thrice


@given(seed=st.integers(0, 1000), scale=st.floats(1e-3, 1e3))
def test_lasso_scales_with_its_target(seed, scale):
    X, y = table(25, 6, seed=seed)
    plain = Lasso(alpha=0.1, **TIGHT).fit(X, y).coef_
    np.testing.assert_allclose(
        Lasso(alpha=0.1 * scale, **TIGHT).fit(X, scale * y).coef_, scale * plain, atol=1e-6 * scale
    )


def test_warm_starts_continue_where_the_last_fit_ended():
    X, y = table(60, 200)
    model = Lasso(alpha=0.05, warm_start=True, **TIGHT).fit(X, y)
    first = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_ == 0
    np.testing.assert_allclose(model.coef_, first, atol=1e-9)


def test_a_gram_matrix_is_taken_if_it_fits():
    X, y = table()
    X, y = X - X.mean(axis=0), y - y.mean()
    plain = Lasso(alpha=0.05, **TIGHT).fit(X, y).coef_
    np.testing.assert_allclose(Lasso(alpha=0.05, precompute=X.T @ X, **TIGHT).fit(X, y).coef_, plain, atol=1e-8)
    with pytest.raises(learnable.DataError, match="Gram matrix"):
        Lasso(precompute=2 * X.T @ X).fit(X, y)
    with pytest.raises(learnable.DataError, match="Gram matrix"):
        Lasso(precompute=np.eye(3)).fit(X, y)
    with pytest.warns(UserWarning, match="Gram matrix"):
        Lasso(precompute=X.T @ X).fit(X + 1, y)


def test_float32_in_float32_out():
    X, y = table()
    model = Lasso(alpha=0.05).fit(X.astype(np.float32), y.astype(np.float32))
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, Lasso(alpha=0.05).fit(X, y).coef_, atol=1e-4)


def test_one_target_is_refused_by_multi_task_models():
    X, y = table()
    for model in (
        MultiTaskLasso(),
        MultiTaskElasticNet(),
        learnable.MultiTaskLassoCV(),
        learnable.MultiTaskElasticNetCV(),
    ):
        with pytest.raises(ValueError, match="has one target only"):
            model.fit(X, y)


def test_the_trace_falls():
    X, y = table(100, 400)
    model = Lasso(alpha=0.01).fit(X, y)
    assert (np.diff(model.trace_["objective"]) <= 1e-12).all()
    assert model.trace_.stopped == "converged" and model.dual_gap_ <= 1e-4 * np.var(y)


@pytest.mark.parametrize("size", [1e160, 1e300])
@pytest.mark.parametrize("name", [*NAMES, "lasso_path", "enet_path"])
def test_what_cannot_be_squared_is_refused_with_a_remedy(name, size):
    X, y = table(targets=2 if "Multi" in name else None)
    call = getattr(learnable, name)
    fit = call if "path" in name else call().fit
    with pytest.raises(learnable.DataError, match=f"^{name}: values of X in column 3 .*scale the columns"):
        fit(np.where(np.arange(X.shape[1]) == 3, X * size, X), y)
    with pytest.raises(learnable.DataError, match=f"^{name}: values of y .*scale y"):
        fit(X, y * size)


def test_a_wrong_gram_matrix_is_refused_by_name():
    with pytest.raises(learnable.DataError, match=r"^Lasso: precompute"):
        Lasso(precompute=np.array([1.0, 2.0])).fit(*table())
    with pytest.raises(learnable.DataError, match=r"^Lasso: .*precompute did not pass"):
        Lasso(precompute=np.eye(15), fit_intercept=False).fit(*table())


@pytest.mark.parametrize("unit", [1e150, 1e100])
@pytest.mark.parametrize("several", [False, True])
def test_a_negligible_penalty_is_certified_optimal(unit, several):
    """The dual of the penalised problem cannot distinguish it from rounding; that of least squares can."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X @ rng.normal(size=(5, 2)) + rng.normal(size=(60, 2))
    one = [Lasso(alpha=0.01), ElasticNet(alpha=0.01), ElasticNet(alpha=0.01, l1_ratio=0.0)]
    models = [MultiTaskLasso(alpha=0.01), MultiTaskElasticNet(alpha=0.01, l1_ratio=0.0)] if several else one
    for model in models:
        for columns, target in ((X * unit, y), (X, y * unit), (X * unit, y * unit)):
            model.fit(columns, target if several else target[:, 0])
            assert model.certificate_.holds and model.trace_.stopped == "converged"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weak_penalties_on_more_columns_than_rows_are_not_given_up(form):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 300))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(100)
    alpha = 1e-3 * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 100
    model = Lasso(alpha, max_iter=5000).fit(form(X), y)
    assert model.trace_.stopped == "converged" and model.certificate_.holds
