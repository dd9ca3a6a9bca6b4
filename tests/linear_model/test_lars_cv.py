"""The chosen end of a path, against scikit-learn and against refitting by hand."""

import numpy as np
import pytest
import sklearn.linear_model as theirs
from sklearn.model_selection import KFold

from learnable.datasets import load_diabetes
from learnable.linear_model import LarsCV, LassoLars, LassoLarsCV

DIABETES = load_diabetes()


def table(rows=60, columns=6, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + draws.normal(size=rows)


@pytest.mark.parametrize("name", ["LarsCV", "LassoLarsCV"])
def test_agrees_with_scikit_learn(name):
    """On nearly orthogonal columns, where no coefficient of a least-angle path changes its sign."""
    X, y = table() if name == "LarsCV" else (DIABETES.data, DIABETES.target)
    ours = {"LarsCV": LarsCV, "LassoLarsCV": LassoLarsCV}[name]().fit(X, y)
    other = getattr(theirs, name)().fit(X, y)
    assert ours.alpha_ == pytest.approx(other.alpha_, rel=1e-8)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(ours.coef_path_, other.coef_path_, atol=1e-6)
    assert ours.n_iter_ == other.n_iter_
    interior = other.cv_alphas_ > 1e-8  # at the end of a fold's path scikit-learn has rounding errors, not zero
    np.testing.assert_allclose(ours.cv_alphas_[ours.cv_alphas_ > 1e-8], other.cv_alphas_[interior], rtol=1e-7)
    np.testing.assert_allclose(ours.mse_path_[ours.cv_alphas_ > 1e-8], other.mse_path_[interior], rtol=1e-7)


def test_errors_are_those_of_the_lasso_refitted():
    X, y = table()
    model = LassoLarsCV(cv=4).fit(X, y)
    for alpha, errors in list(zip(model.cv_alphas_, model.mse_path_, strict=True))[::7]:
        for (train, test), error in zip(KFold(4).split(X), errors, strict=True):
            refitted = LassoLars(alpha=alpha).fit(X[train], y[train])
            assert error == pytest.approx(((y[test] - refitted.predict(X[test])) ** 2).mean(), rel=1e-10)


def test_the_chosen_alpha_has_the_smallest_mean_error():
    X, y = table(seed=1)
    model = LassoLarsCV(positive=True).fit(X, y)
    assert model.cv_alphas_[model.mse_path_.mean(axis=1).argmin()] == model.alpha_ == model.alphas_[-1]
    assert (model.coef_ >= 0).all()
    np.testing.assert_allclose(model.coef_, LassoLars(alpha=model.alpha_, positive=True).fit(X, y).coef_, atol=1e-12)


def test_the_number_of_compared_alphas_can_be_limited():
    X, y = table()
    assert len(LassoLarsCV(max_n_alphas=5).fit(X, y).cv_alphas_) <= 10
    assert len(LassoLarsCV().fit(X, y).cv_alphas_) > 20


def test_a_fold_without_weight_does_not_count():
    X, y = table(rows=30)
    pairs = [(np.arange(10, 30), np.arange(10)), (np.arange(20), np.arange(20, 30))]
    weight = np.r_[np.zeros(10), np.ones(20)]
    weighted = LassoLarsCV(cv=pairs).fit(X, y, sample_weight=weight)
    alone = LassoLarsCV(cv=[(np.arange(10), np.arange(10, 20))]).fit(X[10:], y[10:])
    assert weighted.alpha_ == pytest.approx(alone.alpha_, rel=1e-9)
    np.testing.assert_allclose(weighted.coef_, alone.coef_, rtol=1e-9)
