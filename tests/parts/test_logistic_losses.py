"""The logistic losses: their laws, and the numbers that pin them down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from learnable.core import DataError
from learnable.parts.losses import Logistic, Multinomial


def sample(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n).astype(float), rng.normal(0, 2, n), rng.uniform(0.1, 3, n)


def test_w60_half_at_zero_and_the_two_probabilities_sum_to_one():
    loss, s = Logistic(), np.linspace(-30, 30, 13)
    assert loss.predict(np.zeros(1)).item() == 0.5
    assert_allclose(1 - loss.predict(s), loss.predict(-s), rtol=0, atol=1e-16)


def test_labels_of_either_sign_give_the_same_loss():
    y, z, _ = sample(50, 0)
    assert_allclose(Logistic().value(y, z), np.log1p(np.exp(-(2 * y - 1) * z)), rtol=1e-13)


def test_it_is_the_cross_entropy_of_the_probability():
    y, z, _ = sample(50, 1)
    p = Logistic().predict(z)
    assert_allclose(Logistic().value(y, z), -(y * np.log(p) + (1 - y) * np.log(1 - p)), rtol=1e-12)


def test_gradient_and_curvature_against_differences():
    y, z, _ = sample(200, 2)
    loss, h = Logistic(), 1e-5
    assert_allclose(loss.gradient(y, z), (loss.value(y, z + h) - loss.value(y, z - h)) / (2 * h), atol=1e-9)
    assert_allclose(loss.curvature(y, z), (loss.gradient(y, z + h) - loss.gradient(y, z - h)) / (2 * h), atol=1e-9)
    assert loss.curvature(y, 0 * z).max() == loss.curvature_bound


@given(seed=st.integers(0, 999))
def test_best_constant_and_best_leaf_have_zero_gradient(seed):
    y, z, weight = sample(12, seed)
    y[:2] = 0, 1
    loss = Logistic()
    constant = loss.best_constant(y, weight)
    assert abs(weight @ loss.gradient(y, np.full(12, constant))) < 1e-12 * weight.sum()
    assert abs(weight @ loss.gradient(y, z + loss.best_leaf(y, z, weight))) < 1e-12 * weight.sum()


def test_one_class_has_a_best_constant_of_certainty():
    loss = Logistic()
    for y in (np.zeros(3), np.ones(3)):
        assert loss.value(y, np.full(3, loss.best_constant(y))).max() == 0
        assert loss.best_leaf(y, np.zeros(3)) == loss.best_constant(y)


def test_nothing_overflows():
    loss = Logistic()
    z = np.array([-1e150, -1e5, 0.0, 1e5, 1e150])
    for y in (np.zeros(5), np.ones(5)):
        assert np.isfinite(loss.value(y, z)).all()
        assert (np.abs(loss.gradient(y, z)) <= 1).all()
    assert np.isfinite(Multinomial().value(np.zeros(1), np.array([[1e150, -1e150]]))).all()


def test_targets_outside_the_range_are_refused():
    with pytest.raises(DataError, match="between 0 and 1"):
        Logistic().check(np.array([0.0, 2.0]))
    with pytest.raises(DataError, match="whole numbers"):
        Multinomial().check(np.array([0.5]))


def test_two_classes_of_many_are_two_classes():
    y, z, _ = sample(40, 3)
    both = np.stack([np.zeros(40), z], axis=1)
    assert_allclose(Multinomial().value(y, both), Logistic().value(y, z), rtol=1e-12)
    assert_allclose(Multinomial().gradient(y, both)[:, 1], Logistic().gradient(y, z), rtol=1e-12)
    assert_allclose(Multinomial().curvature(y, both)[:, 1, 1], Logistic().curvature(y, z), rtol=1e-10)


def test_gradient_and_second_derivatives_of_several_classes_against_differences():
    rng = np.random.default_rng(4)
    y, z, loss, h = rng.integers(0, 4, 30), rng.normal(size=(30, 4)), Multinomial(), 1e-5
    for k in range(4):
        step = h * np.eye(4)[k]
        difference = (loss.value(y, z + step) - loss.value(y, z - step)) / (2 * h)
        assert_allclose(loss.gradient(y, z)[:, k], difference, atol=1e-9)
        second_difference = (loss.gradient(y, z + step) - loss.gradient(y, z - step)) / (2 * h)
        assert_allclose(loss.curvature(y, z)[:, k], second_difference, atol=1e-9)


def test_best_constants_are_the_logarithms_of_the_frequencies():
    y = np.array([0, 1, 1, 3])
    assert_allclose(np.exp(Multinomial().best_constant(y, classes=4)), [0.25, 0.5, 0.0, 0.25], atol=1e-300)
    weighted = Multinomial().best_constant(np.array([0, 1, 3]), np.array([1.0, 2.0, 1.0]))
    assert_allclose(weighted, Multinomial().best_constant(y))
