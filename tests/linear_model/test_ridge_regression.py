"""The function gives what scikit-learn's function gives."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import ridge_regression as theirs

import learnable
from learnable.linear_model import ridge_regression

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 5))
Y = X @ rng.normal(size=(5, 2)) + rng.normal(size=(40, 2)) + 1.0


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg"])
@pytest.mark.parametrize("weight", [None, rng.uniform(0.5, 2, 40)])
@pytest.mark.parametrize(("y", "alpha"), [(Y[:, 0], 2.0), (Y, 2.0), (Y, [0.5, 3.0])])
def test_coefficients(solver, weight, y, alpha):
    ours = ridge_regression(X, y, alpha, solver=solver, sample_weight=weight)
    np.testing.assert_allclose(ours, theirs(X, y, np.array(alpha), solver="svd", sample_weight=weight), rtol=1e-9)


@pytest.mark.parametrize("table", [np.asarray, sparse.csr_array])
def test_more_is_returned_on_request(table):
    coef, constant = ridge_regression(table(X), Y[:, 0], 1.0, return_intercept=True)
    model = learnable.Ridge(alpha=1.0).fit(X, Y[:, 0])
    np.testing.assert_allclose(coef, model.coef_, rtol=1e-9)
    assert constant == pytest.approx(model.intercept_)
    assert len(ridge_regression(table(X), Y[:, 0], 1.0, return_n_iter=True, return_intercept=True)) == 3


def test_positive_and_refusals():
    assert (ridge_regression(X, Y[:, 0], 1.0, positive=True) >= 0).all()
    with pytest.raises(learnable.ParameterError, match="alpha must be at least 0"):
        ridge_regression(X, Y, -1.0)
