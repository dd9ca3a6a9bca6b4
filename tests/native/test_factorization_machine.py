"""The compiled passes of factorisation machines against naive loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from learnable.core.runtime.native import kernels


def model(seed=0, n=40, p=5, k=3):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, p)) < 0.7, rng.normal(size=(n, p)), 0.0)
    return X, rng.normal(size=n), np.array([0.3]), rng.normal(size=p), 0.5 * rng.normal(size=(p, k)), rng


def score(x, constant, w, V):
    linear = V.T @ x
    return constant[0] + x @ w + (linear @ linear - ((V * x[:, None]) ** 2).sum()) / 2


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_scores(as_matrix):
    X, _, constant, w, V, _ = model()
    out = np.empty(40)
    kernels.factor_scores(as_matrix(X), constant[0], w, V, out)
    assert_allclose(out, [score(x, constant, w, V) for x in X], rtol=1e-12)


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("logistic", [False, True])
def test_an_epoch_is_the_textbook_loop(as_matrix, logistic):
    X, y, constant, w, V, rng = model(1)
    y = np.sign(y) if logistic else y
    weight, order, shrink, rate = rng.uniform(0.5, 2, 40), rng.permutation(40), np.array([0.1, 0.2, 0.3]), 0.01
    ours = constant.copy(), w.copy(), V.copy()
    total = kernels.factor_epoch(as_matrix(X), y, weight, order, logistic, rate, shrink, *ours)
    expected = 0.0
    for i in order:
        x, z = X[i], score(X[i], constant, w, V)
        expected += weight[i] * (np.logaddexp(0, -y[i] * z) if logistic else (y[i] - z) ** 2 / 2)
        gradient = weight[i] * (-y[i] / (1 + np.exp(y[i] * z)) if logistic else z - y[i])
        there, sums = x != 0, V.T @ x
        constant = constant - rate * (gradient + weight[i] * shrink[0] * constant)
        by_v = gradient * (np.outer(x, sums) - V * (x**2)[:, None]) + weight[i] * shrink[2] * V
        w = w - rate * np.where(there, gradient * x + weight[i] * shrink[1] * w, 0)
        V = V - rate * np.where(there[:, None], by_v, 0)
    for got, one_expected in zip((*ours, total), (constant, w, V, expected), strict=True):
        assert_allclose(got, one_expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("as_matrix", [np.asarray, np.asfortranarray, sparse.csc_array])
def test_a_sweep_leaves_the_residual_right_and_lowers_the_objective(as_matrix):
    X, y, constant, w, V, rng = model(2)
    share, shrink = rng.uniform(0.5, 2, 40), np.array([0.1, 0.2, 0.3])

    def value(parts, rest):
        return share @ rest**2 / 2 + sum(s * (part**2).sum() for s, part in zip(shrink, parts, strict=True)) / 2

    parts = constant.copy(), w.copy(), V.copy()
    residual = y - np.array([score(x, *parts) for x in X])
    heights = [value(parts, residual)]
    for _ in range(4):
        kernels.factor_sweep(as_matrix(X), share, shrink, residual, *parts)
        assert_allclose(residual, y - np.array([score(x, *parts) for x in X]), atol=1e-10)
        heights.append(value(parts, residual))
    assert (np.diff(heights) <= 0).all() and heights[-1] < 0.9 * heights[0]


def test_what_does_not_fit_is_refused():
    X, y, constant, w, V, _ = model(3)
    with pytest.raises(ValueError, match="per column"):
        kernels.factor_scores(X, 0.0, w[:2], V, np.empty(40))
    with pytest.raises(ValueError, match="out of range"):
        kernels.factor_epoch(X, y, np.empty(0), np.array([40]), False, 0.1, np.zeros(3), constant, w, V)
    with pytest.raises(ValueError, match="three numbers"):
        kernels.factor_sweep(X, y, np.zeros(2), y, constant, w, V)
