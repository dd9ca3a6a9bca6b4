"""One row so far off that nothing about it is in doubt leaves smooth fits as they are without it, and proves it too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import expit

from learnable import GammaRegressor, LogisticRegression, PoissonRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)) + [0.0, 50.0, 0.0]
SCORE = X[:, 0] - 0.5 * (X[:, 1] - 50)
TWO = (SCORE + RNG.logistic(size=120) > 0).astype(int)
THREE = np.digitize(SCORE + RNG.logistic(size=120), [-1.0, 1.0])
COUNTS = RNG.poisson(np.exp(0.5 * SCORE))


def far(size):
    """The rows, and one more of the last class, or without counts, far along the first column."""
    return np.vstack([[[size, 50.0, 0.0]], X])


@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array, np.asfortranarray])
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("size", [1e4, 1e9, 1e12])
def test_a_perfectly_predicted_class_moves_no_boundary(size, y, C, stored):
    alone = LogisticRegression(C=C).fit(X, y)
    model = LogisticRegression(C=C).fit(stored(far(size)), np.append(y.max(), y))
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    assert_allclose(model.coef_, alone.coef_, rtol=1e-5, atol=1e-7)
    assert_allclose(model.intercept_, alone.intercept_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
def test_a_mean_beyond_doubt_moves_no_others(solver):
    alone = PoissonRegressor(alpha=0.0, solver=solver).fit(X, COUNTS)
    model = PoissonRegressor(alpha=0.0, solver=solver, max_iter=1000).fit(far(-1e9), np.append(0, COUNTS))
    assert model.certificate_.holds
    assert_allclose(model.coef_, alone.coef_, rtol=1e-5, atol=1e-7)


def test_a_high_leverage_row_does_not_hide_the_others():
    """Its own mean fixes one coefficient, and the others are still those that are best beside it."""
    y = np.append(3.0, COUNTS + 1.0)
    model = GammaRegressor(alpha=0.0, max_iter=1000).fit(far(1e9), y)
    assert model.certificate_.holds
    ratio = 1 - y / np.exp(far(1e9) @ model.coef_ + model.intercept_)
    assert abs(ratio.mean()) < 1e-7 and np.abs(ratio @ (far(1e9)[:, 1:] - [50.0, 0.0])).max() / 120 < 1e-7


def test_the_gradient_is_small_relative_to_the_ordinary_rows():
    rows, y = far(1e9), np.append(1, TWO)
    model = LogisticRegression(C=10.0).fit(rows, y)
    pull = (expit(rows @ model.coef_[0] + model.intercept_) - y)[:, None] * rows
    assert_allclose(pull.sum(axis=0) + model.coef_[0] / 10, 0, atol=1e-6 * np.abs(pull).sum(axis=0).min())
