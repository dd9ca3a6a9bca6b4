"""Deviances and weighted squares of the kernels against plain NumPy."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.parts.losses import Tweedie


def rows(power: float, n: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    y = rng.gamma(1.0, 3.0, n)
    if power < 2:
        y[::3] = 0
    z = 4 * rng.normal(size=n)
    z[1::5] = np.log(np.where(y[1::5] > 0, y[1::5], 1)) + 1e-9 * rng.normal(size=len(z[1::5]))
    log_y = np.log(np.where(y > 0, y, 1))
    return y, z, log_y, np.where(y > 0, np.exp((2 - power) * log_y), 0.0), rng.uniform(0, 1, n)


@pytest.mark.parametrize("power", [0.5, 1.0, 1.3, 2.0, 3.0])
@pytest.mark.parametrize("n", [1, 7, 4096, 20_001])
def test_deviance_terms_are_those_of_the_loss(power, n):
    y, z, log_y, unit, weights = rows(power, n)
    loss = Tweedie(power, "log")
    value, gradient, curvature = kernels.deviance_terms(z, log_y, unit, weights, power, not loss.convex)
    assert value == pytest.approx(weights @ loss.value(y, z), rel=1e-12)
    parts = weights * (np.exp((2 - power) * z) + y * np.exp((1 - power) * z))  # the gradient is their difference
    assert (np.abs(gradient - weights * loss.gradient(y, z)) <= 1e-13 * parts).all()
    np.testing.assert_allclose(curvature, weights * loss.curvature(y, z), rtol=1e-12)


def test_the_deviance_near_a_perfect_fit_is_quadratic_and_nothing_overflows():
    one = np.ones(3)
    apart = np.array([1e-8, -1e-5, 0.0])
    for power in (1.0, 1.5, 2.0):
        value, _, _ = kernels.deviance_terms(apart, 0 * one, one, one, power)
        assert value == pytest.approx(float(apart @ apart) / 2, rel=1e-5)
    far = np.array([1e300, 800.0, -1e300])
    for power in (1.0, 2.0, 1.5):
        value, gradient, curvature = kernels.deviance_terms(far, 0 * one, one, one, power)
        assert np.isfinite([value, *gradient, *curvature]).all() and value > 1e100


def test_deviance_bits_do_not_depend_on_threads():
    _, *arrays = rows(1.0, 50_000)
    found = []
    for count in (1, 2, 3):
        with threads(count):
            found.append(kernels.deviance_terms(*arrays, 1.0))
    for other in found[1:]:
        assert other[0] == found[0][0] and (other[1] == found[0][1]).all() and (other[2] == found[0][2]).all()


@pytest.mark.parametrize("shape", [(1, 1), (37, 5), (3000, 17)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weighted_squares(shape, dtype):
    rng = np.random.default_rng(0)
    X = (rng.normal(size=shape) * (rng.random(shape) < 0.5)).astype(dtype)
    weight = rng.uniform(0, 2, shape[0])
    expected = weight @ X.astype(np.float64) ** 2
    for design in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(X)):
        np.testing.assert_allclose(kernels.weighted_squares(design, weight), expected, rtol=1e-13)


@pytest.mark.parametrize("rows", [1, 7, 8, 100_003])
def test_gradient_squares(rows):
    gradient, curvature, score = np.random.default_rng(1).normal(size=(3, rows))
    weights = np.random.default_rng(2).uniform(0.1, 2, rows)
    found = kernels.gradient_squares(gradient, curvature, score, weights)
    expected = [(gradient**2 / weights).sum(), ((curvature * score) ** 2 / weights).sum()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_wrong_lengths_are_refused():
    one = np.ones(3)
    with pytest.raises(ValueError, match="one number per row"):
        kernels.deviance_terms(one, one, one, np.ones(2), 1.0)
    with pytest.raises(ValueError, match="one number per row of X"):
        kernels.weighted_squares(np.ones((2, 2)), one)
    with pytest.raises(ValueError, match="one number per row"):
        kernels.gradient_squares(one, one, np.ones(2), one)
