"""Steps of fuzzy c-means against the formulas."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels


def shares_of(X, centres, power):
    square = ((X[:, None].astype(float) - centres) ** 2).sum(axis=2)
    at_centre = (square == 0).any(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        near = np.where(at_centre, square == 0, square ** (-1 / (power - 1)))
    return near / near.sum(axis=1, keepdims=True), square


@pytest.mark.parametrize("power", [2.0, 1.5, 3.0])
@pytest.mark.parametrize(("rows", "columns", "groups"), [(1, 1, 1), (7, 3, 2), (37, 5, 5), (600, 17, 11)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memberships_and_sums_are_the_formulas(rows, columns, groups, power, dtype):
    draws = np.random.default_rng(rows)
    X, weight = draws.normal(size=(rows, columns)).astype(dtype), draws.uniform(0, 2, rows)
    centres, origin = draws.normal(size=(groups, columns)), draws.normal(size=columns)
    centres[-1] = X[0]  # a row at a centre
    expected, square = shares_of(X, centres, power)
    shares = np.empty((rows, groups))
    kernels.fuzzy_memberships(X, centres, power, shares)
    np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-14)
    for heavy in (None, weight):
        pull = expected**power * (1.0 if heavy is None else heavy[:, None])
        sums, mass, cost = kernels.fuzzy_pass(X, heavy, centres, origin, power)
        np.testing.assert_allclose(sums, pull.T @ (X.astype(float) - origin), rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(mass, pull.sum(axis=0), rtol=1e-9)
        np.testing.assert_allclose(cost, (pull * square).sum(), rtol=1e-9)
