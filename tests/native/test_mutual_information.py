"""Counts of near points, against all pairs."""

import numpy as np
import pytest
from scipy.special import digamma

from learnable.core.runtime.native import kernels


def psi(n):
    return np.concatenate([[0.0], digamma(np.arange(1, n + 1))])


def naive_of_two(x, y, k):
    dx, dy = np.abs(x[:, None] - x), np.abs(y[:, None] - y)
    both = np.maximum(dx, dy)
    np.fill_diagonal(both, np.inf)
    radius = np.nextafter(np.sort(both, axis=1)[:, k - 1], 0)
    inside = [(gap <= radius[:, None]).sum(axis=1) for gap in (dx, dy)]
    return digamma(inside[0]).mean() + digamma(inside[1]).mean()


def naive_within(x, label, k):
    gap = np.abs(x[:, None] - x)
    terms = []
    for i in range(len(x)):
        own = np.sort(np.delete(gap[i], i)[np.delete(label, i) == label[i]])
        radius = np.nextafter(own[min(k, len(own)) - 1], 0)
        terms.append(digamma((gap[i] <= radius).sum()))
    return np.mean(terms)


@pytest.mark.parametrize("n", [2, 5, 40, 700])
@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("shape", ["plain", "line", "blocks"])
def test_two_continuous_variables(n, k, shape):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(3, n)), rng.normal(size=n)
    if shape == "line":
        X[0] = y
    elif shape == "blocks":
        X, y = np.round(X) + 1e-10 * rng.normal(size=X.shape), np.round(y) + 1e-10 * rng.normal(size=n)
    if k >= n:
        with pytest.raises(ValueError, match="fewer neighbours"):
            kernels.mean_digamma_continuous(X, y, k, psi(n), np.empty(3))
        return
    out = np.empty(3)
    kernels.mean_digamma_continuous(X, y, k, psi(n), out)
    np.testing.assert_allclose(out, [naive_of_two(x, y, k) for x in X], rtol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 50])
def test_values_with_labels(k):
    rng = np.random.default_rng(k)
    X, label = rng.normal(size=(2, 90)), np.repeat([0, 1, 2], [2, 30, 58]).astype(np.int32)
    label = rng.permutation(label)
    out = np.empty(2)
    kernels.mean_digamma_labels(X, label, 3, k, psi(90), out)
    np.testing.assert_allclose(out, [naive_within(x, label, k) for x in X], rtol=1e-12)


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="labels must be"):
        kernels.mean_digamma_labels(np.zeros((1, 2)), np.array([0, 2], np.int32), 2, 1, psi(2), np.empty(1))
    with pytest.raises(ValueError, match="digamma"):
        kernels.mean_digamma_continuous(np.zeros((1, 3)), np.zeros(3), 1, psi(1), np.empty(1))
