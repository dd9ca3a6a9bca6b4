"""Logistic losses of the kernels against plain NumPy."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.parts.losses import Logistic, Multinomial


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 6, n)
    z[::7] *= 100
    return z, rng.integers(0, 2, n).astype(float), rng.uniform(0, 1, n)


@pytest.mark.parametrize("n", [1, 3, 4096, 20_001])
def test_logistic_terms_are_those_of_the_loss(n):
    z, y, weights = rows(n)
    loss = Logistic()
    value, gradient, curvature = kernels.logistic_terms(z, y, weights)
    assert value == pytest.approx(weights @ loss.value(y, z), rel=1e-13)
    np.testing.assert_allclose(gradient, weights * loss.gradient(y, z), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(curvature, weights * loss.curvature(y, z), rtol=1e-14, atol=1e-300)


def test_the_loss_is_accurate_far_out_and_near_zero():
    one = np.ones(1)
    for z in (-600.0, -40.0, -1.0, -0.1, 0.0, 0.5, 0.88, 30.0, 1e4):
        value, _, _ = kernels.logistic_terms(np.array([z]), 0 * one, one)
        assert value == pytest.approx(np.logaddexp(0, z), rel=1e-15)


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (5, 3), (700, 10), (3001, 17)])
def test_softmax_terms_are_those_of_the_loss(n, classes):
    rng = np.random.default_rng(n)
    z, code, weights = 5 * rng.normal(size=(n, classes)), rng.integers(0, classes, n), rng.uniform(0, 1, n)
    z[::5] *= 100
    loss = Multinomial()
    value, proba, gradient, squares, changes = kernels.softmax_terms(z, code, weights)
    assert value == pytest.approx(weights @ loss.value(code, z), rel=1e-12)
    np.testing.assert_allclose(proba, loss.predict(z), rtol=1e-12, atol=1e-290)
    np.testing.assert_allclose(gradient, weights[:, None] * loss.gradient(code, z), rtol=1e-12, atol=1e-290)
    np.testing.assert_allclose(squares, weights @ loss.gradient(code, z) ** 2, rtol=1e-12, atol=1e-290)
    np.testing.assert_allclose(changes, weights @ (proba * (1 - proba) * z) ** 2, rtol=1e-12, atol=1e-290)


def test_a_code_outside_the_classes_is_refused():
    with pytest.raises(ValueError, match="column of z"):
        kernels.softmax_terms(np.zeros((2, 3)), np.array([0, 3]), np.ones(2))


def test_bits_do_not_depend_on_threads():
    z, y, weights = rows(50_001)
    code = y.astype(np.int64)
    both = np.stack([-z, z], axis=1)
    first = kernels.logistic_terms(z, y, weights)[0], kernels.softmax_terms(both, code, weights)[0]
    for count in (1, 2, 3, 8):
        with threads(count):
            assert (kernels.logistic_terms(z, y, weights)[0], kernels.softmax_terms(both, code, weights)[0]) == first
