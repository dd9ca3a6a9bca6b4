"""Laws that every loss obeys, and the numbers that pin each one down."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from learnable.core import DataError
from learnable.parts.losses import (
    Absolute,
    EpsilonInsensitive,
    Gamma,
    Huber,
    LogCosh,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    StudentT,
    Tweedie,
)
from tests.names import steady

SYMMETRIC = [
    Squared(),
    Absolute(),
    Quantile(0.5),
    Huber(0.5),
    Huber(1.35),
    LogCosh(),
    EpsilonInsensitive(0.0),
    EpsilonInsensitive(0.3),
    SquaredEpsilonInsensitive(0.3),
    StudentT(1.0, 1.0),
    StudentT(3.0, 0.7),
]
LOCATION = [*SYMMETRIC, Quantile(0.2), Quantile(0.9), Tweedie(0.0)]
TWEEDIE = [Tweedie(power, link) for power, link in product([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0], ["identity", "log"])]
LOSSES = [*LOCATION, Poisson(), Gamma(), *TWEEDIE]
EXACT = [loss for loss in LOSSES if loss.convex and not loss.majorises] + [Squared()]
MAJORISING = [loss for loss in LOSSES if loss.majorises]

every_loss = pytest.mark.parametrize("loss", LOSSES, ids=steady)


def allows(loss, target):
    try:
        loss.check(np.array([target]))
    except DataError:
        return False
    return True


def needs_positive_score(loss):
    return loss.link == "identity" and getattr(loss, "power", 0) != 0


def targets(loss, seed, n):
    rng = np.random.default_rng(seed)
    y = rng.standard_t(3, n) if allows(loss, -1.0) and not needs_positive_score(loss) else rng.gamma(2.0, 1.0, n)
    if allows(loss, 0.0):
        y[: n // 10] = 0.0
    return y


def scores(loss, seed, n):
    rng = np.random.default_rng([seed, 1])
    return rng.gamma(3.0, 1.0, n) + 0.05 if needs_positive_score(loss) else rng.normal(0.0, 1.5, n)


def total(loss, y, weight, constants):
    """Weighted sum of the loss at each of many constant scores."""
    table = loss.value(y[:, np.newaxis], np.broadcast_to(constants, (len(y), len(constants))))
    return weight @ table


def grid_of_scores(loss, y):
    low, high = float(y.min()), float(y.max())
    if loss.link == "log":
        return np.linspace(-8.0, np.log(max(high, 0.1)) + 1, 4001)
    return np.linspace(1e-3 if needs_positive_score(loss) else low - 1, high + 1, 4001)


@every_loss
def test_gradient_agrees_with_differences_of_the_value(loss):
    y, z, h = targets(loss, 0, 300), scores(loss, 0, 300), 1e-5
    difference = (loss.value(y, z + h) - loss.value(y, z - h)) / (2 * h)
    away_from_kinks = np.abs(loss.gradient(y, z + h) - loss.gradient(y, z - h)) < 0.3
    assert away_from_kinks.mean() > 0.9
    assert_allclose(loss.gradient(y, z)[away_from_kinks], difference[away_from_kinks], rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("loss", EXACT, ids=steady)
def test_curvature_agrees_with_differences_of_the_gradient(loss):
    y, z, h = targets(loss, 1, 300), scores(loss, 1, 300), 1e-5
    difference = (loss.gradient(y, z + h) - loss.gradient(y, z - h)) / (2 * h)
    assert_allclose(loss.curvature(y, z), difference, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("loss", MAJORISING, ids=steady)
def test_parabola_lies_above_the_loss(loss):
    y, start, z = targets(loss, 2, 5000), scores(loss, 2, 5000), 3 * scores(loss, 3, 5000)
    step = z - start
    parabola = loss.value(y, start) + loss.gradient(y, start) * step + loss.curvature(y, start) * step * step / 2
    assert np.all(loss.value(y, z) <= parabola * (1 + 1e-12) + 1e-12)


@pytest.mark.parametrize("loss", [Poisson(), Gamma(), *TWEEDIE], ids=steady)
def test_curvature_of_a_perfect_fit_agrees_with_differences_of_the_gradient(loss):
    z, h = scores(loss, 4, 200), 1e-5
    y = loss.predict(z)
    difference = (loss.gradient(y, z + h) - loss.gradient(y, z - h)) / (2 * h)
    assert_allclose(loss.curvature(y, z), difference, rtol=1e-5)
    assert_allclose(loss.gradient(y, z), 0.0, atol=1e-12)
    assert_allclose(loss.value(y, z), 0.0, atol=1e-12)


@every_loss
def test_curvature_is_neither_negative_nor_above_its_bound(loss):
    curvature = loss.curvature(targets(loss, 5, 2000), scores(loss, 5, 2000))
    assert np.all(curvature >= 0)
    if loss.curvature_bound is not None:
        assert np.all(curvature <= loss.curvature_bound * (1 + 1e-15))
        assert loss.curvature(np.ones(1), np.ones(1)).item() == pytest.approx(loss.curvature_bound)


@every_loss
def test_convexity_is_as_declared(loss):
    y, a, b = targets(loss, 6, 5000), scores(loss, 6, 5000), scores(loss, 7, 5000)
    bulge = loss.value(y, (a + b) / 2) - (loss.value(y, a) + loss.value(y, b)) / 2
    if loss.convex:
        assert np.all(bulge <= 1e-12 * (1 + loss.value(y, a) + loss.value(y, b)))
    else:
        assert np.any(bulge > 1e-3)


@every_loss
def test_smoothness_is_as_declared(loss):
    z = np.linspace(0.5, 2.5, 200_001)
    jump = np.abs(np.diff(loss.gradient(np.full_like(z, 1.5), z))).max()
    assert (jump < 0.1) == loss.smooth


@every_loss
def test_best_constant_beats_a_grid(loss):
    y, weight = targets(loss, 8, 41), np.random.default_rng(8).uniform(0.0, 3.0, 41)
    best = loss.best_constant(y, weight)
    reached = total(loss, y, weight, np.array([best])).item()
    assert reached <= total(loss, y, weight, grid_of_scores(loss, y)).min() * (1 + 1e-12) + 1e-12


@every_loss
def test_best_leaf_beats_a_grid(loss):
    y, z = targets(loss, 9, 41), scores(loss, 9, 41)
    weight = np.random.default_rng(9).uniform(0.0, 3.0, 41)
    shifts = np.linspace(-z.min() + 1e-3 if needs_positive_score(loss) else -9.0, 9.0, 4001)
    reached = weight @ loss.value(y, z + loss.best_leaf(y, z, weight))
    on_grid = weight @ loss.value(y[:, np.newaxis], z[:, np.newaxis] + shifts)
    assert reached <= on_grid.min() * (1 + 1e-12) + 1e-12


@every_loss
def test_weights_are_copies(loss):
    y, z, copies = targets(loss, 10, 30), scores(loss, 10, 30), np.random.default_rng(10).integers(0, 4, 30)
    weight = copies.astype(float)
    many_y, many_z = np.repeat(y, copies), np.repeat(z, copies)
    assert loss.best_constant(y, weight) == pytest.approx(loss.best_constant(many_y, None), rel=1e-9, abs=1e-9)
    assert loss.best_leaf(y, z, weight) == pytest.approx(loss.best_leaf(many_y, many_z), rel=1e-9, abs=1e-9)
    assert loss.best_constant(y, weight / 7) == pytest.approx(loss.best_constant(y, weight), rel=1e-9, abs=1e-9)


@every_loss
def test_single_precision_stays_single(loss):
    y, z = targets(loss, 11, 100), scores(loss, 11, 100)
    for method in (loss.value, loss.gradient, loss.curvature):
        single = method(y.astype(np.float32), z.astype(np.float32))
        assert single.dtype == np.float32
        assert_allclose(single, method(y, z), rtol=2e-4, atol=2e-5)
    assert loss.predict(z.astype(np.float32)).dtype == np.float32
    assert loss.best_constant(y.astype(np.float32)) == pytest.approx(loss.best_constant(y), rel=1e-5, abs=1e-5)


@every_loss
def test_extreme_inputs_give_numbers(loss):
    sizes = [0.0, 1e-300, 1e-150, 1.0, 700.0, 1e10, 1e150, -1.0, -800.0, -1e150]
    y, z = (np.array(part) for part in zip(*product([y for y in sizes if allows(loss, y)], sizes), strict=True))
    for method in (loss.value, loss.gradient, loss.curvature):
        assert not np.any(np.isnan(method(y, z)))
    assert not np.any(np.isnan(loss.predict(z)))
    for same in (1e-300, 1.0, 1e150):
        assert np.isfinite(loss.best_constant(np.full(3, same)))


@pytest.mark.parametrize("loss", LOCATION, ids=steady)
@given(shift=st.floats(-1e3, 1e3), seed=st.integers(0, 99))
def test_translation_changes_nothing(loss, shift, seed):
    y, z = targets(loss, seed, 15), scores(loss, seed, 15)
    assert_allclose(loss.value(y + shift, z + shift), loss.value(y, z), rtol=1e-8, atol=1e-9)
    assert loss.best_constant(y + shift) == pytest.approx(loss.best_constant(y) + shift, rel=1e-7, abs=1e-7)
    assert loss.best_leaf(y, z) == pytest.approx(loss.best_constant(y - z), rel=1e-12)


@pytest.mark.parametrize("loss", SYMMETRIC, ids=steady)
@given(seed=st.integers(0, 99))
def test_reflection_changes_signs_only(loss, seed):
    y, z = targets(loss, seed, 15), scores(loss, seed, 15)
    assert_allclose(loss.value(-y, -z), loss.value(y, z), rtol=1e-14)
    assert_allclose(loss.gradient(-y, -z), -loss.gradient(y, z), rtol=1e-14)
    if loss.convex:
        assert loss.best_constant(-y) == pytest.approx(-loss.best_constant(y), rel=1e-9, abs=1e-9)


@given(scale=st.floats(1e-3, 1e3), power=st.sampled_from([-1.0, 0.0, 1.0, 1.5, 2.0, 3.0]))
def test_deviance_scales_as_a_power(scale, power):
    loss = Tweedie(power, "log")
    y, z = targets(loss, 12, 30), scores(loss, 12, 30)
    y = np.abs(y)
    expected = scale ** (2 - power) * loss.value(y, z)
    assert_allclose(loss.value(scale * y, z + np.log(scale)), expected, rtol=1e-9, atol=1e-12 * (1 + expected.max()))


@given(scale=st.floats(1e-3, 1e3))
def test_units_of_the_robust_losses(scale):
    y, z = targets(Squared(), 13, 30), scores(Squared(), 13, 30)
    assert_allclose(Huber(scale).value(scale * y, scale * z), scale**2 * Huber(1.0).value(y, z), rtol=1e-10)
    assert_allclose(StudentT(3, scale).value(scale * y, scale * z), StudentT(3, 1.0).value(y, z), rtol=1e-10)
    assert_allclose(Quantile(0.3).value(scale * y, scale * z), scale * Quantile(0.3).value(y, z), rtol=1e-10)
