"""Cross-validation of alpha, and paths, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as theirs
from sklearn.model_selection import KFold

import learnable
from learnable import ElasticNetCV, LassoCV, MultiTaskElasticNetCV, MultiTaskLassoCV, enet_path, lasso_path
from tests.linear_model.test_lasso import table

TIGHT = {"tol": 1e-10, "max_iter": 100_000}


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"alphas": 10}, {"alphas": 8, "cv": 3, "eps": 0.01},
        {"alphas": [0.01, 0.5, 0.1], "cv": KFold(4, shuffle=True, random_state=0)},
        {"alphas": 10, "fit_intercept": False}, {"alphas": 10, "positive": True},
    ],
)  # fmt: skip
def test_lasso_cv_equal_to_scikit_learn(options, weighted, form):
    X, y = table(50, 12)
    weight = np.random.default_rng(1).random(50) if weighted else None
    ours, other = (
        model(**TIGHT, **options).fit(form(X), y, sample_weight=weight) for model in (LassoCV, theirs.LassoCV)
    )
    np.testing.assert_allclose(ours.alphas_, other.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, other.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(ours.alpha_, other.alpha_, rtol=1e-10)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    assert ours.mse_path_.shape == other.mse_path_.shape


@pytest.mark.parametrize("ratio", [0.7, [0.2, 0.6, 1.0]])
@pytest.mark.parametrize("alphas", [7, [1.0, 0.1]])
def test_elastic_net_cv_equal_to_scikit_learn(ratio, alphas):
    X, y = table(50, 12)
    ours, other = (
        model(l1_ratio=ratio, alphas=alphas, **TIGHT).fit(X, y) for model in (ElasticNetCV, theirs.ElasticNetCV)
    )
    np.testing.assert_allclose(ours.alphas_, other.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, other.mse_path_, rtol=1e-5)
    assert ours.l1_ratio_ == other.l1_ratio_ and ours.alphas_.shape == other.alphas_.shape
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)


@pytest.mark.parametrize(
    ("ours", "other"),
    [(MultiTaskLassoCV, theirs.MultiTaskLassoCV), (MultiTaskElasticNetCV, theirs.MultiTaskElasticNetCV)],
)
def test_several_tasks_equal_to_scikit_learn(ours, other):
    X, Y = table(50, 12, targets=2)
    mine, reference = ours(alphas=6, **TIGHT).fit(X, Y), other(alphas=6, **TIGHT).fit(X, Y)
    np.testing.assert_allclose(mine.alphas_, reference.alphas_, rtol=1e-10)
    np.testing.assert_allclose(mine.mse_path_, reference.mse_path_, rtol=1e-5)
    np.testing.assert_allclose(mine.coef_, reference.coef_, atol=1e-5)


def test_one_standard_error_takes_the_strongest_within_it():
    X, y = table(40, 12, seed=3)
    best, simple = LassoCV(**TIGHT).fit(X, y), LassoCV(rule="one_standard_error", **TIGHT).fit(X, y)
    mean = best.mse_path_.mean(axis=1)
    spread = best.mse_path_[mean.argmin()].std(ddof=1) / np.sqrt(5)
    assert simple.alpha_ == best.alphas_[mean <= mean.min() + spread].max()
    assert simple.alpha_ > best.alpha_
    assert np.count_nonzero(simple.coef_) <= np.count_nonzero(best.coef_)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("targets", [None, 2])
def test_paths_equal_to_scikit_learn(form, targets):
    X, y = table(30, 50, targets=targets)
    ours, other = (
        path(form(X), y, l1_ratio=0.8, alphas=20, return_n_iter=True, **TIGHT) for path in (enet_path, theirs.enet_path)
    )
    np.testing.assert_allclose(ours[0], other[0], rtol=1e-10)
    np.testing.assert_allclose(ours[1], other[1], atol=1e-3)
    assert ours[1].shape == other[1].shape and ours[2].shape == other[2].shape and len(ours[3]) == 20
    assert (ours[2] <= 1e-10 * (y**2).sum() / len(y) * (1 + 1e-9)).all()


def test_lasso_path_is_enet_path_without_an_l2_part():
    X, y = table(30, 8)
    for one, other in zip(lasso_path(X, y, alphas=5), enet_path(X, y, l1_ratio=1.0, alphas=5), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(lasso_path(X, y)[0]) == 100 and len(lasso_path(X, y, n_alphas=7)[0]) == 7
    np.testing.assert_array_equal(lasso_path(X, y, alphas=[0.1, 0.3, 0.2])[0], [0.3, 0.2, 0.1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": 1}, "colour"), ({"l1_ratio": 2}, "l1_ratio"), ({"eps": 0}, "eps"),
        ({"selection": "none"}, "selection"), ({"l1_ratio": 0}, "no automatic grid"),
    ],
)  # fmt: skip
def test_wrong_options_of_a_path_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^enet_path: .*{message}"):
        enet_path(*table(), **options)


@pytest.mark.parametrize("options", [{"colour": 1}, {"eps": 0}, {"selection": "none"}, {"alphas": [-1.0]}])
def test_messages_of_a_lasso_path_name_it(options):
    with pytest.raises(ValueError, match=r"^lasso_path: "):
        lasso_path(*table(), **options)
    with pytest.raises(ValueError, match="lasso_path"):
        lasso_path([[np.nan]], [1.0])


def test_a_path_that_does_not_converge_warns():
    with pytest.warns(learnable.ConvergenceWarning, match="alphas did not converge"):
        lasso_path(*table(40, 80), alphas=[0.01], tol=1e-12, max_iter=1)


def test_no_alpha_grid_without_an_l1_part():
    with pytest.raises(ValueError, match=r"^ElasticNetCV: .*no automatic grid"):
        ElasticNetCV(l1_ratio=0.0).fit(*table())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_tall_tables_give_the_errors_of_scikit_learn(form, fit_intercept):
    """The Gram matrix serves all alphas there, and folds get theirs by subtraction."""
    X, y = table(600, 6)
    X[:5, 0] *= 1e4  # nearly all of a column is in the first fold: its products there cannot be a difference
    ours, other = (
        module.LassoCV(alphas=10, fit_intercept=fit_intercept, **TIGHT).fit(form(X), y)
        for module in (learnable, theirs)
    )
    np.testing.assert_allclose(ours.mse_path_, other.mse_path_, rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-6, atol=1e-9)
